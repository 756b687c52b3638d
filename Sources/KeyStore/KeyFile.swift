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
        /// In words, such as `the file`, or `credential door-1`.
        package let place: String
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
    /// - Throws: `ConfigurationError` with file, line and key; never with a value.
    package init(file: String, isCredential: Bool = false, credentials: String? = nil) throws(ConfigurationError) {
        try self.init(
            KeyText(SecretFile.read(file, isCredential: isCredential)), file: file, credentials: credentials)
    }

    /// The keys and profiles of a text.
    package init(bytes: SecretBytes, file: String, credentials: String? = nil) throws(ConfigurationError) {
        try self.init(KeyText(bytes), file: file, credentials: credentials)
    }

    init(_ text: KeyText, file: String, credentials: String?) throws(ConfigurationError) {
        guard let words = String(validating: text.redacted, as: UTF8.self) else {
            throw ConfigurationError(file: file, "is not UTF-8")
        }
        var source = try ConfigurationSource(text: words, file: file)
        var entries: [KeyRing.Entry] = []
        var origins: [Origin] = []
        for table in try source.tables("key") {
            let (entry, place) = try Self.key(table, &source, text, file: file, credentials)
            guard !entries.contains(where: { $0.name == entry.name && $0.version == entry.version }) else {
                throw source.wrong("\(table).version", "key \(entry.name) has version \(entry.version) twice")
            }
            entries.append(entry)
            origins.append(Origin(name: entry.name, version: entry.version, place: place))
        }
        ring = KeyRing(entries)
        self.origins = origins
        var profiles: [TagProfile] = []
        for table in try source.tables("profile") {
            let profile = try TagProfile(table, of: &source, ring)
            guard !profiles.contains(where: { $0.name == profile.name }) else {
                throw source.wrong("\(table).name", "there are two profiles \(profile.name)")
            }
            profiles.append(profile)
        }
        self.profiles = profiles
        try source.refuseRest(sections: ["key", "profile"])
        try check(source)
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

    // MARK: Keys

    private static func key(
        _ table: String, _ source: inout ConfigurationSource, _ text: KeyText, file: String, _ credentials: String?
    ) throws(ConfigurationError) -> (KeyRing.Entry, place: String) {
        let name = try source.keyName("\(table).name", in: table)
        let version = try source.integer("\(table).version", 1...255) ?? 1
        let state = try source.choice("\(table).state", KeyRing.State.self) ?? .current
        let (key, place) = try key(table, &source, text, credentials)
        return (KeyRing.Entry(name: name, version: UInt8(version), state: state, master: key), place)
    }

    private static func key(
        _ table: String, _ source: inout ConfigurationSource, _ text: KeyText, _ credentials: String?
    ) throws(ConfigurationError) -> (TagKey, place: String) {
        let (valueKey, fileKey, credentialKey) = ("\(table).value", "\(table).file", "\(table).credential")
        let value = try source.string(valueKey)
        let file = try source.string(fileKey)
        let credential = try source.string(credentialKey)
        switch (value, file, credential) {
        case (let value?, nil, nil):
            guard let key = text.key(value) else {
                throw source.wrong(valueKey, "expected 32 hexadecimal digits; nfcctl keys generate makes a key")
            }
            return (key, "the file")
        case (nil, let file?, nil):
            guard file.hasPrefix("/") else { throw source.wrong(fileKey, "expected the path of a file, from /") }
            return (try content(of: file, isCredential: false, source, fileKey), "file \(file)")
        case (nil, nil, let credential?):
            guard let credentials else {
                throw source.wrong(
                    credentialKey, "systemd passed no credentials; add LoadCredential=\(credential) to the unit")
            }
            guard !credential.contains("/") else { throw source.wrong(credentialKey, "expected a name without /") }
            let path = "\(credentials)/\(credential)"
            return (try content(of: path, isCredential: true, source, credentialKey), "credential \(credential)")
        default:
            throw source.wrong(table, "expected one of value, file and credential")
        }
    }

    /// A key of 16 bytes, or of 32 digits with or without an end of the line.
    private static func content(
        of file: String, isCredential: Bool, _ source: ConfigurationSource, _ place: String
    ) throws(ConfigurationError) -> TagKey {
        let bytes: SecretBytes
        do throws(ConfigurationError) {
            bytes = try SecretFile.read(file, isCredential: isCredential)
        } catch { throw source.wrong(place, error.description) }
        var count = bytes.count
        if count == 33, bytes[32] == UInt8(ascii: "\n") { count = 32 }
        let key = count == TagKey.length ? TagKey(bytes) : TagKey(digits: bytes.slice(0..<count))
        guard let key, key.secret.count == TagKey.length else {
            throw source.wrong(place, "\(file) has \(bytes.count) bytes; a key has 16, or 32 hexadecimal digits")
        }
        return key
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

extension UInt8 {
    fileprivate var isNameCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }
}
