/// Reads plain JSON (RFC 8259): objects in one another two deep, ASCII without escapes, whole numbers. Anything else is nil.
struct PlainScanner {
    /// More members would make looking them up slow.
    private static let mostMembers = 16

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The object that is all there is.
    static func object(_ bytes: [UInt8]) -> PlainObject? {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = PlainScanner(bytes)
            guard let object = scanner.object(depth: 0) else { return nil }
            scanner.skipBlanks()
            return scanner.next == nil ? object : nil
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func object(depth: Int) -> PlainObject? {
        guard depth < 2, take(UInt8(ascii: "{")) else { return nil }
        var object = PlainObject()
        if take(UInt8(ascii: "}")) { return object }
        for _ in 0..<Self.mostMembers {
            guard let name = text(), take(UInt8(ascii: ":")), let value = value(depth: depth + 1),
                object.add(name, value)
            else { return nil }
            if take(UInt8(ascii: "}")) { return object }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    private mutating func value(depth: Int) -> PlainValue? {
        skipBlanks()
        switch next {
        case UInt8(ascii: "\""): return text().map(PlainValue.text)
        case UInt8(ascii: "{"): return object(depth: depth).map(PlainValue.object)
        case UInt8(ascii: "t"): return take("true") ? .truth(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .truth(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number().map(PlainValue.number)
        }
    }

    private mutating func text() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        guard next != nil else { return nil }
        defer { position += 1 }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }

    /// No fraction, no exponent, no "-0": only what comes back as it was written.
    private mutating func number() -> Int64? {
        let isNegative = take(UInt8(ascii: "-"))
        let start = position
        var value: Int64 = 0
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), position - start < 15 {
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            position += 1
        }
        let length = position - start
        guard length > 0, length == 1 || bytes[start] != UInt8(ascii: "0"), !(isNegative && value == 0) else {
            return nil
        }
        return isNegative ? -value : value
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, "\(word)".utf8.elementsEqual(bytes[position..<end]) else { return false }
        position = end
        return true
    }

    /// Passes over a character and the blanks before it.
    private mutating func take(_ character: UInt8) -> Bool {
        skipBlanks()
        guard next == character else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t") {
            position += 1
        }
    }
}
