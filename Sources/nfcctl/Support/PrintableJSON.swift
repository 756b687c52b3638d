import FoundationEssentials
import NDEF
import NFCProtocol
import NFCTypes

extension JSONLine {
    /// A value as one line of JSON that a terminal shows as it is.
    ///
    /// Names of readers and programs and the texts of tags are of others. JSON escapes only the controls below U+0020; those that are
    /// left, C1 and DEL among them, control terminals as well, and bidirectional ones make a line look like another. They occur
    /// in strings alone, where `\\u` and four digits are the same character.
    static func printable(_ value: some Encodable) throws -> Data {
        let line = try encode(value)
        // Everything that is escaped here is DEL or has several bytes.
        guard line.contains(where: { $0 >= 0x7F }) else { return line }
        var result = ""
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            guard scalar.value >= 0x7F, scalar.isUnprintable else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return Data(result.utf8)
    }
}

extension String {
    /// The text of metrics with replacement characters for those that control a terminal: its format has no escapes for them.
    var printableMetrics: String {
        let scalars = unicodeScalars.map { scalar in scalar != "\n" && scalar.isUnprintable ? "\u{FFFD}" : scalar }
        return String(String.UnicodeScalarView(scalars))
    }
}
