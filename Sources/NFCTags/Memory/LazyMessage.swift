import ISO7816

/// The message on a tag, of which no more is read than is needed.
struct LazyMessage<Reader: BlockReader> {
    /// The memory that it is in.
    private(set) var memory: LazyMemory<Reader>
    /// Where its bytes are, in bytes from the start of memory.
    private let pieces: [Range<Int>]
    /// Its length in bytes.
    let count: Int
    /// Whether the memory was read by an operation before.
    private let isFromBefore: Bool

    init(memory: LazyMemory<Reader>, pieces: [Range<Int>], isFromBefore: Bool = false) {
        (self.memory, self.pieces, self.isFromBefore) = (memory, pieces, isFromBefore)
        count = pieces.reduce(0) { $0 + $1.count }
    }

    /// Where a range of the message is in memory.
    func places(of range: Range<Int>) -> [Range<Int>] {
        var start = 0
        return pieces.compactMap { piece in
            defer { start += piece.count }
            let part = range.clamped(to: start..<start + piece.count)
            let shift = piece.lowerBound - start
            return part.isEmpty ? nil : part.lowerBound + shift..<part.upperBound + shift
        }
    }

    /// The bytes of a range.
    fileprivate mutating func bytes(_ range: Range<Int>) async throws(TagError) -> [UInt8] {
        let places = places(of: range)
        for place in places { try await memory.load(place) }
        return places.flatMap { memory.bytes($0) }
    }

    /// The bytes of a range as this operation reads them.
    fileprivate mutating func currentBytes(_ range: Range<Int>) async throws(TagError) -> [UInt8] {
        if isFromBefore { for place in places(of: range) { memory.forget(place) } }
        return try await bytes(range)
    }
}

extension RecordUpdate {
    /// Finds the bytes to be changed in the message of a tag, and makes sure that they are what they have to be.
    ///
    /// It walks over the headers of the records, and reads nothing else than the bytes in question.
    /// - Returns: where they are, in bytes from the start of the message.
    /// - Throws: ``TagError`` 403 if there is no message, 401 where the tag has another content, 1 for a record in chunks, 102 where
    ///   the message is damaged.
    func locate(in message: inout LazyMessage<some BlockReader>) async throws(TagError) -> Range<Int> {
        let payload = try await payload(in: &message)
        guard offset + old.count <= payload.count else {
            throw changed("the payload of record \(record) has \(payload.count) bytes, not \(offset + old.count)")
        }
        let range = payload.lowerBound + offset..<payload.lowerBound + offset + old.count
        let found = try await message.currentBytes(range)
        if let place = old.indices.first(where: { !found.indices.contains($0) || found[$0] != old[$0] }) {
            let byte = found.indices.contains(place) ? Hexadecimal.string(found[place]) : "missing"
            throw changed(
                "byte \(offset + place) of the payload of record \(record) is \(byte), not "
                    + Hexadecimal.string(old[place]))
        }
        return range
    }

    private func payload(in message: inout LazyMessage<some BlockReader>) async throws(TagError) -> Range<Int> {
        guard message.count > 0 else {
            throw TagError(.zeroLengthMessage, "the tag holds no message, so that there is no record to be changed")
        }
        var (position, number) = (0, 0)
        while true {
            let header = try await header(at: position, in: &message)
            guard header.isFirst == (number == 0), header.size <= message.count - position else {
                throw damaged(number, at: position)
            }
            guard !header.isChunk else {
                throw TagError(
                    .unsupportedFeature, "record \(number) is in chunks and cannot be changed; write the message again")
            }
            if number == record { return position + header.payloadOffset..<position + header.size }
            guard !header.isLast else {
                throw changed("record \(record) does not exist, the message has \(number + 1)")
            }
            (position, number) = (position + header.size, number + 1)
        }
    }

    /// The header of a record, read no further than to its end.
    private func header(
        at position: Int, in message: inout LazyMessage<some BlockReader>
    ) async throws(TagError) -> RecordExtent {
        let flags = try await message.bytes(position..<position + 1).first ?? 0
        let bytes = try await message.bytes(position..<position + RecordExtent.size(flags: flags))
        guard let header = RecordExtent(bytes[...]) else { throw damaged(record, at: position) }
        return header
    }

    private func changed(_ what: String) -> TagError {
        TagError(.tagUpdateFailure, "\(what): the tag was changed since. Nothing was written; read it again")
    }

    private func damaged(_ number: Int, at position: Int) -> TagError {
        TagError(
            .tagResponseError,
            "the message is damaged at its byte \(position), where record \(number) is expected; write it again")
    }
}
