import Cryptography
import NFCTypes
package import SecureTags
package import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Adds keys to a key file and changes what their versions are used for. Everything else in the file, also comments, stays.
///
/// No key is in a `String`: the file is put together of parts of the old one and of new digits, in memory for secrets.
package struct KeyFileEditor {
    private static let beginning =
        "# Keys of tags. Only the owner of this file may read it; see nfcd's guide on keys.\n"

    private let path: String
    private var text: KeyText
    private var file: KeyFile

    /// Whether the folder of the file is made with it.
    private let makesFolder: Bool

    /// A file that exists, or a new one that is made with the first change.
    ///
    /// - Parameter makesFolder: whether a folder that is missing is made as well (0755): one that everyone may look into, as
    ///   packages make it. The file in it stays its owner's.
    /// - Throws: `ConfigurationError`, also for a file with errors.
    package init(file path: String, makesFolder: Bool = false) async throws(ConfigurationError) {
        (self.path, self.makesFolder) = (path, makesFolder)
        if access(path, F_OK) != 0, errno == ENOENT {
            text = KeyText(SecretBytes(Array(Self.beginning.utf8)))
        } else {
            text = KeyText(try SecretFile.read(path))
        }
        file = try await KeyFile(text, file: path, credentials: nil, .references)
    }

    /// The keys as they are now.
    package var ring: KeyRing { file.ring }

    /// Adds a random key with version 1.
    ///
    /// - Throws: `ConfigurationError` if there is a key of the name; nothing is changed then.
    package mutating func generate(_ name: String) async throws(ConfigurationError) {
        guard ring.versions(of: name).isEmpty else {
            throw ConfigurationError(
                file: path, "there is a key \(name) already; nfcctl keys rotate gives it a new version")
        }
        try await change(edits: [], adding: .init(name: name, version: 1, state: .current))
    }

    /// Gives a key a new version: the prepared one if there is one, else a random one. The one before becomes `previous`.
    ///
    /// - Parameter isPreparing: adds the new version as `next`, for machines that verify before any tag has it.
    /// - Returns: the version before and the new one.
    package mutating func rotate(
        _ name: String, isPreparing: Bool = false
    ) async throws(ConfigurationError) -> (old: UInt8, new: UInt8) {
        let versions = ring.versions(of: name)
        guard let current = versions.first(where: { $0.state == .current }) else { throw objection(toRotating: name) }
        let next = versions.first { $0.state == .next }
        if isPreparing {
            if let next {
                throw ConfigurationError(file: path, "version \(next.version) of key \(name) is prepared already")
            }
            let version = try newVersion(versions, after: current)
            try await change(edits: [], adding: .init(name: name, version: version, state: .next))
            return (current.version, version)
        }
        let old = try edits(of: name, current.version, to: .previous)
        if let next {
            try await change(edits: old + edits(of: name, next.version, to: .current), adding: nil)
            return (current.version, next.version)
        }
        let version = try newVersion(versions, after: current)
        try await change(edits: old, adding: .init(name: name, version: version, state: .current))
        return (current.version, version)
    }

    private func objection(toRotating name: String) -> ConfigurationError {
        guard ring.versions(of: name).isEmpty else {
            return ConfigurationError(file: path, "key \(name) has no current version; set state = \"current\" for one")
        }
        let names = Set(ring.entries.map(\.name)).sorted()
        let advice =
            name.nearest(among: names).map { "; did you mean \"\($0)\"?" }
            ?? (names.isEmpty ? "" : "; there are \(names.joined(separator: ", "))")
        return ConfigurationError(file: path, "there is no key \(name)\(advice)")
    }

    /// The number of a new version, whose key is made here.
    private func newVersion(
        _ versions: [KeyRing.Entry], after current: KeyRing.Entry
    ) throws(ConfigurationError) -> UInt8 {
        let version = try unusedVersion(versions, after: current.version)
        guard !current.master.isInToken else {
            throw ConfigurationError(
                file: path,
                "key \(current.name) is in a token, where only its own tools make keys: make one there with pkcs11-tool --keygen, add a"
                    + " [[key]] for it with version = \(version) and state = \"next\", and run nfcctl keys rotate again"
            )
        }
        return version
    }

    private func unusedVersion(_ versions: [KeyRing.Entry], after version: UInt8) throws(ConfigurationError) -> UInt8 {
        let used = Set(versions.map(\.version))
        let candidates = Array(version...255).dropFirst() + Array(1..<version)
        guard let free = candidates.first(where: { !used.contains($0) }) else {
            throw ConfigurationError(file: path, "all 255 versions of the key are in the file; remove old ones")
        }
        return free
    }

    // MARK: Changes of the text

    private struct NewKey {
        let name: String
        let version: UInt8
        let state: KeyRing.State
    }

    private struct Edit {
        let range: Range<Int>
        let replacement: String
    }

    /// What changes the state of a version, in the lines of its table.
    private func edits(
        of name: String, _ version: UInt8, to state: KeyRing.State
    ) throws(ConfigurationError) -> [Edit] {
        guard let index = ring.entries.firstIndex(where: { $0.name == name && $0.version == version }) else {
            return []
        }
        let lines = Line.all(in: text.redacted)
        let headers = lines.indices.filter { lines[$0].text.hasPrefix("[[key]]") }
        guard headers.indices.contains(index) else {
            throw ConfigurationError(file: path, "its keys are not tables [[key]]; write them as such")
        }
        let start = headers[index]
        let end = lines[(start + 1)...].firstIndex { $0.text.hasPrefix("[") } ?? lines.endIndex
        let place = "state = \"\(state.rawValue)\"\n"
        let known = lines[start..<end].first { $0.key == "state" }
        if let known { return [Edit(range: known.range, replacement: place)] }
        let after = lines[start].range.upperBound
        return [Edit(range: after..<after, replacement: place)]
    }

    private mutating func change(edits: [Edit], adding key: NewKey?) async throws(ConfigurationError) {
        var parts: [SecretBytes] = []
        var position = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            parts.append(text.bytes.slice(position..<edit.range.lowerBound))
            parts.append(SecretBytes(Array(edit.replacement.utf8)))
            position = edit.range.upperBound
        }
        parts.append(text.bytes.slice(position..<text.bytes.count))
        if let key { parts += table(of: key) }
        let changed = KeyText(parts.reduce(SecretBytes([])) { SecretBytes(joining: $0, $1) })
        // What is written is read first.
        let checked = try await KeyFile(changed, file: path, credentials: nil, .references)
        if makesFolder { try SecretFile.makeFolder(of: path) }
        try SecretFile.write([changed.bytes], to: path)
        (text, file) = (changed, checked)
    }

    private func table(of key: NewKey) -> [SecretBytes] {
        let isEnded = text.redacted.last.map { $0 == UInt8(ascii: "\n") } ?? true
        let start =
            (isEnded ? "" : "\n")
            + "\n[[key]]\nname = \"\(key.name)\"\nversion = \(key.version)\nstate = \"\(key.state.rawValue)\"\nvalue = \""
        let secret = SecretBytes(randomCount: TagKey.length)
        return [SecretBytes(Array(start.utf8)), secret.hexadecimalDigits, SecretBytes(Array("\"\n".utf8))]
    }
}

/// A line of a file, with its place.
private struct Line {
    let range: Range<Int>
    /// Without spaces at both ends.
    let text: String

    /// What precedes `=`.
    var key: String { String(text.prefix { $0 != "=" && $0 != " " && $0 != "\t" }) }

    static func all(in bytes: [UInt8]) -> [Line] {
        var (lines, start) = ([Line](), 0)
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
            let words = String(decoding: bytes[start..<end], as: UTF8.self)
            let text = words.drop { $0.isWhitespace }
            lines.append(Line(range: start..<end, text: String(text.prefix { !$0.isNewline })))
            start = end
        }
        return lines
    }
}

extension SecretBytes {
    /// Its bytes as hexadecimal digits, in memory for secrets.
    fileprivate var hexadecimalDigits: SecretBytes {
        SecretBytes(count: 2 * count) { memory in
            for index in 0..<count {
                let byte = self[index] ?? 0
                for (place, digit) in [byte >> 4, byte & 15].enumerated() {
                    memory[2 * index + place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
                }
            }
        }
    }
}
