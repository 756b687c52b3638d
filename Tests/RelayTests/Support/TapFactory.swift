import NDEF
import NFCProtocol
import NFCTypes

@testable import nfcd_relay

/// Taps for tests.
enum TapFactory {
    static let epoch = "0192f0c1-0000-7000-8000-00000000000e"

    static func tap(
        _ sequence: Int64, reader: String = "reader-0", _ readerSequence: Int64? = nil, epoch: String = epoch,
        identifier: [UInt8] = [0x04, 0x6E, 0x11, 0x04, 0x4D, 0x5A, 0x80], clock: ClockQuality = .synchronised,
        bootID: String = "boot", bootTime: Double = 10, proof: TapProof? = nil,
        message: NDEFMessage? = nil
    ) -> RecordedTap {
        let digits = String(sequence)
        var tap = RecordedTap(
            sequence: sequence,
            id: "0192f0c1-2b00-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits,
            time: "2025-01-01T00:00:00.000Z", reader: reader, readerName: "Reader \(reader)",
            readerSequence: readerSequence ?? sequence,
            tag: .init(type: .miFare, technology: "ISO 14443-3A", identifier: HexBytes(identifier)), message: message,
            error: nil, epoch: epoch, bootID: bootID, bootTime: bootTime, clock: clock)
        tap.proof = proof
        return tap
    }
}
