import Cryptography
package import SecureTags
import Synchronization
package import VirtualTags

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Virtual tags that are set up by the profiles of a site, for tests and demonstrations. Their keys stay in this process.
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
        let uid = identifier ?? [0x04, 0x44, 0x45, 0x30, 0x11, 0x5A, 0x80]
        switch profile.product {
        case .ntag424: return try await card(profile, uid, message, isCopy)
        case .desfire: return try await desfire(profile, uid, isCopy)
        case .ultralightAES, .ultralightC:
            throw Failure.impossible("virtual tags of profile \(name) are not supported: NTAG 424 DNA and DESFire are")
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

    /// A DESFire with an application of the profile: keys for changing, reading and writing, and the protected file.
    private func desfire(_ profile: TagProfile, _ uid: [UInt8], _ isCopy: Bool) async throws -> VirtualDESFireCard {
        var keys: [VirtualDESFireSetup.Key] = []
        for role in [TagProfile.Role.master, .tag, .write] {
            let key = try await key(role, profile, uid, isCopy)
            let bytes = key?.bytes ?? [UInt8](repeating: 0, count: TagKey.length)
            keys.append(VirtualDESFireSetup.Key(bytes, version: key?.version ?? 0))
        }
        let credential = Array(profile.name.utf8.prefix(23))
        let padding = [UInt8](repeating: 0, count: 23 - credential.count)
        var setup = VirtualDESFireSetup(
            application: profile.application.reversed(), keys: keys,
            content: [0x01, UInt8(credential.count)] + credential + padding + uid)
        setup.fileNumber = profile.fileNumber
        return try VirtualDESFireCard(
            product: profile.messaging == .ev2 ? .desfireEV2 : .desfireEV1, identifier: uid, setup: setup)
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
        if !isCopy, let master = profile.keys[.master].flatMap({ keys.versions(of: $0).first }) {
            for number in UInt8(0)..<5 where setup.keys[number] == nil {
                let key = try await profile.spareKey(number, of: uid, from: master.master)
                setup.keys[number] = .init(key.secret.withUnsafeBytes { Array($0) }, version: master.version)
            }
        }
        if profile.usesLRP { setup.configuration.append(VirtualNTAG424Setup.lrp) }
        if profile.expectsTamper, let key = profile.number(of: .tag) {
            setup.configuration.append(VirtualNTAG424Setup.tamper(key: key))
        }
        if let url = profile.url { try mirror(url, profile, &setup) }
        let link = profile.url == nil ? profile.uriHost.flatMap(Self.link) : nil
        return try VirtualNTAG424Card(setup, ndefMessage: message ?? link)
    }

    /// A message with the link that a profile asks for, as a URI record of `https://` (NFC Forum URI RTD, 3.2.2); nil if it is too long.
    private static func link(to host: String) -> [UInt8]? {
        let address = Array("\(host)/".utf8)
        return UInt8(exactly: address.count + 1).map { [0xD1, 0x01, $0, 0x55, 0x04] + address }
    }

    private func mirror(_ url: String, _ profile: TagProfile, _ setup: inout VirtualNTAG424Setup) throws {
        let template = try SUNTemplate(url, isLRP: profile.usesLRP)
        let rights = AccessRights(read: .free, write: .key(0), readWrite: .key(0), change: .key(0))
        setup.files[2] = template.file
        setup.settings[2] =
            FileSettings(
                content: .standard(size: 256), mode: .plain, rights: rights,
                sdm: template.settings(metaReadKey: 1, fileReadKey: 2)
            ).changeData
        setup.readCounter = nextCounter()
    }

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
