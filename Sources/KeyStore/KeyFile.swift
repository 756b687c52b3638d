package import Cryptography
import NFCTypes
package import SecureTags
package import ServiceSupport

/// The keys and profiles of a site, as its file has them: `[[key]]` and `[[profile]]`.
package struct KeyFile: Sendable {
    /// Where a key comes from, for people.
    package struct Origin: Sendable, Hashable {
        /// The key, by name and version.
        package let name: String
        /// The version.
        package let version: UInt8
        /// In words, such as `the file`, `credential door-1`, or `token door, object door-master`.
        package let place: String
        /// Why the key itself was not read; nil if it was.
        package let unreadReason: String?
        /// Whether it is in a token, which makes its new versions.
        package let isInToken: Bool
    }

    /// What is read beside the file.
    package enum Extent: Sendable {
        /// All keys: what nfcd does when it starts. A PIN is not tried after a wrong one.
        case everything
        /// What a person at a terminal can have: all keys, except credentials that only a unit has. A PIN is tried also after a wrong one.
        case attended
        /// No credentials that only a unit has, and no tokens.
        case references
    }

    /// The keys.
    package let ring: KeyRing
    /// The profiles, in the order of the file.
    package let profiles: [TagProfile]
    /// Where the keys come from.
    package let origins: [Origin]

    /// Reads a file that only its owner can read.
    ///
    /// - Parameters:
    ///   - isCredential: whether systemd passed it.
    ///   - credentials: the folder of the credentials of the service; nil if there is none.
    ///   - extent: what is read beside the file.
    ///   - clock: the clock of the limits of calls to tokens.
    /// - Throws: `ConfigurationError` with file, line and key; never with a value.
    package init(
        file: String, isCredential: Bool = false, credentials: String? = nil, _ extent: Extent = .everything,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws(ConfigurationError) {
        let text = KeyText(try SecretFile.read(file, isCredential: isCredential))
        try await self.init(text, file: file, credentials: credentials, extent, clock: clock)
    }

    /// The keys and profiles of a text.
    package init(
        bytes: SecretBytes, file: String, credentials: String? = nil, _ extent: Extent = .everything
    ) async throws(ConfigurationError) {
        try await self.init(KeyText(bytes), file: file, credentials: credentials, extent)
    }

    init(
        _ text: KeyText, file: String, credentials: String?, _ extent: Extent,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws(ConfigurationError) {
        LibraryMemory.protect()
        guard let words = String(validating: text.redacted, as: UTF8.self) else {
            throw ConfigurationError(file: file, "is not UTF-8")
        }
        var source = try ConfigurationSource(text: words, file: file)
        var entries: [KeyRing.Entry] = []
        var origins: [Origin] = []
        var reader = try KeyReader(&source, text, credentials, extent, clock)
        for table in try source.tables("key") {
            let (entry, origin) = try await Self.key(table, &source, &reader)
            guard !entries.contains(where: { $0.name == entry.name && $0.version == entry.version }) else {
                throw source.wrong("\(table).version", "key \(entry.name) has version \(entry.version) twice")
            }
            entries.append(entry)
            origins.append(origin)
        }
        ring = KeyRing(entries)
        self.origins = origins
        var profiles: [TagProfile] = []
        for table in try source.tables("profile") {
            let profile = try TagProfile(table, of: &source, ring)
            try profile.checkTokens(table, source, ring)
            guard !profiles.contains(where: { $0.name == profile.name }) else {
                throw source.wrong("\(table).name", "there are two profiles \(profile.name)")
            }
            profiles.append(profile)
        }
        self.profiles = profiles
        try source.refuseRest(sections: ["key", "profile", "pkcs11"])
        try check(source)
    }

    private static func key(
        _ table: String, _ source: inout ConfigurationSource, _ reader: inout KeyReader
    ) async throws(ConfigurationError) -> (KeyRing.Entry, Origin) {
        let name = try source.keyName("\(table).name", in: table)
        let version = UInt8(try source.integer("\(table).version", 1...255) ?? 1)
        let state = try source.choice("\(table).state", KeyRing.State.self) ?? .current
        let (key, place) = try await reader.key(table, &source)
        let origin = Origin(
            name: name, version: version, place: place, unreadReason: (key as? UnreadKey)?.reason,
            isInToken: key.isInToken)
        return (KeyRing.Entry(name: name, version: version, state: state, master: key), origin)
    }

    private func check(_ source: ConfigurationSource) throws(ConfigurationError) {
        for (index, entry) in ring.entries.enumerated() where entry.state == .current {
            let others = ring.entries[..<index].contains { $0.name == entry.name && $0.state == .current }
            guard !others else {
                throw source.wrong(
                    "key[\(index)].state",
                    "key \(entry.name) has two current versions; set one to \"previous\" or \"next\"")
            }
        }
    }
}

extension ConfigurationSource {
    /// The name of a key or a profile: it is shown in lists, taps and logs.
    mutating func keyName(_ key: String, in table: String) throws(ConfigurationError) -> String {
        guard let name = try string(key) else { throw missing("name", in: table) }
        guard name.utf8.count <= 64, name.utf8.allSatisfy({ $0.isNameCharacter }) else {
            throw wrong(key, "expected at most 64 letters, digits, and - _ .")
        }
        return name
    }

    /// Hexadecimal digits as bytes.
    mutating func bytes(_ key: String, _ count: ClosedRange<Int>) throws(ConfigurationError) -> [UInt8]? {
        guard let text = try string(key) else { return nil }
        guard let bytes = Hexadecimal.bytes(text), count.contains(bytes.count) else {
            let limits =
                count.lowerBound == count.upperBound
                ? "\(2 * count.lowerBound)" : "\(2 * count.lowerBound) to \(2 * count.upperBound)"
            throw wrong(key, "expected \(limits) hexadecimal digits")
        }
        return bytes
    }
}

extension MasterKey {
    /// Whether it is in a token.
    var isInToken: Bool { self is TokenKey || (self as? UnreadKey)?.isInToken == true }
}

extension UInt8 {
    fileprivate var isNameCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }
}
