import NFCTypes

/// A recording as a capture file for Wireshark: pcap with link type 264 (LINKTYPE_ISO_14443).
///
/// The file has frames, and a recording has commands to readers. A native frame in a pass-through command is written as it is; a command
/// APDU to a card as the I-block that would carry it, without chaining. Pseudo-APDUs that only the reader answers are left out. Masked
/// bytes are 00.
public struct PCAPExport: Sendable {
    /// Bytes of the file.
    public let bytes: [UInt8]
    /// The exchanges in the file.
    public let exchangeCount: Int

    private static let linkType: UInt32 = 264
    private static let longestPacket: UInt32 = 262_144

    /// Converts a recording.
    public init(_ recording: Recording) {
        var bytes = Self.header
        var count = 0
        var blocks: [String: UInt8] = [:]
        for line in recording.lines where line.event == .transmit {
            guard let command = line.command?.filled, let answer = line.answer?.filled,
                let frames = Frames(command, answer)
            else { continue }
            let reader = line.reader ?? ""
            // The block number alternates (ISO/IEC 14443-4, 7.5.4).
            let number = blocks[reader, default: 0]
            if frames.isCard { blocks[reader] = number ^ 1 }
            let start = line.time >= line.took ?? 0 ? line.time - (line.took ?? 0) : 0
            bytes += Self.packet(frames.command(number), at: start, fromReader: true)
            bytes += Self.packet(frames.answer(number), at: line.time, fromReader: false)
            count += 1
        }
        (self.bytes, exchangeCount) = (bytes, count)
    }

    /// Magic number for microseconds, version 2.4, time zone, accuracy, length, link type: all big-endian.
    private static var header: [UInt8] {
        [0xA1, 0xB2, 0xC3, 0xD4, 0x00, 0x02, 0x00, 0x04] + [UInt8](repeating: 0, count: 8)
            + longestPacket.bigEndianBytes + linkType.bigEndianBytes
    }

    /// A record: time, lengths, and the pseudo-header with version, event and length of the frame.
    private static func packet(_ frame: [UInt8], at time: UInt64, fromReader: Bool) -> [UInt8] {
        // The events for frames without their CRC.
        let event: UInt8 = fromReader ? 0xFA : 0xFB
        let data = [0x00, event] + UInt16(clamping: frame.count).bigEndianBytes + frame
        let length = UInt32(clamping: data.count).bigEndianBytes
        return UInt32(truncatingIfNeeded: time / 1_000_000).bigEndianBytes
            + UInt32(truncatingIfNeeded: time % 1_000_000).bigEndianBytes + length + length + data
    }

    /// What an exchange was on the air.
    private struct Frames {
        let isCard: Bool
        private let sent: [UInt8]
        private let received: [UInt8]

        init?(_ command: [UInt8], _ answer: [UInt8]) {
            guard let first = command.first else { return nil }
            if first != 0xFF {
                (isCard, sent, received) = (true, command, answer)
                return
            }
            guard let frame = PassThroughFrame.frame(in: command), !frame.isEmpty else { return nil }
            isCard = false
            sent = Array(frame)
            received = PassThroughFrame.answer(to: command, answer)
        }

        func command(_ number: UInt8) -> [UInt8] { isCard ? [0x02 | number] + sent : sent }
        func answer(_ number: UInt8) -> [UInt8] { isCard ? [0x02 | number] + received : received }
    }
}

extension PassThroughFrame {
    /// The tag's part of an answer to a pass-through command.
    static func answer(to command: [UInt8], _ answer: [UInt8]) -> [UInt8] {
        Array(answer[answerRange(to: command, answer)])
    }

    /// Where the tag's part of an answer to a pass-through command is.
    static func answerRange(to command: [UInt8], _ answer: [UInt8]) -> Range<Int> {
        let data = answer.withoutStatus
        if answer[data].starts(with: [0xD5, 0x43]) || answer[data].starts(with: [0xD5, 0x41]) {
            return min(3, data.upperBound)..<data.upperBound
        }
        guard command.starts(with: [0xFF, 0xC2]) else { return data }
        return BasicTLV.objects(answer, in: data)?.first { $0.tag == 0x97 }?.value ?? 0..<0
    }
}
