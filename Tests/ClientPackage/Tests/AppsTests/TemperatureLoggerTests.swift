import CoreNFCTesting
import Foundation
import Testing

@Suite struct TemperatureLoggerTests {
    @Test func `a logger with custom commands is read`() async throws {
        let logger = LoggerTag(samples: [215, 214, -5, 0, 301, 302])
        try await withVirtualTag(TestTag(logger)) { tag in
            let log = try await TemperatureLogger().read()
            #expect(log.samples == [21.5, 21.4, -0.5, 0, 30.1, 30.2])
            #expect(log.serialNumber == [1, 2, 3, 4, 5, 6])
            let frames = tag.state(of: LoggerTag.self)?.frames ?? []
            // Addressed by customCommand, as it was put together by sendRequest.
            #expect(frames.contains([0x22, 0xA1, 0x36, 6, 5, 4, 3, 2, 1, 0x36, 0xE0]))
            #expect(frames.contains([0x02, 0xB3, 0x36, 0, 0]) && frames.contains([0x02, 0xB3, 0x36, 0, 4]))
        }
    }

    @Test func `a logger without a log has no samples`() async throws {
        try await withVirtualTag(TestTag(LoggerTag(samples: []))) { _ in
            let log = try await TemperatureLogger().read()
            #expect(log.samples.isEmpty)
        }
    }

    @Test func `an error of a custom command is that of the tag`() async throws {
        try await withVirtualTag(TestTag(LoggerTag(samples: [1], isLocked: true))) { _ in
            let error = await #expect(throws: NFCReaderError.self) { try await TemperatureLogger().read() }
            #expect(error?.code == .readerTransceiveErrorTagResponseError)
        }
    }
}

/// A tag of ISO/IEC 15693 with the commands of its maker.
nonisolated private struct LoggerTag: VirtualTag {
    let identifier: [UInt8] = [0xE0, 0x36, 1, 2, 3, 4, 5, 6]
    private let samples: [Int16]
    private let isLocked: Bool
    private var hasField = false
    /// The frames that it got.
    private(set) var frames: [[UInt8]] = []

    init(samples: [Int16], isLocked: Bool = false) {
        self.samples = samples
        self.isLocked = isLocked
    }

    mutating func activate() { hasField = true }
    mutating func fieldDropped() { hasField = false }

    mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard hasField, command.count >= 3 else { return .silence }
        frames.append(command)
        let isAddressed = command[0] & 0x20 != 0
        let address = identifier.reversed()
        let parameters = Array(command.dropFirst(isAddressed ? 11 : 3))
        guard command[2] == 0x36, !isAddressed || command.dropFirst(3).prefix(8).elementsEqual(address) else {
            return .data([0x01, 0x01])
        }
        switch command[1] {
        case 0xA1 where isLocked: return .data([0x01, 0xA5])
        case 0xA1: return .data([0x00, UInt8(samples.count >> 8), UInt8(samples.count & 0xFF)])
        case 0xB3 where parameters.count == 2:
            let start = Int(parameters[0]) << 8 | Int(parameters[1])
            let bytes = samples.dropFirst(start).prefix(4).flatMap {
                [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
            }
            return .data([0x00] + bytes)
        default: return .data([0x01, 0x01])
        }
    }
}
