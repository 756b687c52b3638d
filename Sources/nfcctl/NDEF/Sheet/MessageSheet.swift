import NDEF

/// A message for people: each record with its place, its flags, what it says and its bytes; then what is wrong.
struct MessageSheet {
    /// Whether long payloads and texts are shown whole.
    let isFull: Bool
    let put: (String) throws -> Void

    /// No line but one that cannot be broken is longer.
    static let width = 92
    private static let deepestMessage = 32
    private static let mostChunks = 16

    /// Where on the sheet a message stands that may lie in a record of another.
    private struct Level {
        var depth = 0
        /// The number of the record that the message lies in, and a dot.
        var prefix = ""
        /// Columns for the labels of a record, and the space behind them.
        var labels = 12

        /// Deeper messages keep the numbers, but not the indentation.
        var heading: Int { 3 * min(depth, 4) }
        var body: Int { heading + 3 }

        /// What is left for values.
        var values: Int { MessageSheet.width - body - labels }

        func inside(_ number: String) -> Level { Level(depth: depth + 1, prefix: "\(number).") }
    }

    /// Shows a message; false where it is broken.
    func show(_ bytes: [UInt8]) throws -> Bool {
        let layout = MessageLayout(bytes)
        let state = layout.error == nil ? "" : ", broken"
        try put("NDEF message\(state): \(counted(layout.parts.count, "record")), \(counted(bytes.count, "byte"))")
        try show(layout, Level())
        return layout.error == nil
    }

    private func show(_ layout: MessageLayout, _ level: Level) throws {
        for (index, part) in layout.parts.enumerated() {
            try show(part, of: layout.bytes, number: "\(level.prefix)\(index + 1)", level)
        }
        if let error = layout.error { try show(error, in: layout.bytes, level) }
    }

    private func show(_ part: MessageLayout.Part, of bytes: [UInt8], number: String, _ level: Level) throws {
        var codes = part.warnings
        let decoded = part.record?.decode(warnings: &codes)
        let fields = try decoded?.content.map { try FieldNode($0).children } ?? []
        var level = level
        for field in fields { level.labels = max(level.labels, FieldTable.label(field.name).count + 2) }
        try put("")
        try put(heading: "\(number)  \(title(part.record, decoded))", level)
        try show(part.pieces, of: bytes, level)
        for code in codes { try row("warning", "\(code.sentence) (\(code.rawValue))", level) }
        if let record = part.record, let decoded {
            if part.pieces.count > 1 {
                let length = counted(record.payload.count, "byte")
                try row("together", "\(part.pieces.count) chunks, payload \(length)", level)
            }
            try show(record, decoded, fields, number: number, level)
        } else {
            try row("error", "the message breaks off before the last chunk of this record", level)
        }
    }
}

// MARK: - Records

extension MessageSheet {
    /// The physical records of one record; of very many chunks the first.
    private func show(_ pieces: [PhysicalRecord], of bytes: [UInt8], _ level: Level) throws {
        let shown = isFull || pieces.count <= Self.mostChunks + 1 ? pieces.count : Self.mostChunks
        for piece in pieces.prefix(shown) { try row("at byte \(piece.offset)", words(of: piece, in: bytes), level) }
        if shown < pieces.count { try row("", "… \(pieces.count - shown) more chunks; --full shows them", level) }
    }

    private func title(_ record: NDEFRecord?, _ decoded: DecodedPayload?) -> String {
        guard let record, let decoded else { return "Incomplete" }
        if case .failed = decoded { return "Undecodable \(record.typeNameFormat) \(quoted(record.type))" }
        return record.description
    }

    private func words(of piece: PhysicalRecord, in bytes: [UInt8]) -> String {
        let header = piece.header
        var words = [summary(of: header)]
        if !piece.type.isEmpty { words.append("type \(quoted(Array(bytes[piece.type])))") }
        if header.flags.hasIdentifierLength { words.append("id \(quoted(Array(bytes[piece.identifier])))") }
        words.append("payload \(counted(piece.payload.count, "byte"))")
        return words.joined(separator: " · ")
    }

    /// Flags and type name format.
    private func summary(of header: RecordHeader) -> String {
        let flags = header.flags
        let names = [
            (flags.isMessageBegin, "MB"), (flags.isMessageEnd, "ME"), (flags.isChunk, "CF"),
            (flags.isShortRecord, "SR"), (flags.hasIdentifierLength, "IL"),
        ].filter(\.0).map(\.1)
        let format = flags.typeNameFormat
        return (names.isEmpty ? "no flags" : names.joined(separator: " ")) + " · TNF \(format.rawValue) \(format)"
    }

    /// A type or identifier: text in quotation marks, or hexadecimal where it is none.
    private func quoted(_ bytes: [UInt8]) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { return bytes.hexadecimal }
        return "\"\(text.escaped)\""
    }

    private func show(
        _ record: NDEFRecord, _ decoded: DecodedPayload, _ fields: [(name: String, node: FieldNode)], number: String,
        _ level: Level
    ) throws {
        if case .failed(let error) = decoded {
            try row("error", "\(error.message.escaped) (\(error.code.rawValue))", level)
        }
        try show(fields, of: record, level)
        if let message = record.messageInside, level.depth < Self.deepestMessage {
            let layout = MessageLayout(Array(message))
            let size = "\(counted(layout.parts.count, "record")), \(counted(message.count, "byte"))"
            try row("inside", "a message: \(size)", level)
            try show(layout, level.inside(number))
        } else if !record.payload.isEmpty {
            try row("payload", Hexdump.lines(record.payload[...], isFull: isFull), level)
        }
    }

    private func show(_ fields: [(name: String, node: FieldNode)], of record: NDEFRecord, _ level: Level) throws {
        let digits = record.payload.hexadecimal
        for (name, node) in fields {
            // What is the payload as it is, the bytes below show.
            if case .text(digits) = node.shape, name == "data" { continue }
            let lines = FieldTable(isFull: isFull).lines(node, width: level.values)
            try row(FieldTable.label(name), lines, level)
        }
    }
}

// MARK: - Faults

extension MessageSheet {
    private func show(_ error: NDEFError, in bytes: [UInt8], _ level: Level) throws {
        let offset = min(error.byteOffset ?? 0, bytes.count)
        try put("")
        try put(heading: "Fault at byte \(offset): \(error.code.rawValue)", level)
        try row("error", error.message, level)
        if error.recordIndex != nil, let header = RecordHeader(bytes.span, at: offset) {
            let lengths =
                "type \(counted(header.typeLength, "byte")) · payload \(counted(header.payloadLength, "byte"))"
            try row("header", "\(summary(of: header)) · \(lengths)", level)
        }
        try row("rest", Hexdump.lines(bytes[offset...], from: offset, isFull: isFull), level)
    }
}

// MARK: - Lines

extension MessageSheet {
    private func put(heading: String, _ level: Level) throws {
        try put(String(repeating: " ", count: level.heading) + TextLines.cut(heading, to: Self.width - level.heading))
    }

    private func row(_ label: String, _ text: String, _ level: Level) throws {
        try row(label, TextLines.wrap(text, to: level.values), level)
    }

    private func row(_ label: String, _ lines: [String], _ level: Level) throws {
        let margin = String(repeating: " ", count: level.body)
        for line in FieldTable.beside("\(label)  ", columns: level.labels, lines) { try put(margin + line) }
    }
}

// MARK: - Bytes

/// Bytes for people: sixteen a line, with the offset in front and their ASCII characters behind.
enum Hexdump {
    static let bytesPerLine = 16

    /// The lines; of many only the first four and how much is missing, unless `isFull`.
    ///
    /// - Parameter offset: the number of the first byte.
    static func lines(_ bytes: ArraySlice<UInt8>, from offset: Int = 0, isFull: Bool) -> [String] {
        // A note in place of a single line would save nothing.
        let shown = isFull || bytes.count <= 5 * bytesPerLine ? bytes : bytes.prefix(4 * bytesPerLine)
        let digits = String(offset + bytes.count, radix: 16).count
        var lines = stride(from: 0, to: shown.count, by: bytesPerLine).map { start in
            let line = shown.dropFirst(start).prefix(bytesPerLine)
            return "\(number(offset + start, digits: max(4, digits)))  \(columns(line)) \(characters(line))"
        }
        if shown.count < bytes.count { lines.append("… \(bytes.count - shown.count) more bytes; --full shows them") }
        return lines
    }

    private static func columns(_ line: ArraySlice<UInt8>) -> String {
        var text = ""
        for (index, byte) in line.enumerated() {
            text += index == bytesPerLine / 2 ? " " : ""
            text += "\(number(Int(byte), digits: 2)) "
        }
        return TextLines.pad(text, to: 3 * bytesPerLine + 1)
    }

    private static func characters(_ line: ArraySlice<UInt8>) -> String {
        String(decoding: line.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }

    private static func number(_ value: Int, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
