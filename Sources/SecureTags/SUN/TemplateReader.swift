/// Reads the text of a ``SUNTemplate``.
struct TemplateReader {
    private enum Brace { static let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}")) }

    private let text: [UInt8]
    private let isLRP: Bool
    private(set) var parts: [SUNTemplate.Part] = []
    private(set) var hasHiddenTamper = false
    private var markedInput: Int?

    init(text: [UInt8], isLRP: Bool) {
        self.text = text
        self.isLRP = isLRP
    }

    mutating func read() throws(SecureTagError) {
        var rest = text[...]
        while let byte = rest.first {
            if byte == Brace.open {
                guard let end = rest.firstIndex(of: Brace.close) else {
                    throw .invalidSettings("a placeholder of the template has no closing brace.")
                }
                try readPlaceholder(String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self))
                rest = rest[(end + 1)...]
            } else {
                let literal = rest.prefix { $0 != Brace.open }
                guard literal.allSatisfy({ 0x21...0x7E ~= $0 && $0 != Brace.close }) else {
                    throw .invalidSettings("the template has a character that a URL cannot have.")
                }
                parts.append(.text(Array(literal)))
                rest = rest.dropFirst(literal.count)
            }
        }
        try check()
    }

    private mutating func readPlaceholder(_ name: String) throws(SecureTagError) {
        switch name {
        case "uid": try append(.uid, 14)
        case "ctr": try append(.counter, 6)
        case "picc": try append(.piccData, isLRP ? 48 : 32)
        case "tt": try append(.tamper, 2)
        case "mac": try append(.code, 16)
        case "from":
            guard markedInput == nil else { throw .invalidSettings("{from} is in the template twice.") }
            markedInput = parts.count
        default: try readEncryptedData(name)
        }
    }

    private mutating func readEncryptedData(_ name: String) throws(SecureTagError) {
        let words = name.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count >= 2, words.count <= 3, words[0] == "enc", words.count == 2 || words[2] == "tt" else {
            throw .invalidSettings(
                "there is no placeholder {\(name)}. Use {mac} for the code (CMAC), {picc} for UID and counter, encrypted, or {uid} "
                    + "and {ctr} for both in clear; besides, there are {enc:N}, {tt} and {from}.")
        }
        guard let length = Int(words[1]), 32...512 ~= length, length.isMultiple(of: 32) else {
            throw .invalidSettings("the length of {enc:N} is not a multiple of 32 characters.")
        }
        hasHiddenTamper = words.count == 3
        try append(.encryptedData, length)
    }

    private mutating func append(_ field: SUNTemplate.Field, _ length: Int) throws(SecureTagError) {
        guard !parts.contains(where: { $0.isField(field) }) else {
            throw .invalidSettings("a placeholder is in the template twice.")
        }
        parts.append(.field(field, length: length))
    }

    private func index(of field: SUNTemplate.Field) -> Int? { parts.firstIndex { $0.isField(field) } }

    private func check() throws(SecureTagError) {
        guard let code = index(of: .code) else {
            throw .invalidSettings("the template has no {mac}: without it, nothing is proven.")
        }
        let (uid, counter, picc) = (index(of: .uid), index(of: .counter), index(of: .piccData))
        guard picc == nil || uid == nil && counter == nil else {
            throw .invalidSettings("{picc} has the UID and the counter: leave out {uid} and {ctr}.")
        }
        guard picc != nil || uid != nil && counter != nil else {
            throw .invalidSettings("the template needs {picc}, or both {uid} and {ctr}.")
        }
        for field in [SUNTemplate.Field.encryptedData, .tamper] {
            if let index = index(of: field), index > code {
                throw .invalidSettings("{enc:N} and {tt} prove something only before {mac}.")
            }
        }
        guard !hasHiddenTamper || index(of: .tamper) == nil else {
            throw .invalidSettings("the tamper status is in the template twice.")
        }
    }

    /// Takes the prefix off the first text. A mark before the text keeps it, since the code is over what the file has.
    mutating func takePrefix() -> WebPrefix {
        guard case .text(let bytes) = parts.first, markedInput != 0,
            let prefix = WebPrefix.allCases.first(where: { bytes.starts(with: Array($0.rawValue.utf8)) })
        else { return .none }
        parts[0] = .text(Array(bytes.dropFirst(prefix.rawValue.utf8.count)))
        return prefix
    }

    /// The first part of the code's input.
    func firstOfInput() throws(SecureTagError) -> Int {
        guard let code = index(of: .code) else { throw .invalidSettings("the template has no {mac}.") }
        let first = [index(of: .encryptedData), index(of: .tamper)].compactMap(\.self).min()
        guard let markedInput else { return first ?? code }
        guard markedInput <= (first ?? code) else {
            throw .invalidSettings("{from} is after {enc:N}, {tt} or {mac}, which the code has to cover or follow.")
        }
        return markedInput
    }
}
