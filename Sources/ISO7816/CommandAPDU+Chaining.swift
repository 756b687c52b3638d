extension CommandAPDU {
    /// Whether the class byte is one of the interindustry classes, which have command chaining and logical channels
    /// (ISO/IEC 7816-4, class byte): bit 8 is 0.
    public var isInterindustry: Bool { cla & 0x80 == 0 }

    /// The same command in short form: data over 255 bytes in several commands of which all but the last have bit 5 of
    /// CLA set (ISO/IEC 7816-4, command chaining), Ne cut to 256 and in the last one only.
    public var shortLinks: [CommandAPDU] {
        let starts = Array(stride(from: 0, to: max(data.count, 1), by: 255))
        return starts.map { start in
            let isLast = start == starts.last
            return CommandAPDU(
                header: (isLast ? cla : cla | 0x10, ins, p1, p2), data: Array(data.dropFirst(start).prefix(255)),
                expectedLength: isLast ? expectedLength.map { min($0, 256) } : nil, form: .short)
        }
    }

    /// The same command with another Ne, for the answer 6CXX; `length` is 1…256 there.
    public func expecting(_ length: Int) -> CommandAPDU {
        let length = min(max(length, 1), 65_536)
        return CommandAPDU(
            header: (cla, ins, p1, p2), data: data, expectedLength: length, form: length > 256 ? .extended : form)
    }

    /// GET RESPONSE on the same logical channel, for the answer 61XX; `length` is 1…256 there.
    public func getResponse(_ length: Int) -> CommandAPDU {
        let header: (UInt8, UInt8, UInt8, UInt8) = (channelClass, 0xC0, 0x00, 0x00)
        return CommandAPDU(header: header, data: [], expectedLength: min(max(length, 1), 256), form: .short)
    }

    /// CLA without chaining and secure messaging; a proprietary class as it is.
    private var channelClass: UInt8 {
        switch cla >> 5 {
        case 0: cla & 0x03
        case 2, 3: cla & 0x4F
        default: cla
        }
    }
}
