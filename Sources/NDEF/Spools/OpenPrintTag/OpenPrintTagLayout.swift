/// The message of a tag that is prepared for OpenPrintTag, and has no data yet.
///
/// The payload takes all the room there is, so that nothing in front of it changes with the data.
public struct OpenPrintTagLayout: Sendable {
    /// The message: a URI record if there is one, and the OpenPrintTag record.
    public var message: NDEFMessage { message(with: record) }
    /// The OpenPrintTag record, without fields.
    public let record: OpenPrintTagRecord
    /// Where the payload of the record starts, counted from the container of four bytes in front of the message TLV.
    public let payloadOffset: Int
    /// The whole memory of a tag of Type 5: container, message TLV and terminator, byte by byte as the specification's own tool makes it. Nil
    /// for a layout that fills a message.
    public let image: [UInt8]?
    private let front: NDEFRecord?

    /// A layout for a tag of Type 5 with a container of four bytes.
    ///
    /// - Parameters:
    ///   - size: the bytes of the memory that are used, a multiple of 8 up to 2040.
    ///   - auxSize: the bytes that the aux region has at least; nil for none. 32 are advised.
    ///   - blockSize: the bytes of a block of the tag; aux starts at one.
    ///   - metaSize: the bytes of the meta region; nil for as many as it needs.
    ///   - uri: the URI of a record in front; nil for none.
    /// - Throws: ``NDEFPayloadError`` with code `OPT_LAYOUT` where the memory is too small or of a size that cannot be filled, or the code
    ///   of what is wrong with the URI.
    public init(
        size: Int, auxSize: Int? = 32, blockSize: Int = 4, metaSize: Int? = nil, uri: String? = nil
    ) throws(NDEFPayloadError) {
        guard (8...2040).contains(size), size.isMultiple(of: 8), blockSize > 0 else {
            throw .layout("\(counted(size, "byte")) of memory cannot be declared: give a multiple of 8 up to 2040")
        }
        // The container, the head of the TLV, and the terminator.
        let shortLength = size - 4 - 2 - 1
        let length = shortLength > Self.longestShort ? shortLength - 2 : shortLength
        try self.init(
            length: length, size: size, auxSize: auxSize, blockSize: blockSize, metaSize: metaSize,
            front: Self.front(uri))
    }

    /// A layout that fills a formatted tag of any type, as far as its regions may: each has at most 512 bytes. Aux starts at a block if the message TLV does, behind a container of whole blocks.
    ///
    /// - Parameters:
    ///   - capacity: the bytes of the longest message that fits.
    ///   - auxSize: as above.
    ///   - blockSize: as above.
    ///   - uri: as above.
    /// - Throws: ``NDEFPayloadError`` as above.
    public init(
        capacity: Int, auxSize: Int? = 32, blockSize: Int = 4, uri: String? = nil
    ) throws(NDEFPayloadError) {
        guard capacity > 8, blockSize > 0 else {
            throw .layout("\(counted(capacity, "byte")) are too few for a record")
        }
        let front = try Self.front(uri)
        let limit = min(capacity, 0x10000, Self.longestMessage(auxSize: auxSize, front) + 1)
        // Room for the terminator; a little less where no record has just that length.
        let lengths = (max(1, limit - 8)..<limit).reversed()
        let length = lengths.first { (try? Self.payloadSize(filling: $0, behind: front)) != nil } ?? limit - 1
        try self.init(
            length: length, size: nil, auxSize: auxSize, blockSize: blockSize, metaSize: nil, front: front)
    }

    /// - Parameters:
    ///   - length: the bytes of the message.
    ///   - size: those of the image; nil for none.
    private init(
        length: Int, size: Int?, auxSize: Int?, blockSize: Int, metaSize: Int?, front: NDEFRecord?
    ) throws(NDEFPayloadError) {
        let payloadSize = try Self.payloadSize(filling: length, behind: front)
        let isLong = length > Self.longestShort
        payloadOffset = 4 + (isLong ? 4 : 2) + length - payloadSize
        record = try Self.payload(
            size: payloadSize, auxSize: auxSize, blockSize: blockSize, metaSize: metaSize, at: payloadOffset)
        self.front = front
        let message = NDEFMessage(records: [front, NDEFRecord(record)].compactMap { $0 })
        let lengthBytes: [UInt8] =
            isLong ? [0xFF, UInt8(length >> 8), UInt8(truncatingIfNeeded: length)] : [UInt8(length)]
        image = size.map { size in
            [0xE1, 0x40, UInt8(size / 8), 0x01, 0x03] + lengthBytes + message.encodedUnchecked() + [0xFE]
        }
    }

    /// The message with another record in the place of the one without fields, of the same length.
    public func message(with record: OpenPrintTagRecord) -> NDEFMessage {
        NDEFMessage(records: [front, NDEFRecord(record)].compactMap { $0 })
    }

    /// The bytes of the longest message whose regions are as long as they may be: a section of meta has up to 5 bytes, and one of main 512.
    private static func longestMessage(auxSize: Int?, _ front: NDEFRecord?) -> Int {
        let payload = OpenPrintTagMap.maximumLength + (auxSize.map { 5 + $0 } ?? 1)
        return (front.map { NDEFMessage(records: [$0]).encodedLength } ?? 0) + 6
            + OpenPrintTagRecord.mediaType.utf8.count + payload
    }

    /// The longest message whose length has one byte in its TLV.
    private static let longestShort = 0xFE

    private static func front(_ uri: String?) throws(NDEFPayloadError) -> NDEFRecord? {
        guard let uri else { return nil }
        return try NDEFRecord.uri(uri)
    }

    /// The bytes of the payload with which the record is just so long.
    private static func payloadSize(filling length: Int, behind front: NDEFRecord?) throws(NDEFPayloadError) -> Int {
        let room = length - (front.map { NDEFMessage(records: [$0]).encodedLength } ?? 0)
        let short = room - 3 - OpenPrintTagRecord.mediaType.utf8.count
        let size = short > 0xFF ? short - 3 : short
        guard short <= 0xFF || size > 0xFF else {
            throw .layout("no record fills this memory exactly: give 8 bytes more or less, or another URI")
        }
        // The specification's tool expects that much of a meta section.
        guard size > 8 else { throw .layout("the memory is too small for a payload") }
        return size
    }

    private static func payload(
        size: Int, auxSize: Int?, blockSize: Int, metaSize: Int?, at start: Int
    ) throws(NDEFPayloadError) -> OpenPrintTagRecord {
        guard (5...size).contains(auxSize ?? 5), (0...size).contains(metaSize ?? 0) else {
            throw .layout("the regions do not fit: aux needs 5 bytes or more, and all of them \(size) at most")
        }
        let auxOffset = auxSize.map { aux in size - aux - (start + size - aux) % blockSize }
        let fields = [(UInt64(0), metaSize), (2, auxOffset)].compactMap { key, value in value.map { (key, $0) } }
        let meta = CBORWriter.map(fields.map { CBORWriter.unsigned($0) + CBORWriter.integer(Int64($1)) })
        let mainOffset = metaSize ?? meta.count
        let mainSize = (auxOffset ?? size) - mainOffset
        guard mainOffset >= meta.count, mainSize >= (auxOffset == nil ? 8 : 4) else {
            throw .layout("the regions do not fit: meta, main and aux need more room")
        }
        var bytes = [UInt8](repeating: 0, count: size)
        bytes.replaceSubrange(0..<meta.count, with: meta)
        for offset in [mainOffset, auxOffset].compactMap({ $0 }) { bytes[offset] = CBORWriter.emptyMap }
        return try OpenPrintTagRecord(payload: bytes)
    }
}

extension NDEFPayloadError.Code {
    /// A tag cannot be prepared for OpenPrintTag as asked for.
    public static let openPrintTagLayout = Self(rawValue: "OPT_LAYOUT")
}

extension NDEFPayloadError {
    fileprivate static func layout(_ reason: String) -> Self { Self(.openPrintTagLayout, reason) }
}
