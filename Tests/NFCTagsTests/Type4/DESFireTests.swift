import NFCTags
import Testing
import TestSupport

@Suite struct `Native DESFire commands` {
    @Test func `are wrapped into class 90`() async throws {
        let card = ScriptedCard([("905A000003 010000 00", "9100")])
        let response = try await DESFireChannel(channel: card).send(0x5A, [1, 0, 0])
        #expect(response == DESFireResponse(status: .operationOK, data: []))
        #expect(card.isFinished)
    }

    @Test func `without data have no Lc`() async throws {
        let card = ScriptedCard([("906A000000", "0100009100")])
        #expect(try await DESFireChannel(channel: card).send(0x6A).data == [1, 0, 0])
    }

    @Test func `are answered in several frames`() async throws {
        let card = ScriptedCard([("9060000000", "0191AF"), ("90AF000000", "0291AF"), ("90AF000000", "039100")])
        let response = try await DESFireChannel(channel: card).send(0x60)
        #expect(response == DESFireResponse(status: .operationOK, data: [1, 2, 3]))
        #expect(card.isFinished)
    }

    @Test func `are sent in several frames, and may be answered in several`() async throws {
        let data = [UInt8](repeating: 0xDA, count: 120)
        let full = String(repeating: "DA", count: 55)
        let card = ScriptedCard([
            ("903D000037" + full + "00", "91AF"), ("90AF000037" + full + "00", "91AF"),
            ("90AF00000A" + String(full.prefix(20)) + "00", "0191AF"), ("90AF000000", "029100"),
        ])
        #expect(try await DESFireChannel(channel: card).send(0x3D, data).data == [1, 2])
        #expect(card.isFinished)
    }

    @Test(arguments: [
        ("919D", DESFireStatus(rawValue: 0x9D)), ("91AE", .init(rawValue: 0xAE)), ("9101", .init(rawValue: 1)),
    ])
    func `that are refused return the status`(answer: String, status: DESFireStatus) async throws {
        let long = [UInt8](repeating: 0, count: 100)
        for data in [[], long] {
            let body = data.isEmpty ? "00" : "37" + String(repeating: "00", count: 56)
            let card = ScriptedCard([("90BD0000" + body, answer)])
            #expect(try await DESFireChannel(channel: card).send(0xBD, data).status == status)
        }
    }

    @Test func `that end before all data was sent are errors`() async {
        let card = ScriptedCard([("903D000037" + String(repeating: "00", count: 56), "9100")])
        let error = await #expect(throws: TagError.self) {
            try await DESFireChannel(channel: card).send(0x3D, [UInt8](repeating: 0, count: 56))
        }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail.contains("only a part of native command 3D") == true)
    }

    @Test func `of one frame leave the next one to the caller`() async throws {
        let card = ScriptedCard([("901A000001 00 00", "112233445566778891AF")])
        let response = try await DESFireChannel(channel: card).exchange(0x1A, [0])
        #expect(response.status == .additionalFrame)
        #expect(response.data.count == 8)
    }

    static let nonsense: [(answer: String, code: NFCErrorCode)] = [
        ("", .tagResponseError), ("91", .tagResponseError), ("9000", .tagResponseError), ("6E00", .tagResponseError),
        ("6D00", .tagResponseError), ("0091", .tagResponseError), ("lost", .tagConnectionLost),
        ("silent", .tagResponseError),
    ]

    @Test(arguments: nonsense)
    func `that are not understood are errors`(answer: String, code: NFCErrorCode) async {
        for turn in 1...2 {
            let turns: [ScriptedCard.Turn] = [("9060000000", "0191AF"), ("90AF000000", "029100")]
            let card = ScriptedCard(turns, answering: answer, at: turn)
            let error = await #expect(throws: TagError.self) { try await DESFireChannel(channel: card).send(0x60) }
            #expect(error?.code == code)
            #expect(card.count == turn)
        }
    }

    struct Parrot: CardChannel {
        let answer: [UInt8]
        func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] { answer }
    }

    @Test(arguments: [[], [UInt8](repeating: 0, count: 59)])
    func `whose answer does not end are aborted`(data: [UInt8]) async {
        let error = await #expect(throws: TagError.self) {
            try await DESFireChannel(channel: Parrot(answer: data + [0x91, 0xAF])).send(0x60)
        }
        #expect(error?.detail.contains("does not end") == true)
    }

    @Test func `of more than 255 bytes do not fit one frame`() async {
        let error = await #expect(throws: TagError.self) {
            try await DESFireChannel(channel: ScriptedCard([] as [ScriptedCard.Turn])).exchange(
                0x3D, [UInt8](repeating: 0, count: 256))
        }
        #expect(error?.code == .packetTooLong)
    }

    static let names: [(UInt8, String)] = [
        (0x00, "00 OPERATION_OK"), (0x1C, "1C ILLEGAL_COMMAND_CODE"), (0x40, "40 NO_SUCH_KEY"),
        (0x7E, "7E LENGTH_ERROR"), (0x9D, "9D PERMISSION_DENIED"), (0x9E, "9E PARAMETER_ERROR"),
        (0xA0, "A0 APPLICATION_NOT_FOUND"), (0xAE, "AE AUTHENTICATION_ERROR"), (0xAF, "AF ADDITIONAL_FRAME"),
        (0xBE, "BE BOUNDARY_ERROR"), (0xCA, "CA COMMAND_ABORTED"), (0xF0, "F0 FILE_NOT_FOUND"), (0x77, "77"),
    ]

    @Test(arguments: names)
    func `have statuses with names`(byte: UInt8, name: String) {
        #expect(DESFireStatus(rawValue: byte).description == name)
    }
}

@Suite struct `The version of a DESFire` {
    static let tail = "04A1B2C3D4E5F6 BA5EBA1100 2624"

    static let products: [(hardware: String, product: DESFireProduct, storage: Int)] = [
        ("04010100021805", .desfire, 4096), ("04010101001A05", .desfireEV1, 8192),
        ("04010101001605", .desfireEV1, 2048),
        ("04010112001805", .desfireEV2, 4096), ("04010122001C05", .desfireEV2, 16_384),
        ("04010133001605", .desfireEV3, 2048), ("04080130001305", .desfireLight, 512),
        ("04040210001105", .ntag413DNA, 256), ("04040230001105", .ntag424DNA, 256),
        ("04020111001605", .unknown, 2048), ("04010177001805", .unknown, 4096), ("05010101001805", .unknown, 4096),
    ]

    @Test(arguments: products)
    func `gives the product and the storage size`(hardware: String, product: DESFireProduct, storage: Int) throws {
        let version = try #require(DESFireVersion(hex(hardware + hardware + Self.tail)))
        #expect(version.product == product)
        #expect(version.hardware.storageSize == storage)
        #expect(version.software == version.hardware)
        #expect(version.identifier == hex("04A1B2C3D4E5F6"))
        #expect(version.production == hex("BA5EBA11002624"))
    }

    @Test func `never traps on an absurd storage code`() throws {
        let version = try #require(DESFireVersion(hex("0401010100FF05" + "0401010100FF05" + Self.tail)))
        #expect(version.hardware.storageSize == 1 << 32)
    }

    @Test func `is read in three frames`() async throws {
        let card = ScriptedCard([
            ("9060000000", "0404023000110591AF"), ("90AF000000", "0404020102110591AF"),
            ("90AF000000", Self.tail + "9100"),
        ])
        let version = try await DESFireChannel(channel: card).version()
        #expect(version.product == .ntag424DNA)
        #expect(version.software.minor == 0x02)
        #expect(card.isFinished)
    }

    @Test(arguments: ["9100", "919D", "911C", "04040230001105" + "9100"])
    func `that is cut off or refused is an error`(answer: String) async {
        let card = ScriptedCard([("9060000000", answer)])
        let error = await #expect(throws: TagError.self) { try await DESFireChannel(channel: card).version() }
        #expect(error?.code == .tagResponseError)
    }

    @Test func `has at least 28 bytes`() {
        for count in 0..<28 { #expect(DESFireVersion([UInt8](repeating: 4, count: count)) == nil) }
        #expect(DESFireVersion([UInt8](repeating: 4, count: 29))?.production.count == 8)
    }
}
