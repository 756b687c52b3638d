import NFCTypes

/// What a tag wrote into the URL of a template, cut out of it as text. Nothing of it is verified.
struct SUNParameters: Sendable, Equatable {
    private(set) var uid: [UInt8]?
    private(set) var counter: UInt32?
    private(set) var piccData: [UInt8]?
    private(set) var encryptedData: [UInt8]?
    private(set) var tamper: [UInt8]?
    private(set) var code: [UInt8] = []
    /// What the code is over, as the tag wrote it: upper case.
    private(set) var input: [UInt8] = []
    /// Whether the text is the template as it was written to the tag: nothing was mirrored.
    private(set) var isStatic = true

    /// Cuts a URL. Its lengths and its order are those of the template; nothing is decoded. Scheme and host may have any case, and so may
    /// hexadecimal digits; the rest is exact.
    ///
    /// - Parameter text: the whole URL, or what follows the host, as a server gets it.
    init?(_ text: String, template: SUNTemplate) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 2 * SUNTemplate.fileSize else { return nil }
        let hostEnd = template.hostEnd
        let whole = Array(template.prefix.rawValue.utf8)
        let isTarget = bytes.first == UInt8(ascii: "/")
        var cutter = Cutter(bytes: bytes, position: 0, caseless: isTarget ? 0 : hostEnd)
        guard isTarget || cutter.take(whole) else { return nil }
        var skipped = isTarget ? max(0, hostEnd - whole.count) : 0
        for (index, part) in template.parts.enumerated() {
            var part = part
            if case .text(let literal) = part, skipped > 0 {
                let count = min(skipped, literal.count)
                skipped -= count
                part = .text(Array(literal.dropFirst(count)))
                // What is left out in the target is part of the input nevertheless.
                if index >= template.firstOfInput { input += literal.prefix(count) }
            }
            guard take(part, &cutter, isInput: index >= template.firstOfInput && code.isEmpty) else { return nil }
        }
        guard cutter.isAtEnd else { return nil }
    }

    private mutating func take(_ part: SUNTemplate.Part, _ cutter: inout Cutter, isInput: Bool) -> Bool {
        switch part {
        case .text(let literal):
            if isInput { input += literal }
            return cutter.take(literal)
        case .field(.tamper, let length):
            guard let text = cutter.take(length) else { return false }
            if isInput { input += text }
            tamper = text
            if text != [UInt8(ascii: "0"), UInt8(ascii: "0")] { isStatic = false }
            return true
        case .field(let field, let length):
            guard let text = cutter.takeDigits(length), let bytes = [UInt8](digits: text) else { return false }
            if bytes.contains(where: { $0 != 0 }) { isStatic = false }
            if isInput, field != .code { input += text }
            set(field, bytes)
            return true
        }
    }

    private mutating func set(_ field: SUNTemplate.Field, _ bytes: [UInt8]) {
        switch field {
        case .uid: uid = bytes
        case .counter: counter = bytes.reduce(0) { $0 << 8 | UInt32($1) }
        case .piccData: piccData = bytes
        case .encryptedData: encryptedData = bytes
        case .code: code = bytes
        case .tamper: break
        }
    }
}

/// A position in a text.
private struct Cutter {
    let bytes: [UInt8]
    var position: Int
    /// Up to this position, case does not matter.
    let caseless: Int

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ count: Int) -> [UInt8]? {
        guard let part = bytes.part(position, count) else { return nil }
        position += count
        return part
    }

    /// Digits of either case, in upper case.
    mutating func takeDigits(_ count: Int) -> [UInt8]? {
        guard let text = take(count)?.map(\.upperCase), text.allSatisfy(\.isHexDigit) else { return nil }
        return text
    }

    mutating func take(_ literal: [UInt8]) -> Bool {
        let start = position
        guard let text = take(literal.count) else { return false }
        return zip(text, literal).enumerated().allSatisfy { index, pair in
            pair.0 == pair.1 || start + index < caseless && pair.0.upperCase == pair.1.upperCase
        }
    }
}

extension SUNTemplate {
    /// Characters of the URL before its path: the scheme and the host. Placeholders before that are not expected.
    fileprivate var hostEnd: Int {
        guard case .text(let literal)? = parts.first else { return prefix.rawValue.utf8.count }
        let start = prefix.rawValue.utf8.count
        let text = Array(prefix.rawValue.utf8) + literal
        let colon = text.indices.first { text[$0...].starts(with: Array("://".utf8)) }
        let host = colon.map { $0 + 3 } ?? start
        let end = text[host...].firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        return end ?? text.count
    }
}

extension UInt8 {
    fileprivate var upperCase: UInt8 { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self ? self - 32 : self }

    fileprivate var isHexDigit: Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= self || UInt8(ascii: "A")...UInt8(ascii: "F") ~= self
    }
}

extension [UInt8] {
    /// The bytes of hexadecimal digits in ASCII; nil for anything else.
    fileprivate init?(digits: [UInt8]) { self.init(hexadecimal: String(decoding: digits, as: UTF8.self)) }
}
