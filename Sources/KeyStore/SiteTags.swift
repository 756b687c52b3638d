import Cryptography
package import SecureTags
import Synchronization
package import VirtualTags

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Virtual tags of the profiles of a site, as a set-up leaves real ones, for tests and demonstrations. Their keys stay in this
/// process.
package final class SiteTags: Sendable {
    private let profiles: [TagProfile]
    private let keys: KeyRing
    /// The counter of the last tag that proved itself by its message.
    private let counter = Mutex<UInt32>(0)

    /// The tags of profiles.
    package init(profiles: [TagProfile], keys: KeyRing) {
        self.profiles = profiles
        self.keys = keys
    }

    /// Why there is no such tag.
    package enum Failure: Error, CustomStringConvertible {
        /// No profile has the name.
        case unknownProfile(String, known: [String])
        /// The kind of tag is not modelled, or a key cannot be derived.
        case impossible(String)

        /// What failed, and what to do.
        package var description: String {
            switch self {
            case .unknownProfile(let name, let known):
                "there is no profile \"\(name)\"; there are \(known.isEmpty ? "none" : known.joined(separator: ", "))"
            case .impossible(let reason): reason
            }
        }
    }

    /// A tag of a profile.
    ///
    /// - Parameters:
    ///   - identifier: its UID, 7 bytes; nil for a made-up one.
    ///   - message: its message; a profile with a template has that.
    ///   - isCopy: whether it has all that can be copied, and other keys.
    package func tag(
        _ name: String, identifier: [UInt8]? = nil, message: [UInt8]? = nil, isCopy: Bool = false
    ) async throws -> any VirtualTag {
        guard let profile = profiles.first(where: { $0.name == name }) else {
            throw Failure.unknownProfile(name, known: profiles.map(\.name))
        }
        let uid = identifier ?? profile.product.defaultIdentifier
        switch profile.product {
        case .ntag424: return try await card(profile, uid, message, isCopy)
        case .desfire: return try await desfire(profile, uid, isCopy)
        case .ultralightAES: return try await ultralight(profile, uid, message, isCopy)
        case .ultralightC:
            throw Failure.impossible(
                "virtual tags of profile \(name) are not supported: NTAG 424 DNA, DESFire and Ultralight AES are")
        }
    }

    /// The current version of a key of a tag, or of a copy another one; nil if the profile does not name the key.
    private func key(
        _ role: TagProfile.Role, _ profile: TagProfile, _ uid: [UInt8], _ isCopy: Bool
    ) async throws -> (bytes: [UInt8], version: UInt8)? {
        guard let entry = profile.keys[role].flatMap({ keys.versions(of: $0).first }) else { return nil }
        let key = isCopy ? TagKey.random() : try await profile.key(role, of: uid, from: entry.master)
        return (key.secret.withUnsafeBytes { Array($0) }, entry.version)
    }

    /// A key that the profile does not name, which follows from another one; of a copy another one, nil without that other one.
    private func spareKey(
        _ number: UInt8, after role: TagProfile.Role, _ profile: TagProfile, _ uid: [UInt8], _ isCopy: Bool
    ) async throws -> (bytes: [UInt8], version: UInt8)? {
        guard let entry = profile.keys[role].flatMap({ keys.versions(of: $0).first }) else { return nil }
        let key = isCopy ? TagKey.random() : try await profile.spareKey(number, of: uid, from: entry.master)
        return (key.secret.withUnsafeBytes { Array($0) }, entry.version)
    }

    /// A DESFire with an application of the profile: keys for changing, reading and writing, and the protected file.
    private func desfire(_ profile: TagProfile, _ uid: [UInt8], _ isCopy: Bool) async throws -> VirtualDESFireCard {
        var keys: [VirtualDESFireSetup.Key] = []
        for (number, role) in [TagProfile.Role.master, .tag, .write].enumerated() {
            let named = try await key(role, profile, uid, isCopy)
            let key =
                if let named { named } else {
                    try await spareKey(UInt8(number), after: .master, profile, uid, isCopy)
                }
            keys.append(
                VirtualDESFireSetup.Key(
                    key?.bytes ?? [UInt8](repeating: 0, count: TagKey.length), version: key?.version ?? 0))
        }
        let credential = Array(profile.name.utf8.prefix(23))
        let padding = [UInt8](repeating: 0, count: 23 - credential.count)
        var setup = VirtualDESFireSetup(
            application: profile.application.reversed(), keys: keys,
            content: [0x01, UInt8(credential.count)] + credential + padding + uid)
        setup.settings = 0x0B
        setup.fileNumber = profile.fileNumber
        return try VirtualDESFireCard(
            product: profile.messaging == .ev2 ? .desfireEV2 : .desfireEV1, identifier: uid,
            level: try await level(profile, uid, isCopy), setups: [setup])
    }

    /// The level of a DESFire card: its master key is an AES key; as delivered without a master key of the site.
    private func level(_ profile: TagProfile, _ uid: [UInt8], _ isCopy: Bool) async throws -> VirtualDESFireLevel {
        var level = VirtualDESFireLevel()
        guard let entry = profile.keys[.master].flatMap({ keys.versions(of: $0).first }) else { return level }
        let key = isCopy ? TagKey.random() : try await profile.cardKey(of: uid, from: entry.master)
        level.cipher = .aes
        level.key = .init(key.secret.withUnsafeBytes { Array($0) }, version: entry.version)
        return level
    }

    /// A MIFARE Ultralight AES whose pages from 4 on are protected, with codes; its keys are not locked (MF0AES(H)20, §8.8).
    private func ultralight(
        _ profile: TagProfile, _ uid: [UInt8], _ message: [UInt8]?, _ isCopy: Bool
    ) async throws -> VirtualType2Tag {
        let delivered = try VirtualType2Tag(
            product: .ultralightAES, identifier: uid, ndefMessage: message ?? profile.uriHost.flatMap(Self.link))
        var memory = delivered.memory
        let keys = try await [key(.tag, profile, uid, isCopy), spareKey(1, after: .tag, profile, uid, isCopy)]
        for (number, key) in keys.compactMap(\.self).enumerated() {
            let start = 4 * (0x30 + 4 * number)
            memory.replaceSubrange(start..<start + TagKey.length, with: key.bytes.reversed())
            // VCTID holds the version.
            memory[4 * 0x2A + 1] = key.version
        }
        // SEC_MSG_ACT and AUTH0; without PROT, everyone reads.
        memory[4 * 0x29] |= 0x02
        memory[4 * 0x29 + 3] = 0x04
        memory[4 * 0x2A] &= ~0x80
        return try VirtualType2Tag(product: .ultralightAES, memory: memory)
    }

    private func card(
        _ profile: TagProfile, _ uid: [UInt8], _ message: [UInt8]?, _ isCopy: Bool
    ) async throws -> VirtualNTAG424Card {
        var setup = profile.expectsTamper ? VirtualNTAG424Setup(tamperLoop: VirtualTamperLoop()) : VirtualNTAG424Setup()
        setup.identifier = uid
        for role in TagProfile.Role.allCases {
            guard let number = profile.number(of: role), let key = try await key(role, profile, uid, isCopy)
            else { continue }
            setup.keys[number] = .init(key.bytes, version: key.version)
        }
        for number in UInt8(0)..<5 where setup.keys[number] == nil {
            guard let key = try await spareKey(number, after: .master, profile, uid, isCopy) else { continue }
            setup.keys[number] = .init(key.bytes, version: key.version)
        }
        if profile.usesLRP { setup.configuration.append(VirtualNTAG424Setup.lrp) }
        if profile.expectsTamper, let key = profile.number(of: .tag) {
            setup.configuration.append(VirtualNTAG424Setup.tamper(key: key))
        }
        try protect(profile, &setup)
        let link = profile.url == nil ? profile.uriHost.flatMap(Self.link) : nil
        return try VirtualNTAG424Card(setup, ndefMessage: message ?? link)
    }

    /// A message with the link that a profile asks for, as a URI record of `https://` (NFC Forum URI RTD, 3.2.2); nil if it is too long.
    private static func link(to host: String) -> [UInt8]? {
        let address = Array("\(host)/".utf8)
        return UInt8(exactly: address.count + 1).map { [0xD1, 0x01, $0, 0x55, 0x04] + address }
    }

    /// The files of an NTAG 424 DNA: a container that says read-only, a message that everyone reads and key 0 writes, which has what the
    /// URL of the profile asks for, and a file for key 0 alone (NT4H2421Gx, §8.2.3).
    private func protect(_ profile: TagProfile, _ setup: inout VirtualNTAG424Setup) throws {
        setup.files[1] = Self.container
        setup.settings[3] = [0x03, 0x00, 0x00]
        let template = try profile.url.map { try SUNTemplate($0, isLRP: profile.usesLRP) }
        setup.settings[2] =
            FileSettings(
                content: .standard(size: 256), mode: .plain,
                rights: AccessRights(read: .free, write: .key(0), readWrite: .key(0), change: .key(0)),
                sdm: template?.settings(
                    metaReadKey: profile.number(of: .meta) ?? 1, fileReadKey: profile.number(of: .file) ?? 2)
            ).changeData
        guard let template else { return }
        setup.files[2] = template.file
        setup.readCounter = nextCounter()
    }

    private static let container: [UInt8] = [
        0x00, 0x17, 0x20, 0x01, 0x00, 0x00, 0xFF, 0x04, 0x06, 0xE1, 0x04, 0x01, 0x00, 0x00, 0xFF, 0x05, 0x06, 0xE1,
        0x05, 0x00, 0x80, 0x80, 0x80,
    ]

    /// A real tag remembers its counter; one that is made again for each presentation begins where none has been: at the seconds since
    /// 2026, in steps of eight, or above the last one.
    private func nextCounter() -> UInt32 {
        let start = UInt32(clamping: max(0, Int(time(nil)) - 1_767_225_600) / 8) & 0xFF_FFFF
        return counter.withLock { counter in
            counter = max(counter + 100, start)
            return counter
        }
    }
}

extension TagProfile.Product {
    /// A made-up UID, another one for each product: nfcd remembers by it how a tag was set up.
    fileprivate var defaultIdentifier: [UInt8] {
        let mark: UInt8 =
            switch self {
            case .ntag424: 0x30
            case .desfire: 0x31
            case .ultralightAES: 0x32
            case .ultralightC: 0x33
            }
        return [0x04, 0x44, 0x45, mark, 0x11, 0x5A, 0x80]
    }
}
