import NFCTypes

/// A key in a token, as a file names it: `pkcs11:token=door;object=door-master` (RFC 7512, without the attributes of slots and libraries).
struct TokenURI: Sendable, Hashable, CustomStringConvertible {
    /// What a token is found by, under the names of the URI.
    enum Field: String, Sendable, CaseIterable {
        case token, manufacturer, model, serial
    }

    /// A key of a token: by its label, its identifier, or both.
    struct Object: Sendable, Hashable, CustomStringConvertible {
        /// CKA_LABEL; nil: any.
        var label: [UInt8]?
        /// CKA_ID; nil: any.
        var identifier: [UInt8]?

        var description: String {
            let name = label.map { "object \(String(decoding: $0, as: UTF8.self))" }
            let number = identifier.map { "id \(Hexadecimal.string($0))" }
            return [name, number].compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// The token.
    private(set) var token: [Field: [UInt8]] = [:]
    /// The key in it.
    private(set) var object = Object()
    /// The path of the module; nil if the URI has none.
    private(set) var module: String?
    /// The path of the file with the PIN; nil if the URI has none.
    private(set) var pinFile: String?

    /// For people: `token door, object door-master`.
    var description: String {
        let fields = Field.allCases.compactMap { field in
            token[field].map { "\(field.rawValue) \(String(decoding: $0, as: UTF8.self))" }
        }
        return (fields + ["\(object)"]).joined(separator: ", ")
    }

    /// - Throws: for a text that is not such a URI. The error has no value of it: one of them may be a PIN.
    init(_ text: String) throws(TokenError) {
        guard text.hasPrefix("pkcs11:") else {
            throw TokenError("expected a URI such as \"pkcs11:token=door;object=door-master\"")
        }
        let parts = text.dropFirst("pkcs11:".count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var seen: Set<String> = []
        for part in parts[0].split(separator: ";", omittingEmptySubsequences: true) {
            let (name, value) = try Self.attribute(part, &seen)
            try takePath(name, value)
        }
        for part in (parts.count > 1 ? parts[1] : "").split(separator: "&", omittingEmptySubsequences: true) {
            let (name, value) = try Self.attribute(part, &seen)
            try takeQuery(name, value)
        }
        guard token[.token] != nil || token[.serial] != nil else {
            throw TokenError("the URI names no token; add token= with its label, or serial=")
        }
        guard object != Object() else {
            throw TokenError("the URI names no key of the token; add object= with its label, or id=")
        }
    }

    private mutating func takePath(_ name: String, _ value: [UInt8]) throws(TokenError) {
        switch name {
        case "object": object.label = value
        case "id": object.identifier = value
        case "type":
            guard value == Array("secret-key".utf8) else {
                throw TokenError("only type=secret-key can make keys of tags")
            }
        default:
            guard let field = Field(rawValue: name) else {
                throw TokenError(
                    "\(Self.shown(name)) is not supported; there are token, manufacturer, model, serial, object, id and type"
                )
            }
            token[field] = value
        }
    }

    private mutating func takeQuery(_ name: String, _ value: [UInt8]) throws(TokenError) {
        switch name {
        case "module-path": module = try Self.path(value, name)
        case "pin-source":
            let prefix = Array("file:".utf8)
            let path = value.starts(with: prefix) ? Array(value.dropFirst(prefix.count)) : value
            pinFile = try Self.path(path.starts(with: Array("//".utf8)) ? Array(path.dropFirst(2)) : path, name)
        case "pin-value":
            throw TokenError("a PIN does not belong into the URI; put it into a file and use pin-source=file:/…")
        default:
            throw TokenError("\(Self.shown(name)) is not supported; there are module-path and pin-source")
        }
    }

    private static func path(_ value: [UInt8], _ name: String) throws(TokenError) -> String {
        guard value.first == UInt8(ascii: "/"), !value.contains(0), let path = String(validating: value, as: UTF8.self)
        else { throw TokenError("\(name) must be the path of a file, from /") }
        return path
    }

    private static func attribute(
        _ text: Substring, _ seen: inout Set<String>
    ) throws(TokenError) -> (name: String, value: [UInt8]) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw TokenError("expected attributes such as token=door, separated by ;")
        }
        let name = String(text[..<equals])
        guard seen.insert(name).inserted else { throw TokenError("\(shown(name)) is there twice") }
        guard let value = decoded(text[text.index(after: equals)...]), !value.isEmpty else {
            throw TokenError("\(shown(name)) has no value, or a % without two hexadecimal digits")
        }
        return (name, value)
    }

    /// Bytes with `%` and two digits for some; nil for anything else.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard byte > 0x20 else { return nil }
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let decoded = Hexadecimal.bytes(String(decoding: rest.prefix(2), as: UTF8.self))
            else { return nil }
            bytes += decoded
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// The name of an attribute, or what stands for one that may be a value.
    private static func shown(_ name: String) -> String {
        let isName = name.utf8.count <= 24 && name.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "-") }
        return isName ? name : "an attribute"
    }
}
