extension CommandAPDU {
    /// Parses an encoded command in any of the seven forms 1, 2S, 3S, 4S, 2E, 3E and 4E (ISO/IEC 7816-4) and keeps
    /// the form, so that ``bytes`` gives back exactly what came in.
    ///
    /// - Throws: ``CommandAPDUError`` when the lengths do not add up.
    public init(parsing bytes: some Sequence<UInt8>) throws(CommandAPDUError) {
        let bytes = Array(bytes)
        guard let header = CommandAPDU.header(of: bytes) else { throw .headerTruncated(bytes.count) }
        let body = bytes.dropFirst(4)
        let parts: Body
        switch (body.first, body.count) {
        case (nil, _): parts = Body()
        case (let le?, 1): parts = Body(expectedLength: le == 0 ? 256 : Int(le))
        case (0, _): parts = try .extended(body.dropFirst())
        case (let lc?, _): parts = try .short(length: Int(lc), body.dropFirst())
        }
        self.init(header: header, data: parts.data, expectedLength: parts.expectedLength, form: parts.form)
    }

    /// As ``init(parsing:)``, with `nil` for bytes that are not a command APDU.
    public init?(bytes: some Sequence<UInt8>) {
        do throws(CommandAPDUError) {
            try self.init(parsing: bytes)
        } catch {
            return nil
        }
    }

    private static func header(of bytes: [UInt8]) -> (UInt8, UInt8, UInt8, UInt8)? {
        guard bytes.count >= 4 else { return nil }
        return (bytes[0], bytes[1], bytes[2], bytes[3])
    }
}

/// What follows the header.
private struct Body {
    var data: [UInt8] = []
    var expectedLength: Int?
    var form = CommandAPDU.Form.short

    /// Forms 3S and 4S; `rest` is what follows Lc.
    static func short(length: Int, _ rest: ArraySlice<UInt8>) throws(CommandAPDUError) -> Body {
        let le = rest.dropFirst(length)
        guard rest.count >= length, le.count <= 1 else {
            throw .inconsistentLength(declared: length, following: rest.count)
        }
        return Body(data: Array(rest.prefix(length)), expectedLength: le.first.map { $0 == 0 ? 256 : Int($0) })
    }

    /// Forms 2E, 3E and 4E; `rest` is what follows the leading 00.
    static func extended(_ rest: ArraySlice<UInt8>) throws(CommandAPDUError) -> Body {
        guard let first = number(rest.prefix(2)) else { throw .lengthFieldTruncated }
        let tail = rest.dropFirst(2)
        if tail.isEmpty { return Body(expectedLength: first == 0 ? 65_536 : first, form: .extended) }
        guard first > 0 else { throw .emptyDataField }
        let le = tail.dropFirst(first)
        guard tail.count >= first, le.isEmpty || le.count == 2 else {
            throw .inconsistentLength(declared: first, following: tail.count)
        }
        return Body(
            data: Array(tail.prefix(first)), expectedLength: number(le).map { $0 == 0 ? 65_536 : $0 }, form: .extended)
    }

    /// Two bytes, most significant first; `nil` for any other number of bytes.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count == 2, let high = bytes.first, let low = bytes.last else { return nil }
        return Int(high) << 8 | Int(low)
    }
}
