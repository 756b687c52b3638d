import KeyStore
import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import Testing
import VirtualTags

/// The virtual tags of a site are as a set-up leaves real ones.
@Suite struct SiteTagTests {
    /// A virtual tag of a profile, on a reader.
    struct Bench: SettingUp {
        let reader: any VirtualCard
        let family: ReaderProfile
        let records = MemoryRecords()
        let profile: TagProfile
        var ring: KeyRing
        let options: SetUpOptions

        init(_ kind: Kind, ring: KeyRing = Site.ring, isCopy: Bool = false) async throws {
            let tag = try await SiteTags(profiles: [kind.profile], keys: ring)
                .tag(kind.profile.name, identifier: Site.uid, isCopy: isCopy)
            let isType2 = kind.profile.product == .ultralightAES
            reader = isType2 ? FrameReader.acr1252u.card(tag) : tag.inReader()
            family = isType2 ? .acr1252u : .generic
            var options = SetUpOptions()
            options.makers = []
            (profile, self.ring, self.options) = (kind.profile, ring, options)
        }

        func tap() async throws -> Tap { try await Site(profile, ring: ring).tap(reader, on: family) }

        func status() async throws -> SetUpStatus {
            try await ask { (setUp, channel) async throws(SetUpError) in try await setUp.status(channel) }.get()
        }
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let profile: TagProfile

        init(_ description: String, _ profile: TagProfile, _ change: (inout TagProfile) -> Void = { _ in }) {
            var profile = profile
            change(&profile)
            (testDescription, self.profile) = (description, profile)
        }
    }

    static let kinds = [
        Kind("a challenge", SetUpBench.challenge),
        Kind("a challenge, and a host", SetUpBench.challenge) { $0.uriHost = "ex.am" },
        Kind("a challenge with LRP", SetUpBench.challenge) { $0.usesLRP = true },
        Kind("a challenge and a tamper loop", SetUpBench.challenge) { $0.expectsTamper = true },
        Kind("a challenge and a link", SetUpBench.profile) { $0.method = .mutual },
        Kind("SUN, encrypted", SetUpBench.profile),
        Kind("SUN, a long link", SetUpBench.profile) { $0.url = SetUpVariant.longURL },
        Kind("SUN, in clear", SetUpBench.profile) {
            $0.url = "https://ex.am/?u={uid}&n={ctr}&c={mac}"
            $0.keys[.meta] = nil
        },
        Kind("SUN without a key for challenges", SetUpBench.profile) { $0.keys[.tag] = nil },
        Kind("SUN with an encrypted part", SetUpBench.profile) {
            $0.url = "https://ex.am/?p={picc}&e={enc:32}&c={mac}"
        },
        Kind("SUN with LRP", SetUpBench.profile) { $0.usesLRP = true },
        Kind("SUN and a tamper loop", SetUpBench.profile) {
            $0.url = "https://ex.am/?p={picc}&t={tt}&c={mac}"
            $0.expectsTamper = true
        },
        Kind("DESFire EV2", DESFireBench.profile(.ev2)), Kind("DESFire EV1", DESFireBench.profile(.ev1)),
        Kind("DESFire without a key for writing", DESFireBench.profile(.ev2)) { $0.keys[.write] = nil },
        Kind("DESFire with another file", DESFireBench.profile(.ev2)) { $0.fileNumber = 7 },
        Kind("Ultralight AES", UltralightBench.profile),
        Kind("Ultralight AES, and a host", UltralightBench.profile) { $0.uriHost = "ex.am" },
    ]

    @Test(arguments: kinds) func `a tag of a profile is complete, verified and proven`(kind: Kind) async throws {
        for ring in [Site.ring, SetUpBench.rotated] {
            let bench = try await Bench(kind, ring: ring)
            let status = try await bench.status()
            #expect(status.isComplete && status.isOurs && status.versions == status.current, "\(status)")
            let tap = try await bench.tap()
            #expect(tap.status == (kind.profile.product == .ultralightAES ? .weak : .proven), "\(tap)")
            let verified = await bench.verify()
            #expect(verified.outcome?.versions == status.current, "\(verified)")
        }
    }

    @Test(arguments: kinds) func `a tag of a profile gets other keys, and is as delivered after a reset`(
        kind: Kind
    ) async throws {
        var first = try await Bench(kind)
        #expect(await first.run(.reset).outcome?.versions.allSatisfy { $0 == 0 } == true)
        first = try await Bench(kind)
        let rotated = await first.rotated.run(.rotate)
        #expect(rotated.outcome?.versions.allSatisfy { $0 == 2 } == true, "\(rotated)")
    }

    @Test(arguments: kinds) func `a copy of a tag is not proven`(kind: Kind) async throws {
        let isEncrypted = kind.profile.method == .sun && kind.profile.keys[.meta] != nil
        var taps: [Tap] = []
        // A copy has random keys. With some of them, encrypted data looks like data of a tag, with another message code.
        for _ in 0..<4 {
            let bench = try await Bench(kind, isCopy: true)
            taps.append(try await bench.tap())
            #expect(await bench.verify().error != nil)
        }
        #expect(taps.allSatisfy { $0.status == .failed || isEncrypted && $0.status == .unknownKey }, "\(taps)")
        #expect(taps.contains { $0.status == .unknownKey } == isEncrypted, "\(taps)")
    }
}

extension SiteTagTests.Bench {
    private init(_ other: Self, ring: KeyRing) {
        (reader, family, profile, options) = (other.reader, other.family, other.profile, other.options)
        self.ring = ring
    }

    /// The same tag, at a site that has other keys by now.
    fileprivate var rotated: Self { Self(self, ring: SetUpBench.rotated) }
}
