import NFCSessions
import NFCTags
import NFCTypes
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

/// A tag that does not answer while it is asked for a proof: whatever it is, it may be asked again. It is never a tag that no profile
/// fits, and its proof is neither a success nor a failure.
@Suite struct SilentTagTests {
    /// A tag of a profile, and the reader on which it lies.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let profile: TagProfile
        let reader: ReaderProfile
        let card: @Sendable () throws -> any VirtualCard

        init(
            _ description: String, _ profile: TagProfile, on reader: ReaderProfile = .generic,
            _ card: @escaping @Sendable () throws -> any VirtualCard
        ) {
            (testDescription, self.profile, self.reader, self.card) = (description, profile, reader, card)
        }
    }

    private static func ntag424(
        _ name: String, _ profile: TagProfile,
        _ change: @escaping @Sendable (inout VirtualNTAG424Setup) -> Void = { _ in }
    ) -> Kind {
        Kind("NTAG 424 DNA, \(name)", profile) {
            var setup = profile.expectsTamper ? VirtualNTAG424Setup(tamperLoop: VirtualTamperLoop()) : .init()
            setup.identifier = Site.uid
            setup.keys[3] = .init(Site.key(.tag, profile, from: Site.door), version: 1)
            change(&setup)
            let message: [UInt8] = [0xD1, 0x01, 0x0B, 0x55, 0x04] + Array("ex.am/door".utf8)
            return try VirtualNTAG424Card(setup, ndefMessage: message).inReader()
        }
    }

    private static func desfire(_ messaging: TagProfile.Messaging, hidesVersions: Bool) -> Kind {
        let profile = DESFireBench.profile(messaging)
        let words = hidesVersions ? ", which does not show its versions" : ""
        return Kind("DESFire, \(messaging)\(words)", profile) {
            var setup = VirtualDESFireSetup(
                application: DESFireBench.application,
                keys: [(TagProfile.Role.master, Site.master), (.tag, Site.door), (.write, Site.write)].map {
                    role, key in
                    .init(Site.key(role, profile, from: key), version: 1)
                }, content: [0x01, 0x00] + [UInt8](repeating: 0, count: 23) + Site.uid)
            if hidesVersions { setup.settings = 0x09 }
            let product = messaging == .ev2 ? VirtualDESFireProduct.desfireEV2 : .desfireEV1
            return try VirtualDESFireCard(product: product, identifier: Site.uid, setup: setup).inReader()
        }
    }

    private static func ultralight(_ product: TagProfile.Product, host: String?, on reader: FrameReader) -> Kind {
        var profile = TagProfile(name: "locker", product: product, keys: [.tag: "door"])
        profile.uriHost = host
        let tag = UltralightTag(profile).with {
            guard host != nil, product == .ultralightAES else { return }
            ($0.firstProtectedPage, $0.protectsReading) = (0x29, true)
        }
        let words = host == nil ? "" : ", with the host of its profile"
        return Kind("\(product.rawValue)\(words), on \(reader.name)", profile, on: reader.profile) {
            reader.card(try tag.tag())
        }
    }

    static let kinds =
        [
            ntag424("AES", Site.mutual()), ntag424("its host", Site.mutual { $0.uriHost = "ex.am" }),
            ntag424("LRP", Site.mutual { $0.usesLRP = true }) { $0.configuration = [VirtualNTAG424Setup.lrp] },
            ntag424("tamper loop", Site.mutual { $0.expectsTamper = true }) {
                $0.configuration = [VirtualNTAG424Setup.tamper(key: 3)]
            },
            desfire(.ev2, hidesVersions: false), desfire(.ev1, hidesVersions: false),
            desfire(.ev2, hidesVersions: true), desfire(.ev1, hidesVersions: true),
        ]
        + FrameReader.all.flatMap { reader in
            [
                ultralight(.ultralightAES, host: nil, on: reader), ultralight(.ultralightC, host: nil, on: reader),
                ultralight(.ultralightC, host: "ex.am", on: reader),
            ]
        } + [FrameReader.acr122u, .acr1552u].map { ultralight(.ultralightAES, host: "ex.am", on: $0) }

    /// How a reader reports that it got nothing.
    private static let errors: [CardChannelError] = [
        .tagLost, .timedOut, .readerFailed, .busy, .transport(code: 0x8010_0016, message: "not transacted"),
    ]

    @Test(arguments: kinds) func `silence at any exchange of a proof leaves it incomplete`(kind: Kind) async throws {
        let whole = try await Site(kind.profile).tap(kind.card(), on: kind.reader)
        #expect(whole.status == .proven || whole.status == .weak && kind.profile.product == .ultralightC)
        #expect(whole.exchanges > 1)
        for exchange in whole.allExchanges - whole.exchanges + 1...whole.allExchanges {
            for error in Self.errors {
                for last in [exchange, .max] {
                    let silence = CountingChannel.Silence(exchanges: exchange...last, error: error)
                    let tap = try await Site(kind.profile).tap(kind.card(), on: kind.reader, silence: silence)
                    #expect(tap.status == .incomplete, "\(exchange)...\(last) \(error): \(tap)")
                }
            }
            for fault in [Fault.removeBefore, .removeDuring, .answer([])] {
                let card = FaultInjectingCard(try kind.card(), plan: FaultPlan(fault, at: exchange))
                let tap = try await Site(kind.profile).tap(card, on: kind.reader)
                #expect(tap.status == .incomplete, "\(exchange) \(fault): \(tap)")
            }
        }
    }

    @Test(arguments: ["6D00", "6E00", "6884", "917E"]) func `a card that answers otherwise is of another kind`(
        answer: String
    ) async throws {
        for kind in Self.kinds where kind.reader == .generic && kind.profile.uriHost == nil {
            let whole = try await Site(kind.profile).tap(kind.card())
            let first = whole.allExchanges - whole.exchanges + 1
            let other = FaultInjectingCard(try kind.card(), plan: FaultPlan(.answer(hex(answer)), at: first))
            #expect(try await Site(kind.profile).tap(other).attempt == nil, "\(kind.testDescription)")
        }
    }
}
