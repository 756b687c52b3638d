import NDEF

/// The text in the payload of a record, for people: text of any kind, JSON and contacts.
struct RecordText {
    /// The most lines, and the most characters in a line, that are shown.
    private static let limits = (lines: 12, width: 160)

    private let record: NDEFRecord

    /// Returns nil if the payload is not text.
    init?(_ record: NDEFRecord) {
        guard record.typeNameFormat == .media, Self.isText(record.typeString) else { return nil }
        self.record = record
    }

    /// The text without what could drive a terminal, and what is left out.
    ///
    /// - Parameter number: the number of the record.
    func lines(number: Int) -> [String] {
        guard let text = String(validating: record.payload, as: UTF8.self) else {
            return ["not UTF-8; save it with --record \(number) --output FILE"]
        }
        let all = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        let lines = all.last?.isEmpty == true ? all.dropLast() : all[...]
        var isCut = lines.count > Self.limits.lines
        let shown = lines.prefix(Self.limits.lines).map { line in
            // A character may be made of any number of scalars.
            let start = String(String.UnicodeScalarView(line.unicodeScalars.prefix(Self.limits.width)))
            if start.unicodeScalars.count < line.unicodeScalars.count { isCut = true }
            return start.printable
        }
        return shown + (isCut ? ["… save all of it with --record \(number) --output FILE"] : [])
    }

    /// `text/*`, JSON and forms based on it, and the older names of vCard; without parameters.
    private static func isText(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        return name.hasPrefix("text/") || name == "application/json" || name.hasSuffix("+json")
            || name == "application/vcard"
    }
}
