import ArgumentParser
import CommandSupport
import NDEF

/// An encoding of a text file.
enum TextEncoding: String, CaseIterable, Sendable {
    case utf8 = "utf-8"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"
    case windows1252 = "windows-1252"
    case latin1 = "iso-8859-1"

    /// The names of the encodings that a table without a byte order mark has to declare.
    static let declared = "windows-1252, iso-8859-1, utf-16le or utf-16be"

    /// The encoding that `--encoding` declares for a table; nil for a name that it does not know, and for UTF-8, which needs
    /// none.
    init?(ofTable name: String) {
        switch name.lowercased() {
        case "windows-1252", "cp1252": self = .windows1252
        case "iso-8859-1", "latin1": self = .latin1
        case "utf-16le": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        default: return nil
        }
    }

    /// The byte order mark.
    var mark: [UInt8] {
        switch self {
        case .utf8: [0xEF, 0xBB, 0xBF]
        case .utf16LittleEndian: [0xFF, 0xFE]
        case .utf16BigEndian: [0xFE, 0xFF]
        case .windows1252, .latin1: []
        }
    }

    /// The text in this encoding. A character that it does not have becomes `\u{…}`.
    func bytes(of text: String) -> [UInt8] {
        switch self {
        case .utf8: Array(text.utf8)
        case .utf16LittleEndian: text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        case .windows1252, .latin1:
            text.unicodeScalars.flatMap { scalar in
                byte(of: scalar).map { [$0] } ?? Array(#"\u{\#(String(scalar.value, radix: 16))}"#.utf8)
            }
        }
    }

    private func byte(of scalar: Unicode.Scalar) -> UInt8? {
        if self == .windows1252 {
            if let index = Self.windows.firstIndex(of: scalar.value) { return 0x80 + UInt8(index) }
            if (0x80..<0xA0).contains(scalar.value) { return nil }
        }
        return UInt8(exactly: scalar.value)
    }

    /// The character of a byte; nil if the encoding does not define it.
    fileprivate func scalar(of byte: UInt8) -> Unicode.Scalar? {
        guard self == .windows1252, (0x80..<0xA0).contains(byte) else { return Unicode.Scalar(byte) }
        let value = Self.windows[Int(byte) - 0x80]
        return value == 0 ? nil : Unicode.Scalar(value)
    }

    /// The characters 80 to 9F of windows-1252; 0 where it has none.
    private static let windows: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
        0x0178,
    ]
}

/// The text of a file, with how it was encoded. Bytes that are not text of the encoding are an error.
struct TextContent: Equatable {
    let text: String
    let encoding: TextEncoding
    /// Whether it began with a byte order mark.
    let hasMark: Bool

    /// Decodes a file. A byte order mark takes precedence over the declared encoding; without both, it is UTF-8.
    ///
    /// - Parameter declared: the encoding that the caller names.
    init(_ bytes: [UInt8], declared: TextEncoding? = nil) throws(TextError) {
        if let kind = Self.spreadsheet(bytes) {
            throw TextError(
                "it is \(kind), not text. Save it as CSV (in LibreOffice and Excel: Save As, CSV UTF-8) and use that file"
            )
        }
        let marked = [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian].first { bytes.starts(with: $0.mark) }
        encoding = marked ?? declared ?? .utf8
        hasMark = marked != nil
        let content = bytes.dropFirst(hasMark ? encoding.mark.count : 0)
        text = try Self.text(content, encoding, isDeclared: declared != nil || hasMark)
    }

    private static func text(
        _ bytes: ArraySlice<UInt8>, _ encoding: TextEncoding, isDeclared: Bool
    ) throws(TextError) -> String {
        let text: String
        switch encoding {
        case .utf8:
            if let offset = UTF8Text.firstInvalid(in: bytes) {
                throw TextError(
                    "byte 0x\(UTF8Text.hexadecimal(bytes[bytes.startIndex + offset])) is not UTF-8",
                    after: bytes.prefix(offset))
            }
            text = String(decoding: bytes, as: UTF8.self)
        case .utf16LittleEndian, .utf16BigEndian: text = try Self.utf16(bytes, encoding)
        case .windows1252, .latin1:
            var scalars = String.UnicodeScalarView()
            for index in bytes.indices {
                guard let scalar = encoding.scalar(of: bytes[index]) else {
                    throw TextError(
                        "byte 0x\(UTF8Text.hexadecimal(bytes[index])) is not \(encoding.rawValue)",
                        after: Array(String(scalars).utf8)[...])
                }
                scalars.append(scalar)
            }
            text = String(scalars)
        }
        if let index = text.utf8.firstIndex(of: 0) {
            let advice = "; if the file is UTF-16 without a byte order mark, declare utf-16le or utf-16be"
            throw TextError("a NUL character\(isDeclared ? "" : advice)", after: Array(text.utf8[..<index])[...])
        }
        return text
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, _ encoding: TextEncoding) throws(TextError) -> String {
        let start = bytes.startIndex
        let units = (0..<bytes.count / 2).map { unit -> UInt16 in
            let (first, second) = (UInt16(bytes[start + 2 * unit]), UInt16(bytes[start + 2 * unit + 1]))
            return encoding == .utf16BigEndian ? first << 8 | second : second << 8 | first
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw TextError("it has half of a surrogate pair, which is not UTF-16")
        }
        guard bytes.count.isMultiple(of: 2) else {
            throw TextError("it has an odd number of bytes, which is not UTF-16")
        }
        return text
    }

    /// What a file is that people take for a table.
    private static func spreadsheet(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            return "a spreadsheet or another ZIP file (.xlsx, .ods, .numbers)"
        }
        return bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) ? "a spreadsheet of an older kind (.xls)" : nil
    }
}

/// Why a file is not text.
struct TextError: Error, Equatable, CustomStringConvertible {
    let description: String
    /// Whether a byte is invalid, rather than the whole file.
    let hasPlace: Bool

    fileprivate init(_ description: String) {
        (self.description, hasPlace) = (description, false)
    }

    /// - Parameter text: the valid UTF-8 before the byte.
    fileprivate init(_ reason: String, after text: ArraySlice<UInt8>) {
        // CR, LF or CRLF ends a line. Bytes that begin a character count as columns.
        let ends = text.indices.filter { index in
            text[index] == 0x0A || text[index] == 0x0D && !(index + 1 < text.endIndex && text[index + 1] == 0x0A)
        }
        let column = text[(ends.last.map { $0 + 1 } ?? text.startIndex)...].count { $0 & 0xC0 != 0x80 } + 1
        (description, hasPlace) = ("line \(ends.count + 1), column \(column): \(reason)", true)
    }
}

extension InputFile {
    /// Reads the whole file as text.
    ///
    /// - Parameters:
    ///   - declared: the encoding that the caller names.
    ///   - advice: how to declare the encoding; nil if the file has to be UTF-8.
    /// - Throws: `ExitCode`, after printing the reason: 66 if the file cannot be read, 65 if it exceeds the limit or is not
    ///   text.
    func readText(limit: Int, declared: TextEncoding? = nil, advice: String? = nil) throws -> TextContent {
        try text(of: read(limit: limit), declared: declared, advice: advice)
    }

    /// The text of bytes that were read from this file.
    ///
    /// - Throws: `ExitCode` 65, after printing where it is not text.
    func text(of bytes: [UInt8], declared: TextEncoding? = nil, advice: String? = nil) throws -> TextContent {
        do throws(TextError) {
            return try TextContent(bytes, declared: declared)
        } catch {
            let fix = !error.hasPlace || declared != nil ? "" : ". \(advice ?? "Save the file as UTF-8.")"
            Terminal.error("nfcctl: \(name)\(error.hasPlace ? "," : ":") \(error)\(fix)")
            throw ExitCode.badData
        }
    }
}
