/// The records of NDEF that make a tag one of a spool, as far as it takes to name them: their content is that of other modules.
enum SpoolRecord {
    /// TNF 2: the type is a media type (NFC Forum NDEF, 3.2.6).
    private static let mediaType: UInt8 = 2
    /// By media type, in words with an article.
    private static let names: [(type: String, name: String)] = [
        ("application/vnd.openprinttag", "an OpenPrintTag"), ("application/opentag3d", "an OpenTag3D"),
    ]
    /// A record of JSON is an OpenSpool if its field `protocol` says so.
    private static let openSpool = (type: "application/json", marks: ["\"protocol\"", "\"openspool\""])

    /// The first such record of a message, in words; nil if there is none.
    static func name(in message: [UInt8]) -> String? {
        var position = 0
        while let record = RecordExtent(message[position...]), record.size <= message.count - position {
            if let name = name(of: message[position..<position + record.size], record) { return name }
            position += record.size
        }
        return nil
    }

    private static func name(of bytes: ArraySlice<UInt8>, _ record: RecordExtent) -> String? {
        guard record.format == mediaType, let flags = bytes.first else { return nil }
        let start = bytes.startIndex + RecordExtent.size(flags: flags)
        let count = Int(bytes[bytes.startIndex + 1])
        let type = String(decoding: bytes[start..<start + count], as: UTF8.self).lowercased()
        if let name = names.first(where: { type == $0.type })?.name { return name }
        guard type == openSpool.type else { return nil }
        let text = String(decoding: bytes.suffix(record.payloadCount), as: UTF8.self).lowercased()
        return openSpool.marks.allSatisfy { text.contains($0) } ? "an OpenSpool" : nil
    }
}
