import NDEF

/// A message as text: each record with its position, flags, content and bytes; then the error, if any.
struct MessageReport {
    /// Whether long payloads and texts are shown in full.
    let isFull: Bool
    let put: (String) throws -> Void

    /// The maximum line width, except for lines that cannot be broken.
    static let width = 92
    private static let maximumDepth = 32
    private static let maximumChunks = 16

    /// The indentation and numbering of a message, which may be nested in a record of another message.
    private struct Level {
        var depth = 0
        /// The number of the enclosing record, followed by a dot.
        var prefix = ""
        /// The width of the column of labels.
        var labels = 12

        /// The indentation of headings, which is limited for deeply nested messages.
        var heading: Int { 3 * min(depth, 4) }
        var body: Int { heading + 3 }

        /// The width of the column of values.
        var values: Int { MessageReport.width - body - labels }

        func inside(_ number: String) -> Level { Level(depth: depth + 1, prefix: "\(number).") }
    }

    /// Prints a message. Returns false if it is invalid.
    func show(_ bytes: [UInt8]) throws -> Bool {
        let layout = MessageLayout(bytes)
        let state = layout.error == nil ? "" : ", invalid"
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
                try row("total", "\(part.pieces.count) chunks, payload \(length)", level)
            }
            try show(record, decoded, fields, number: number, level)
        } else {
            try row("error", "the message ends before the last chunk of this record", level)
        }
    }
}

// MARK: - Records

extension MessageReport {
    /// Prints the physical records of a record; only the first ones if there are many chunks.
    private func show(_ pieces: [PhysicalRecord], of bytes: [UInt8], _ level: Level) throws {
        let shown = isFull || pieces.count <= Self.maximumChunks + 1 ? pieces.count : Self.maximumChunks
        for piece in pieces.prefix(shown) {
            try row("at byte \(piece.offset)", description(of: piece, in: bytes), level)
        }
        if shown < pieces.count { try row("", "… \(pieces.count - shown) more chunks; --full shows them", level) }
    }

    private func title(_ record: NDEFRecord?, _ decoded: DecodedPayload?) -> String {
        guard let record, let decoded else { return "Incomplete" }
        if case .failed = decoded { return "Undecodable \(record.typeNameFormat) \(quoted(record.type))" }
        return record.description
    }

    private func description(of piece: PhysicalRecord, in bytes: [UInt8]) -> String {
        let header = piece.header
        var parts = [summary(of: header)]
        if !piece.type.isEmpty { parts.append("type \(quoted(Array(bytes[piece.type])))") }
        if header.flags.hasIdentifierLength { parts.append("id \(quoted(Array(bytes[piece.identifier])))") }
        parts.append("payload \(counted(piece.payload.count, "byte"))")
        return parts.joined(separator: " · ")
    }

    /// The flags and the type name format.
    private func summary(of header: RecordHeader) -> String {
        let flags = header.flags
        let names = [
            (flags.isMessageBegin, "MB"), (flags.isMessageEnd, "ME"), (flags.isChunk, "CF"),
            (flags.isShortRecord, "SR"), (flags.hasIdentifierLength, "IL"),
        ].filter(\.0).map(\.1)
        let format = flags.typeNameFormat
        return (names.isEmpty ? "no flags" : names.joined(separator: " ")) + " · TNF \(format.rawValue) \(format)"
    }

    /// A type or identifier: text in quotation marks, or hexadecimal if it is not UTF-8.
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
        if let message = record.nestedMessage, level.depth < Self.maximumDepth {
            let layout = MessageLayout(Array(message))
            let size = "\(counted(layout.parts.count, "record")), \(counted(message.count, "byte"))"
            try row("contains", "a message: \(size)", level)
            try show(layout, level.inside(number))
        } else if !record.payload.isEmpty {
            try row("payload", HexDump.lines(record.payload[...], isFull: isFull), level)
        }
    }

    private func show(_ fields: [(name: String, node: FieldNode)], of record: NDEFRecord, _ level: Level) throws {
        let digits = record.payload.hexadecimal
        for (name, node) in fields {
            // The payload itself is shown as a hex dump below.
            if case .text(digits) = node.shape, name == "data" { continue }
            let lines = FieldTable(isFull: isFull).lines(node, width: level.values)
            try row(FieldTable.label(name), lines, level)
        }
    }
}

// MARK: - Errors

extension MessageReport {
    private func show(_ error: NDEFError, in bytes: [UInt8], _ level: Level) throws {
        let offset = min(error.byteOffset ?? 0, bytes.count)
        try put("")
        try put(heading: "Error at byte \(offset): \(error.code.rawValue)", level)
        try row("error", error.message, level)
        if error.recordIndex != nil, let header = RecordHeader(bytes.span, at: offset) {
            let lengths =
                "type \(counted(header.typeLength, "byte")) · payload \(counted(header.payloadLength, "byte"))"
            try row("header", "\(summary(of: header)) · \(lengths)", level)
        }
        try row("rest", HexDump.lines(bytes[offset...], from: offset, isFull: isFull), level)
    }
}

// MARK: - Lines

extension MessageReport {
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
