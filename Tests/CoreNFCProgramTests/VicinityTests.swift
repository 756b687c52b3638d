import CoreNFCTesting
import Testing

/// The commands of ISO/IEC 15693 in a session for tags.
@Suite(.timeLimit(.minutes(20)))
struct VicinityTests {
    private func use(_ tag: TestTag = .slix(), _ body: (Bench, any NFCISO15693Tag) async throws -> Void) async throws {
        try await Bench.use(tag, .iso15693) { bench in
            guard case .iso15693(let tag) = bench.tag else { return bench.isOther() }
            try await body(bench, tag)
        }
    }

    @Test func `a tag reports what it is, with its UID in both orders`() async throws {
        try await use { bench, tag in
            #expect(tag.identifier == bench.presented.identifier && tag.identifier.first == 0xE0)
            #expect(tag.icManufacturerCode == 0x04 && tag.icSerialNumber == tag.identifier.suffix(6))
            let information = try await tag.systemInfo(requestFlags: .highDataRate)
            #expect(information.uniqueIdentifier == Data(tag.identifier.reversed()))
            #expect(information.blockSize == 4 && information.totalBlocks == 28)
        }
    }

    @Test func `blocks are written and read, alone and in rows`() async throws {
        try await use { bench, tag in
            try await tag.writeSingleBlock(
                requestFlags: .highDataRate, blockNumber: 5, dataBlock: Data([1, 2, 3, 4]))
            #expect(try await tag.readSingleBlock(requestFlags: .highDataRate, blockNumber: 5) == Data([1, 2, 3, 4]))
            let blocks = try await tag.readMultipleBlocks(
                requestFlags: .highDataRate, blockRange: NSRange(location: 4, length: 3))
            #expect(blocks.count == 3 && blocks[1] == Data([1, 2, 3, 4]))
            #expect(bench.presented.memory[20..<24] == Data([1, 2, 3, 4]))
            let states = try await tag.getMultipleBlockSecurityStatus(
                requestFlags: .highDataRate, blockRange: NSRange(location: 0, length: 4))
            #expect(states.map(\.intValue) == [0, 0, 0, 0])
        }
    }

    @Test func `with the option flag a block comes after its security status`() async throws {
        try await use { _, tag in
            try await tag.lockBlock(requestFlags: .highDataRate, blockNumber: 6)
            let block = try await tag.readSingleBlock(requestFlags: [.highDataRate, .option], blockNumber: 6)
            #expect(block.count == 5 && block.first == 1)
        }
    }

    @Test func `what a tag refuses is 102 with its error byte`() async throws {
        try await use { _, tag in
            let error = await #expect(throws: NFCReaderError.self) {
                try await tag.readSingleBlock(requestFlags: .highDataRate, blockNumber: 250)
            }
            #expect(error?.code == .readerTransceiveErrorTagResponseError)
            #expect(error?.errorUserInfo[NFCISO15693TagResponseErrorKey] as? Int != nil)
        }
    }

    @Test(arguments: [
        NSRange(location: 256, length: 1), NSRange(location: 0, length: 257), NSRange(location: 0, length: 0),
        NSRange(location: -1, length: 1),
    ])
    func `a range out of bounds is 5, before anything is sent`(_ range: NSRange) async throws {
        try await use { _, tag in
            let error = await #expect(throws: NFCReaderError.self) {
                try await tag.readMultipleBlocks(requestFlags: .highDataRate, blockRange: range)
            }
            #expect(error?.code == .readerErrorParameterOutOfBound)
        }
    }

    @Test func `blocks of several sizes are 4, a frame beyond 256 bytes is 105, an odd custom code is 5`() async throws
    {
        try await use { _, tag in
            func code(_ body: () async throws -> Void) async -> NFCReaderError.Code? {
                await #expect(throws: NFCReaderError.self) { try await body() }?.code
            }
            let range = NSRange(location: 0, length: 2)
            #expect(
                await code {
                    try await tag.writeMultipleBlocks(
                        requestFlags: .highDataRate, blockRange: range, dataBlocks: [Data([1]), Data([1, 2])])
                } == .readerErrorInvalidParameterLength)
            #expect(
                await code {
                    try await tag.writeSingleBlock(
                        requestFlags: .highDataRate, blockNumber: 0, dataBlock: Data(repeating: 0, count: 250))
                } == .readerTransceiveErrorPacketTooLong)
            #expect(
                await code {
                    _ = try await tag.customCommand(
                        requestFlags: .highDataRate, customCommandCode: 0x9F, customRequestParameters: Data())
                } == .readerErrorParameterOutOfBound)
        }
    }

    @Test func `a custom command reaches the tag, which does not know it and is silent`() async throws {
        try await use { _, tag in
            let error = await #expect(throws: NFCReaderError.self) {
                try await tag.customCommand(
                    requestFlags: .highDataRate, customCommandCode: 0xB2, customRequestParameters: Data())
            }
            #expect(error?.code == .readerTransceiveErrorTagConnectionLost)
        }
    }

    @Test func `a tag that does not answer is 100, and stays connected`() async throws {
        try await use { bench, tag in
            func code(_ body: () async throws -> Void) async -> Int? {
                await #expect(throws: NFCReaderError.self) { try await body() }?.errorCode
            }
            // No tag is selected, and another UID is another tag's.
            let selected: NFCISO15693RequestFlag = [.highDataRate, .select]
            let range = NSRange(location: 0, length: 2)
            let other = Data([1, 2, 3, 4, 5, 6, 4, 0xE0])
            #expect(await code { _ = try await tag.readSingleBlock(requestFlags: selected, blockNumber: 0) } == 100)
            #expect(
                await code { _ = try await tag.readMultipleBlocks(requestFlags: selected, blockRange: range) } == 100)
            #expect(
                await code {
                    try await tag.writeSingleBlock(
                        requestFlags: selected, blockNumber: 0, dataBlock: Data([1, 2, 3, 4]))
                } == 100)
            #expect(await code { _ = try await tag.systemInfo(requestFlags: selected) } == 100)
            #expect(
                await code {
                    _ = try await tag.customCommand(
                        requestFlags: selected, customCommandCode: 0xB2, customRequestParameters: Data())
                } == 100)
            #expect(
                await code {
                    _ = try await tag.sendRequest(requestFlags: 0x22, commandCode: 0x20, data: other + [0])
                } == 100)
            #expect(tag.isAvailable && bench.session.connectedTag != nil)
            let block = try await tag.readSingleBlock(requestFlags: .highDataRate, blockNumber: 0)
            #expect(block.count == 4)
        }
    }

    @Test func `commands that no tag answers succeed by silence`() async throws {
        try await use { _, tag in
            try await tag.stayQuiet()
            try await tag.challenge(requestFlags: [.highDataRate, .select], cryptoSuiteIdentifier: 0, message: Data())
            try await tag.resetToReady(requestFlags: .highDataRate)
        }
    }

    @Test func `the forms with underscores hand over data, and not nil`() async throws {
        try await use { _, tag in
            let found: (Data, Int, Int, Int, Int, Int) = try await tag.__systemInfoAndUID(with: .highDataRate)
            #expect(found.0 == Data(tag.identifier.reversed()))
            let answer: (NFCISO15693ResponseFlag, Data) = try await tag.__sendRequest(
                withFlag: 0x22, commandCode: 0x20, data: Data(tag.identifier.reversed()) + [0])
            #expect(answer.1.count == 4)
        }
    }

    @Test func `a request goes as it is, and an error of the tag comes as it is`() async throws {
        try await use { _, tag in
            let uid = Data(tag.identifier.reversed())
            let (flags, data) = try await tag.sendRequest(requestFlags: 0x22, commandCode: 0x20, data: uid + [0])
            #expect(!flags.contains(.error) && data?.count == 4)
            let (refused, code) = try await tag.sendRequest(requestFlags: 0x22, commandCode: 0x20, data: uid + [0xF0])
            #expect(refused.contains(.error) && code?.count == 1)
        }
    }

    @Test func `methods of the first sessions are 1`() async throws {
        try await use { _, tag in
            let configuration = NFCISO15693ReadMultipleBlocksConfiguration(
                range: NSRange(location: 0, length: 1), chunkSize: 1)
            let error = await #expect(throws: NFCReaderError.self) {
                try await tag.readMultipleBlock(readConfiguration: configuration)
            }
            #expect(error?.code == .readerErrorUnsupportedFeature)
        }
    }

    @Test func `a tag that gets Stay Quiet is quiet`() async throws {
        try await use { _, tag in
            try await tag.stayQuiet()
        }
    }
}
