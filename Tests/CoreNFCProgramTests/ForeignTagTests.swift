import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// Tags that a test makes itself.
@Suite(.timeLimit(.minutes(20)))
struct ForeignTagTests {
    /// Answers each frame with itself behind flags, as a tag of ISO/IEC 15693, and objects to command A2.
    private struct Mirror: VirtualTag {
        let identifier: [UInt8] = [0xE0, 0x16, 1, 2, 3, 4, 5, 6]
        private(set) var objections: [String] = []

        mutating func activate() {}
        mutating func fieldDropped() {}
        mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
            if command.dropFirst().first == 0xA2 { objections.append("A2") }
            return .data([0x00] + command)
        }
    }

    /// A FeliCa card of any number of systems, which only answers to polling.
    private struct Poller: VirtualTag {
        let identifier: [UInt8] = [0x01, 0x14, 1, 2, 3, 4, 5, 6]
        let systems: Set<[UInt8]>

        mutating func activate() {}
        mutating func fieldDropped() {}
        mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
            guard command.count == 6, command[1] == 0, systems.contains(Array(command[2..<4])) else { return .silence }
            let answer = identifier + [UInt8](repeating: 0, count: 8) + (command[4] == 1 ? command[2..<4] : [])
            return .data([UInt8(answer.count + 2), 0x01] + answer)
        }
    }

    @Test func `custom commands of ISO 15693 reach a tag of the test's own as raw frames`() async throws {
        try await Bench.use(TestTag(Mirror()), .iso15693) { bench in
            guard case .iso15693(let tag) = bench.tag else { return bench.isOther() }
            #expect(tag.icManufacturerCode == 0x16)
            let custom = try await tag.customCommand(
                requestFlags: .highDataRate, customCommandCode: 0xA1, customRequestParameters: Data([7]))
            #expect(custom == Data([0x22, 0xA1, 0x16, 6, 5, 4, 3, 2, 1, 0x16, 0xE0, 7]))
            let (flags, data) = try await tag.sendRequest(requestFlags: 0x02, commandCode: 0xB3, data: Data([0x16, 9]))
            #expect(flags == [] && data == Data([0x02, 0xB3, 0x16, 9]))
        }
    }

    @Test func `what a tag of the test's own objects to fails the test`() async throws {
        let error = await #expect(throws: TestTagError.self) {
            try await Bench.use(TestTag(Mirror()), .iso15693) { bench in
                guard case .iso15693(let tag) = bench.tag else { return bench.isOther() }
                _ = try await tag.sendRequest(requestFlags: 0x02, commandCode: 0xA2, data: nil)
            }
        }
        #expect(error?.description.contains("A2") == true)
    }

    @Test(arguments: ["0003", "FE00", "12FC", "88B4", "927A", "8008"])
    func `a FeliCa card of the test's own is polled with any system code`(_ code: String) async throws {
        let system = Data(hexadecimal: code)
        let configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso18092, feliCaSystemCodes: ["4040", code])
        try await Bench.use(TestTag(Poller(systems: [Array(system)])), configuration) { bench in
            guard case .feliCa(let tag) = bench.tag else { return bench.isOther() }
            #expect(tag.currentSystemCode == system && tag.currentIDm == bench.presented.identifier)
            let (_, found) = try await tag.polling(systemCode: system, requestCode: .systemCode, timeSlot: .max1)
            #expect(found == system)
        }
    }

    @Test(arguments: [true, false])
    func `a card of type B has application data and no historical bytes`(_ isProprietary: Bool) async throws {
        let application = FunctionApplication(aid: "A0000002471001") { VirtualCardResponse($0.data) }
        let tag = TestTag.card(
            applicationData: Data([0x11, 0x22, 0x33, 0x44]), isProprietary: isProprietary, applications: [application])
        let configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso14443, iso7816SelectIdentifiers: ["A0000002471001"])
        try await Bench.use(tag, configuration) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            #expect(card.applicationData == Data([0x11, 0x22, 0x33, 0x44]) && card.historicalBytes == nil)
            #expect(card.proprietaryApplicationDataCoding == isProprietary)
            #expect(card.identifier.count == 4 && card.initialSelectedAID == "A0000002471001")
            let (data, sw1, _) =
                try await card.sendCommand(
                    apdu: try #require(NFCISO7816APDU(data: Data([0, 1, 0, 0, 1, 0xAA, 0])))) as (Data, UInt8, UInt8)
            #expect(data == Data([0xAA]) && sw1 == 0x90)
            #expect(bench.presented.application(FunctionApplication.self) != nil)
        }
    }

    @Test(arguments: [false, true])
    func `a card that stays silent is an error, and answers the next command`(_ isTypeB: Bool) async throws {
        let application = FunctionApplication.raw(aid: "A0000002471001") {
            switch $0.dropFirst().first {
            case 0xB0: []
            case 0xB2: VirtualCardResponse([1]).bytes
            default: nil
            }
        }
        let tag =
            isTypeB
            ? TestTag.card(applicationData: Data([1, 2, 3, 4]), applications: [application])
            : TestTag.card(applications: [application])
        let configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso14443, iso7816SelectIdentifiers: ["A0000002471001"])
        try await Bench.use(tag, configuration) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            let silent = try #require(NFCISO7816APDU(data: Data([0, 0xB0, 0, 0, 4])))
            let error = await #expect(throws: NFCReaderError.self) {
                try await card.sendCommand(apdu: silent) as (Data, UInt8, UInt8)
            }
            #expect(error?.code == .readerTransceiveErrorTagResponseError)
            let other = try #require(NFCISO7816APDU(data: Data([0, 0xB2, 0, 0, 4])))
            let (data, sw1, _) = try await card.sendCommand(apdu: other) as (Data, UInt8, UInt8)
            #expect(data == Data([1]) && sw1 == 0x90)
        }
    }

    @Test func `application data of another length is refused`() async throws {
        let error = await #expect(throws: TestTagError.self) {
            try await withVirtualTag(.card(applicationData: Data([1]), applications: [])) { _ in }
        }
        #expect(error?.description.contains("4 bytes of application data") == true)
    }

    @Test func `files of cards, and whether a message may be written, are those of the test`() async throws {
        let desfire: (NFCNDEFMessage?, Bool) -> TestTag = { .desfire($0, isWritable: $1) }
        let ntag424: (NFCNDEFMessage?, Bool) -> TestTag = { .ntag424($0, isWritable: $1) }
        for make in [desfire, ntag424] {
            for isWritable in [true, false] {
                try await withVirtualTag(make(NFCNDEFMessage(data: Data([0xD0, 0, 0])), isWritable)) { tag in
                    #expect(tag.file(0xE104)?.prefix(5) == Data([0, 3, 0xD0, 0, 0]))
                    #expect(tag.file(0xE103)?.count ?? 0 >= 15 && tag.file(0x0001) == nil)
                    let declared = await tag.isWritable
                    #expect(declared == isWritable)
                }
            }
        }
    }
}
