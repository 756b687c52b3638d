import CoreNFCTesting
import Testing

/// The commands of FeliCa in a session for tags.
@Suite(.timeLimit(.minutes(20)))
struct FeliCaTests {
    private static let readService = Data([0x0B, 0x00])
    private static let writeService = Data([0x09, 0x00])
    private static let ndefSystem = Data([0x12, 0xFC])
    private static let configuration = NFCTagReaderSession.Configuration(
        pollingOption: .iso18092, feliCaSystemCodes: ["12FC", "88B4"])

    private func use(_ body: (Bench, any NFCFeliCaTag) async throws -> Void) async throws {
        try await Bench.use(.feliCaLiteS(), Self.configuration) { bench in
            guard case .feliCa(let tag) = bench.tag else { return bench.isOther() }
            try await body(bench, tag)
        }
    }

    @Test func `a card has the system that was found first`() async throws {
        try await use { bench, tag in
            #expect(tag.currentSystemCode == Self.ndefSystem)
            #expect(tag.currentIDm == bench.presented.identifier)
        }
    }

    @Test func `polling selects a listed system, and no other`() async throws {
        try await use { _, tag in
            let (parameters, code) = try await tag.polling(
                systemCode: Data([0x88, 0xB4]), requestCode: .systemCode, timeSlot: .max1)
            #expect(parameters.count == 8 && (code.isEmpty || code == Data([0x88, 0xB4])))
            #expect(tag.currentSystemCode == Data([0x88, 0xB4]))
            for refused in [Data([0xFF, 0xFF]), Data([0x00, 0x03])] {
                let error = await #expect(throws: NFCReaderError.self) {
                    try await tag.polling(systemCode: refused, requestCode: .noRequest, timeSlot: .max1)
                }
                #expect(error?.code == .readerErrorSecurityViolation)
            }
            #expect(tag.currentSystemCode == Data([0x88, 0xB4]))
        }
    }

    @Test func `blocks are written and read`() async throws {
        try await use { _, tag in
            let block = Data(0..<16)
            let (one, two) = try await tag.writeWithoutEncryption(
                serviceCodeList: [Self.writeService], blockList: [Data([0x80, 0x05])], blockData: [block])
            #expect(one == 0 && two == 0)
            let (flag, _, blocks) = try await tag.readWithoutEncryption(
                serviceCodeList: [Self.readService], blockList: [Data([0x80, 0x05]), Data([0x80, 0x00])])
            #expect(flag == 0 && blocks.count == 2 && blocks.first == block)
        }
    }

    @Test func `status flags are not errors`() async throws {
        try await use { _, tag in
            let (flag, _, blocks) = try await tag.readWithoutEncryption(
                serviceCodeList: [Self.readService], blockList: [Data([0x80, 0x60])])
            #expect(flag != 0 && blocks.isEmpty)
        }
    }

    @Test func `lists out of bounds are 4, before anything is sent`() async throws {
        try await use { _, tag in
            let calls: [() async throws -> Void] = [
                { _ = try await tag.requestService(nodeCodeList: []) },
                { _ = try await tag.requestService(nodeCodeList: Array(repeating: Data([0, 0]), count: 33)) },
                {
                    _ = try await tag.readWithoutEncryption(serviceCodeList: [Data([0])], blockList: [Data([0x80, 0])])
                },
                {
                    _ = try await tag.writeWithoutEncryption(
                        serviceCodeList: [Self.writeService], blockList: [Data([0x80, 0])], blockData: [])
                },
                { _ = try await tag.sendFeliCaCommand(commandPacket: Data()) },
            ]
            for call in calls {
                let error = await #expect(throws: NFCReaderError.self) { try await call() }
                #expect(error?.code == .readerErrorInvalidParameterLength)
            }
        }
    }

    @Test func `a packet goes as it is, but for no other card`() async throws {
        try await use { _, tag in
            var packet = Data([0x06]) + tag.currentIDm + [1, 0x0B, 0x00, 1, 0x80, 0x00]
            let answer = try await tag.sendFeliCaCommand(commandPacket: packet)
            #expect(answer.first == 0x07 && answer.count == 28)
            packet[1] ^= 0x10
            let error = await #expect(throws: NFCReaderError.self) {
                try await tag.sendFeliCaCommand(commandPacket: packet)
            }
            #expect(error?.code == .readerErrorSecurityViolation)
            let long = await #expect(throws: NFCReaderError.self) {
                try await tag.sendFeliCaCommand(commandPacket: Data(repeating: 0, count: 255))
            }
            #expect(long?.code == .readerTransceiveErrorPacketTooLong)
        }
    }
}
