/// A report of CTAPHID, 64 bytes (CTAP 2.1, §11.2.4).
struct HIDPacket: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// The first packet of a message: the command without bit 7, the length of the whole message, up to 57 bytes of it.
        case initialisation(command: UInt8, length: Int, data: [UInt8])
        /// A later packet: its number from 0, 59 bytes.
        case continuation(sequence: UInt8, data: [UInt8])
    }

    let channel: UInt32
    let content: Content

    /// Decodes a report.
    ///
    /// - Parameter report: 64 bytes, or 65 with the report number that hidraw writes in front. Nil for any other size.
    init?(_ report: [UInt8]) {
        let packet = report.count == CTAPHID.reportSize + 1 ? report.dropFirst() : report[...]
        guard packet.count == CTAPHID.reportSize else { return nil }
        let bytes = Array(packet)
        channel = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        if bytes[4] & 0x80 == 0 {
            content = .continuation(sequence: bytes[4], data: Array(bytes.dropFirst(5)))
        } else {
            let length = Int(bytes[5]) << 8 | Int(bytes[6])
            content = .initialisation(command: bytes[4] & 0x7F, length: length, data: Array(bytes.dropFirst(7)))
        }
    }

    /// The reports of a message, each filled up with zeros.
    ///
    /// - Parameter data: at most ``CTAPHID/longestMessage`` bytes.
    static func reports(of data: [UInt8], _ command: CTAPHID.Command, on channel: UInt32) -> [[UInt8]] {
        let address = (0..<4).map { UInt8(truncatingIfNeeded: channel >> (24 - 8 * $0)) }
        let length = [UInt8(truncatingIfNeeded: data.count >> 8), UInt8(truncatingIfNeeded: data.count)]
        var reports = [filled(address + [command.rawValue | 0x80] + length + data.prefix(57))]
        var (rest, sequence) = (data.dropFirst(57), UInt8(0))
        while !rest.isEmpty {
            reports.append(filled(address + [sequence & 0x7F] + rest.prefix(59)))
            rest = rest.dropFirst(59)
            sequence &+= 1
        }
        return reports
    }

    private static func filled(_ bytes: [UInt8]) -> [UInt8] {
        bytes + Array(repeating: 0, count: CTAPHID.reportSize - bytes.count)
    }
}
