import Testing

@testable import CoreNFC

/// The frames of ISO/IEC 15693 as they leave for the tag, and what is made of answers.
struct VicinityFrameTests {
    private static let identifier: [UInt8] = [1, 2, 3, 4, 5, 6, 4, 0xE0]

    private struct Addressing: Sendable {
        let flags: NFCISO15693RequestFlag
        let sent: UInt8
        let hasIdentifier: Bool
    }

    @Test func `a command is addressed unless the tag is selected`() {
        let table = [
            Addressing(flags: .highDataRate, sent: 0x22, hasIdentifier: true),
            Addressing(flags: [], sent: 0x20, hasIdentifier: true),
            Addressing(flags: [.address, .option], sent: 0x60, hasIdentifier: true),
            Addressing(flags: [.highDataRate, .select], sent: 0x12, hasIdentifier: false),
            Addressing(flags: [.select, .address], sent: 0x10, hasIdentifier: false),
        ]
        for row in table {
            let request = VicinityRequest(0x20, row.flags, to: Self.identifier, [7])
            #expect(request.flags == row.sent && request.command == 0x20)
            #expect(request.data == (row.hasIdentifier ? Self.identifier : []) + [7])
        }
    }

    @Test func `the manufacturer's code precedes the UID`() {
        let request = VicinityRequest(0xB2, .highDataRate, prefix: [4], to: Self.identifier, [9])
        #expect(request.data == [4] + Self.identifier + [9])
    }

    @Test func `numbers are a byte, or two with the less significant first, and counts one less`() throws {
        #expect(try VicinityWidth.short.block(255) == [255])
        #expect(try VicinityWidth.extended.block(0x1234) == [0x34, 0x12])
        #expect(try VicinityWidth.short.range(NSRange(location: 3, length: 256)) == [3, 255])
        #expect(try VicinityWidth.extended.range(NSRange(location: 0x100, length: 0x10000)) == [0, 1, 0xFF, 0xFF])
        #expect(throws: NFCReaderError.self) { try VicinityWidth.short.block(256) }
        #expect(throws: NFCReaderError.self) { try VicinityWidth.extended.block(-1) }
        #expect(throws: NFCReaderError.self) { try VicinityWidth.short.range(NSRange(location: 0, length: Int.max)) }
    }

    @Test func `answers that do not divide into blocks are 102, with the key for lengths`() throws {
        let answer = VicinityAnswer(0, [1, 2, 3, 4, 5, 6])
        #expect(try answer.parts(3) == [Data([1, 2]), Data([3, 4]), Data([5, 6])])
        for count in [0, 4, 7] {
            let error = #expect(throws: NFCReaderError.self) { try answer.parts(count) }
            #expect(error?.errorUserInfo[NFCTagResponseUnexpectedLengthErrorKey] != nil)
        }
        #expect(throws: NFCReaderError.self) { try VicinityAnswer(0, []).parts(1) }
    }

    @Test func `information that is left out is -1, and sizes are real`() throws {
        let all = try VicinityInformation(VicinityAnswer(0, [0x0F] + Self.identifier + [1, 2, 27, 3, 0x44]))
        #expect(Self.numbers(all) == [1, 2, 28, 4, 0x44])
        let none = try VicinityInformation(VicinityAnswer(0, [0x00] + Self.identifier))
        #expect(Self.numbers(none) == [-1, -1, -1, -1, -1])
        #expect(throws: NFCReaderError.self) { try VicinityInformation(VicinityAnswer(0, [0x0F] + Self.identifier)) }
        #expect(throws: NFCReaderError.self) { try VicinityInformation(VicinityAnswer(0, [0])) }
    }

    @Test func `an answer of FeliCa is read to its end and not beyond`() throws {
        let packet = FeliCaPacket(0x02, to: Data(repeating: 1, count: 8), [1, 0, 0])
        var answer = try FeliCaAnswer([0x03, 2, 1, 2, 3], to: packet)
        let error = #expect(throws: NFCReaderError.self) { try answer.list(of: 2) }
        #expect(error?.code == .readerTransceiveErrorTagResponseError)
        #expect(throws: NFCReaderError.self) { try FeliCaAnswer([0x05], to: packet) }
        #expect(throws: NFCReaderError.self) { try FeliCaAnswer([], to: packet) }
    }

    private static func numbers(_ found: VicinityInformation) -> [Int] {
        [found.format, found.family, found.blockCount, found.blockSize, found.reference]
    }
}
