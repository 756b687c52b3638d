import CoreNFCTesting
import Testing

@testable import CoreNFC

/// Everything that the module hands over counts from 0, whatever slices a program passes in.
@Suite(.timeLimit(.minutes(20)))
struct SliceTests {
    /// The same bytes as a slice that starts at 3.
    private func slice(_ bytes: [UInt8]) -> Data { Data([9, 9, 9] + bytes).dropFirst(3) }

    private func check(_ data: Data?..., at line: SourceLocation = #_sourceLocation) {
        for data in data { #expect(data?.startIndex ?? 0 == 0, sourceLocation: line) }
    }

    private func check(_ list: [Data], at line: SourceLocation = #_sourceLocation) {
        #expect(!list.isEmpty && list.allSatisfy { $0.startIndex == 0 }, sourceLocation: line)
    }

    @Test func `of an ISO 15693 tag`() async throws {
        try await Bench.use(.slix(), .iso15693) { bench in
            guard case .iso15693(let tag) = bench.tag else { return bench.isOther() }
            check(tag.identifier, tag.icSerialNumber)
            #expect(tag.icSerialNumber[0] == tag.identifier[2] && tag.icSerialNumber.count == 6)
            try await tag.writeSingleBlock(
                requestFlags: .highDataRate, blockNumber: 5, dataBlock: slice([1, 2, 3, 4]))
            let block = try await tag.readSingleBlock(requestFlags: .highDataRate, blockNumber: 5)
            #expect(block == Data([1, 2, 3, 4]))
            check(block)
            check(
                try await tag.readMultipleBlocks(
                    requestFlags: .highDataRate, blockRange: NSRange(location: 5, length: 2)))
            check(try await tag.systemInfo(requestFlags: .highDataRate).uniqueIdentifier)
            let request = slice(tag.identifier.reversed() + [5])
            check(try await tag.sendRequest(requestFlags: 0x22, commandCode: 0x20, data: request).1)
            check(try await tag.__sendRequest(withFlag: 0x22, commandCode: 0x20, data: request).1)
            check(try await tag.readNDEFData())
        }
    }

    @Test func `of a MIFARE tag`() async throws {
        try await Bench.use(.ntag213(uri: "https://example.com"), .iso14443) { bench in
            guard case .miFare(let tag) = bench.tag else { return bench.isOther() }
            check(tag.identifier, tag.historicalBytes)
            let page = try await tag.sendMiFareCommand(commandPacket: slice([0x30, 0x04]))
            #expect(page.count == 16)
            check(page)
            let message = try await tag.readNDEF()
            for record in message.records { check(record.type, record.identifier, record.payload) }
        }
    }

    @Test func `of an ISO 7816 card`() async throws {
        let card = try TestTag.card(
            aid: "A0000002471001", script: ["00B0000004": "01020304 9000", "00D60000020102": "9000"])
        let configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso14443, iso7816SelectIdentifiers: ["A0000002471001"])
        try await Bench.use(card, configuration) { bench in
            guard case .iso7816(let tag) = bench.tag else { return bench.isOther() }
            check(tag.identifier, tag.historicalBytes, tag.applicationData)
            let read = try #require(NFCISO7816APDU(data: slice([0x00, 0xB0, 0x00, 0x00, 0x04])))
            let answer: NFCISO7816ResponseAPDU = try await tag.sendCommand(apdu: read)
            #expect(answer.payload == Data([1, 2, 3, 4]))
            check(answer.payload)
            let write = NFCISO7816APDU(
                instructionClass: 0, instructionCode: 0xD6, p1Parameter: 0, p2Parameter: 0, data: slice([1, 2]),
                expectedResponseLength: -1)
            check(write.data)
            let (data, sw1, _): (Data, UInt8, UInt8) = try await tag.sendCommand(apdu: write)
            #expect(sw1 == 0x90)
            check(data)
        }
    }

    @Test func `of a FeliCa card`() async throws {
        let configuration = NFCTagReaderSession.Configuration(pollingOption: .iso18092, feliCaSystemCodes: ["12FC"])
        try await Bench.use(.feliCaLiteS(), configuration) { bench in
            guard case .feliCa(let tag) = bench.tag else { return bench.isOther() }
            check(tag.currentIDm, tag.currentSystemCode)
            let polled = try await tag.polling(
                systemCode: slice([0x12, 0xFC]), requestCode: .systemCode, timeSlot: .max1)
            check(polled.0, polled.1, tag.currentIDm, tag.currentSystemCode)
            #expect(tag.currentSystemCode[0] == 0x12)
            let (flag, _, blocks) = try await tag.readWithoutEncryption(
                serviceCodeList: [slice([0x0B, 0x00])], blockList: [slice([0x80, 0x00]), slice([0x80, 0x82])])
            #expect(flag == 0)
            check(blocks)
            let packet = slice([0x06] + tag.currentIDm + [0x01, 0x0B, 0x00, 0x01, 0x80, 0x00])
            check(try await tag.sendFeliCaCommand(commandPacket: packet))
        }
    }

    @Test func `of messages, commands and answers that a program makes`() throws {
        let made = NFCNDEFPayload(
            format: .media, type: slice([0x61]), identifier: slice([1]), payload: slice([2, 3]))
        check(made.type, made.identifier, made.payload)
        (made.type, made.identifier, made.payload) = (slice([4]), slice([5]), slice([6]))
        check(made.type, made.identifier, made.payload)
        let message = try #require(NFCNDEFMessage(data: slice([0xD1, 0x01, 0x02, 0x54, 0x00, 0x41])))
        for record in message.records { check(record.type, record.identifier, record.payload) }
        check(NFCISO7816APDU(data: slice([0, 0xD6, 0, 0, 2, 1, 2]))?.data)
        check(NFCISO7816ResponseAPDU(statusWord1: 0x90, statusWord2: 0, paylaod: slice([1])).payload)
        let polled = NFCFeliCaPollingResponse(manufactureParameter: slice([1]), requestData: slice([2]))
        check(polled.manufactureParameter, polled.requestData)
        let versions = NFCFeliCaRequsetServiceV2Response(
            statusFlag1: 0, statusFlag2: 0, encryptionIdentifier: .AES, nodeKeyVersionListAES: [slice([1])],
            nodeKeyVersionListDES: [slice([2])])
        check((versions.nodeKeyVersionListAES ?? []) + (versions.nodeKeyVersionListDES ?? []))
        let specification = NFCFeliCaRequestSpecificationVersionResponse(
            statusFlag1: 0, statusFlag2: 0, basicVersion: slice([1]), optionVersion: slice([2]))
        check(specification.basicVersion, specification.optionVersion)
        let command = NFCISO15693CustomCommandConfiguration(
            manufacturerCode: 4, customCommandCode: 0xA0, requestParameters: slice([1]))
        check(command.requestParameters)
        command.requestParameters = slice([2])
        check(command.requestParameters)
    }
}

extension NFCNDEFTag {
    /// The payload of the first record; empty if it has none.
    fileprivate func readNDEFData() async throws -> Data {
        try await writeNDEF(
            NFCNDEFMessage(records: [.init(format: .media, type: Data([0x61]), identifier: Data(), payload: Data([1]))])
        )
        return try await readNDEF().records.first?.payload ?? Data()
    }
}
