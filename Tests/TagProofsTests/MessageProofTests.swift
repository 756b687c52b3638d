import NDEF
import NFCSessions
import NFCTypes
import SecureTags
import TagProofs
import TapJournal
import TestSupport
import Testing
import VirtualTags

/// An NTAG 424 DNA that proves itself by the code in its message.
@Suite struct MessageProofTests {
    private static func card(
        _ profile: TagProfile, uid: [UInt8] = Site.uid, fileKey: [UInt8]? = nil, lrp: Bool = false,
        _ change: (inout VirtualNTAG424Setup) -> Void = { _ in }
    ) throws -> VirtualNTAG424Card {
        var setup = VirtualNTAG424Setup()
        setup.identifier = uid
        setup.keys = [
            1: .init(Site.bytes(Site.meta), version: 1),
            2: .init(fileKey ?? Site.key(.file, profile, of: uid, from: Site.file), version: 1),
        ]
        if lrp { setup.configuration = [VirtualNTAG424Setup.lrp] }
        let template = try SUNTemplate(profile.url ?? "", isLRP: lrp)
        setup.files[2] = template.file
        setup.settings[2] = try settings(template)
        change(&setup)
        return try VirtualNTAG424Card(setup)
    }

    private static func settings(_ template: SUNTemplate) throws -> [UInt8] {
        let sdm = template.settings(metaReadKey: 1, fileReadKey: 2)
        let rights = AccessRights(read: .free, write: .key(0), readWrite: .key(0), change: .key(0))
        return FileSettings(content: .standard(size: 256), mode: .plain, rights: rights, sdm: sdm).changeData
    }

    private static let plain = Site.sun { $0.url = "https://ex.am/?u={uid}&n={ctr}&c={mac}" }
    private static let encrypted = Site.sun { $0.url = "https://ex.am/?p={picc}&e={enc:32}&c={mac}" }

    @Test(arguments: [Site.sun(), plain, encrypted])
    func `a message of the site is proven once`(profile: TagProfile) async throws {
        let tag = SharedTag(try Self.card(profile))
        let store = MemoryTapStore()
        for number in 1...3 {
            let tap = try await Site(profile).tap(tag)
            let attempt = try #require(tap.attempt)
            #expect(attempt.proof.status == .proven && attempt.proof.counter == number, "\(attempt.proof)")
            #expect(attempt.proof.identifier?.bytes == Site.uid && attempt.proof.keyVersion == 1)
            #expect(tap.exchanges == 0)
            let claim = try #require(attempt.claim)
            #expect(try await store.settle(attempt.proof, claim).status == .proven)
            #expect(try await store.settle(attempt.proof, claim).status == .replayed)
        }
    }

    @Test func `a message without the state of the tamper loop that is expected is not proven`() async throws {
        let profile = Site.sun { $0.expectsTamper = true }
        let proof = try #require(try await Site(profile).tap(Self.card(profile)).attempt?.proof)
        #expect(proof.status == .notProven && proof.reason?.contains("{tt}") == true, "\(proof)")
        #expect(proof.counter == nil)
    }

    @Test func `a message in LRP mode is proven`() async throws {
        let profile = Site.sun { $0.usesLRP = true }
        #expect(try await Site(profile).tap(Self.card(profile, lrp: true)).status == .proven)
    }

    @Test func `the message of another tag is refused where the reader saw the UID`() async throws {
        let profile = Site.sun()
        let genuine = try await Site(profile).tap(Self.card(profile))
        let message = try #require(genuine.reading.messages.first)
        let copy = try VirtualType2Tag(
            product: .ntag215, identifier: [4, 9, 9, 9, 9, 9, 9], ndefMessage: try message.encoded())
        #expect(try await Site(profile).tap(copy).status == .failed)
    }

    @Test func `a copy with the same UID is a replay`() async throws {
        let profile = Site.sun()
        let store = MemoryTapStore()
        let genuine = try await Site(profile).tap(Self.card(profile))
        let first = try #require(genuine.attempt)
        _ = try await store.settle(first.proof, try #require(first.claim))
        let message = try #require(genuine.reading.messages.first).encoded()
        let copy = try VirtualType2Tag(product: .ntag215, identifier: Site.uid, ndefMessage: message)
        let second = try #require(try await Site(profile).tap(copy).attempt)
        #expect(try await store.settle(second.proof, try #require(second.claim)).status == .replayed)
    }

    @Test func `another file key fails, and an unknown one is not tried`() async throws {
        let profile = Site.sun()
        let foreign = try Self.card(profile, fileKey: [UInt8](repeating: 0x5C, count: 16))
        #expect(try await Site(profile).tap(foreign).status == .failed)
        let other = KeyRing([.init(name: "meta", version: 1, state: .current, master: Site.key(0x77))])
        #expect(try await Site(profile, ring: other).tap(try Self.card(profile)).status == .unknownKey)
    }

    @Test func `a tag whose mirroring is off proves nothing`() async throws {
        let profile = Site.sun()
        let tag = try Self.card(profile) { $0.settings[2] = [0x00, 0xE0, 0xEE] }
        #expect(try await Site(profile).tap(tag).status == .notProven)
    }

    @Test func `messages of other hosts are left alone`() async throws {
        let profile = Site.sun()
        let message: [UInt8] = [0xD1, 0x01, 0x0B, 0x55, 0x04] + Array("we.am/door".utf8)
        #expect(try await Site(profile).tap(VirtualNTAG424Card(ndefMessage: message)).attempt == nil)
        let empty = Site.sun { $0.uriHost = nil }
        #expect(try await Site(empty).tap(VirtualNTAG424Card(ndefMessage: message)).attempt == nil)
    }

    @Test func `lines of counters differ by key, version and UID`() async throws {
        let profile = Site.sun()
        let one = try #require(try await Site(profile).tap(Self.card(profile)).attempt?.claim)
        let uid: [UInt8] = [4, 1, 2, 3, 4, 5, 6]
        let other = try #require(try await Site(profile).tap(Self.card(profile, uid: uid)).attempt?.claim)
        #expect(one.line.count == 16 && one.line != other.line)
    }
}
