import Cryptography
import SecureTags

/// The bytes of a key file, in memory for secrets, and its text without the keys: each is replaced by its number with as many digits.
///
/// So no key is in a `String`, and a place in the text is the same place in the file.
struct KeyText {
    /// The file as it is.
    let bytes: SecretBytes
    /// The file with numbers in the place of keys.
    let redacted: [UInt8]
    /// The digits of the keys, by their numbers.
    private let places: [Range<Int>]

    /// The least digits that are taken for a key: half of a DES key is never written alone.
    static let fewestDigits = 16
    private static let word = Array("value".utf8)

    init(_ bytes: SecretBytes) {
        self.bytes = bytes
        let (text, places) = bytes.withUnsafeBytes { Self.redact($0) }
        (redacted, self.places) = (text, places)
    }

    private static func redact(_ bytes: UnsafeRawBufferPointer) -> (text: [UInt8], places: [Range<Int>]) {
        var text = [UInt8](unsafeUninitializedCapacity: bytes.count) { _, count in count = 0 }
        var places: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
            redact(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: start, &text, &places)
            hidePINs(in: start..<end, of: &text)
            start = end
        }
        return (text, places)
    }

    /// Copies a line; behind the word `value`, long runs of digits become numbers, also in a comment.
    private static func redact(
        _ line: UnsafeRawBufferPointer, at start: Int, _ text: inout [UInt8], _ places: inout [Range<Int>]
    ) {
        var position = end(ofWordIn: line) ?? line.count
        text.append(contentsOf: line[..<position])
        while position < line.count {
            let run = line[position...].prefix { $0.isHexadecimal }.count
            if run < fewestDigits {
                text.append(contentsOf: line[position..<position + max(run, 1)])
                position += max(run, 1)
            } else {
                let digits = Array(String(places.count).utf8)
                text += [UInt8](repeating: UInt8(ascii: "0"), count: run - digits.count) + digits
                places.append(start + position..<start + position + run)
                position += run
            }
        }
    }

    /// Overwrites what follows `pin =` and `pin-value=`: no PIN belongs into the file, and it is not repeated in an error.
    private static func hidePINs(in line: Range<Int>, of text: inout [UInt8]) {
        let isFiller: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0.isQuote }
        for word in [Array("pin".utf8), Array("pin-value".utf8)] {
            for start in line where text[start..<line.upperBound].starts(with: word) {
                var rest = text[(start + word.count)..<line.upperBound].drop(while: isFiller)
                guard rest.popFirst() == UInt8(ascii: "=") else { continue }
                let value = rest.drop(while: isFiller).prefix { !$0.isQuote && $0 != UInt8(ascii: "\n") }
                for index in value.indices { text[index] = UInt8(ascii: "0") }
            }
        }
    }

    private static func end(ofWordIn line: UnsafeRawBufferPointer) -> Int? {
        guard line.count >= word.count else { return nil }
        return (0...line.count - word.count).first { start in
            line[start..<start + word.count].elementsEqual(word)
        }.map { $0 + word.count }
    }

    /// The key that a text of the redacted file stands for; nil if it is not the number of a key of 16 bytes.
    func key(_ number: String) -> TagKey? {
        guard let index = Int(number), places.indices.contains(index), number.utf8.count == places[index].count,
            places[index].count == 2 * TagKey.length
        else { return nil }
        return TagKey(digits: bytes.slice(places[index]))
    }
}

extension UInt8 {
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }

    fileprivate var isHexadecimal: Bool { hexadecimalValue != nil }

    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension TagKey {
    /// The key of hexadecimal digits that are in memory for secrets; nil for other bytes.
    init?(digits: SecretBytes) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var isValid = true
        let bytes = SecretBytes(count: digits.count / 2) { memory in
            for index in memory.indices {
                guard let high = digits[2 * index]?.hexadecimalValue, let low = digits[2 * index + 1]?.hexadecimalValue
                else { return isValid = false }
                memory[index] = high << 4 | low
            }
        }
        guard isValid else { return nil }
        self.init(bytes)
    }
}
