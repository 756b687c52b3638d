import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

/// A virtual DESFire on a reader, which is set up.
struct DESFireBench: SettingUp {
    /// A card, and the messages that its profile wants.
    struct Kind: Sendable, CustomTestStringConvertible {
        let product: VirtualDESFireProduct
        let messaging: TagProfile.Messaging
        var testDescription: String { "\(product.name), messages of \(messaging)" }
    }

    static let kinds = [
        Kind(product: .desfireEV1, messaging: .ev1), Kind(product: .desfireEV2, messaging: .ev2),
        Kind(product: .desfireEV3, messaging: .ev2), Kind(product: .desfireEV3, messaging: .ev1),
    ]
    static let ev2 = kinds[1]
    /// As SelectApplication has it.
    static let application: [UInt8] = [0xD6, 0x1C, 0xF5]
    static let cardLevel: [UInt8] = [0, 0, 0]

    let tag: SharedTag<VirtualDESFireCard>
    let reader: any VirtualCard
    let records = MemoryRecords()
    var profile: TagProfile
    var ring: KeyRing
    var options = SetUpOptions()

    static func profile(_ messaging: TagProfile.Messaging = .ev2) -> TagProfile {
        var profile = TagProfile(
            name: "fob", product: .desfire, keys: [.master: "master", .tag: "door", .write: "write"])
        profile.application = [0xF5, 0x1C, 0xD6]
        profile.messaging = messaging
        return profile
    }

    /// A card as delivered, unless it is given another level or applications.
    init(
        _ kind: Kind = Self.ev2, ring: KeyRing = Site.ring, level: VirtualDESFireLevel = VirtualDESFireLevel(),
        setups: [VirtualDESFireSetup] = []
    ) throws {
        let card = try VirtualDESFireCard(
            product: kind.product, identifier: Site.uid, level: level, setups: setups)
        tag = SharedTag(card)
        (profile, self.ring, reader) = (Self.profile(kind.messaging), ring, tag.inReader())
    }

    // MARK: What the card is

    /// Whether the application of the profile exists.
    var hasApplication: Bool { tag.state.applications.contains(Self.application) }

    /// A key of the application, or with number 3 the card master key.
    func key(_ number: UInt8, version: UInt8) -> [UInt8] {
        guard version != 0 else { return [UInt8](repeating: 0, count: 16) }
        let roles: [TagProfile.Role] = [.master, .tag, .write, .master]
        let role = roles[Int(number)]
        guard let master = ring.entry(profile.keys[role] ?? "master", version: version)?.master else { return [] }
        let key =
            number == 3
            ? try? profile.expectedCardKey(of: Site.uid, from: master)
            : profile.keys[role] == nil
                ? try? profile.expectedSpareKey(number, of: Site.uid, from: master)
                : try? profile.expectedKey(role, of: Site.uid, from: master)
        return key.map(Site.bytes) ?? []
    }

    private func hasKey(_ number: UInt8, version wanted: UInt8?) -> Bool {
        let (level, place) = number == 3 ? (Self.cardLevel, 0) : (Self.application, number)
        let card = tag.state
        guard let version = card.keyVersion(application: level, number: place) else { return false }
        let value = key(number, version: version)
        return (wanted ?? version) == version && value.count == 16
            && card.hasKey(application: level, number: place, value: value)
    }

    /// Whether every key is the one that its version stands for.
    var hasKnownKeys: Bool {
        hasKey(3, version: nil) && (!hasApplication || (0..<3).allSatisfy { hasKey($0, version: nil) })
    }

    /// Whether the keys of the application have this version, or with 0 the application is gone.
    func hasApplication(version: UInt8) -> Bool {
        version == 0 ? !hasApplication : hasApplication && (0..<3).allSatisfy { hasKey($0, version: version) }
    }

    /// Whether all keys, that of the card as well, have this version and are known.
    func hasKeys(version: UInt8) -> Bool { hasApplication(version: version) && hasKey(3, version: version) }

    /// Whether no authentication failed.
    var isUncounted: Bool { tag.state.failedAuthentications == 0 }

    /// What a tap proves.
    func tap() async throws -> Tap { try await Site(profile, ring: ring).tap(reader) }
}
