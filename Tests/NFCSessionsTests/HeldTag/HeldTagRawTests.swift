import NFCReaders
import NFCTags
import Testing
import VirtualTags

@testable import NFCSessions

@Suite(.timeLimit(.minutes(5))) struct `Commands as they are` {
    @Test func `go to a Type 2 tag without CRC`() async throws {
        let (tag, _) = try await HeldTag.on(model: "ntag215")
        #expect(try await tag.sendMiFareCommand([0x60]) == hex("0004040201001103"))
        #expect(try await tag.sendMiFareCommand([0x3A, 3, 4]).count == 8)
        #expect(await failure { _ = try await tag.sendMiFareCommand([]) }?.code == .packetTooLong)
        #expect(await failure { _ = try await tag.sendMiFareCommand([0x3A, 200, 201]) }?.code == .tagResponseError)
    }

    @Test func `go to a FeliCa card without length byte`() async throws {
        let (tag, connection) = try await HeldTag.on(model: "felica-lite-s", message: Fixtures.message)
        let answer = try await tag.sendFeliCaCommand([0x06] + tag.identity.identifier + hex("010B00018000"))
        #expect(answer.starts(with: [0x07] + tag.identity.identifier + [0, 0, 1]))
        #expect(answer.dropFirst(12).first == 0x10)
        let count = connection.log.count
        for packet in [[], [UInt8](repeating: 0, count: 255), [UInt8](repeating: 0, count: 70_000)] {
            #expect(await failure { _ = try await tag.sendFeliCaCommand(packet) }?.code == .packetTooLong)
        }
        #expect(connection.log.count == count)
    }

    @Test func `go to an ISO 15693 tag through a reader that lets them pass`() async throws {
        let virtual = try VirtualTagModel.named("slix2").makeTag(ndefMessage: Fixtures.message)
        var settings = VirtualReader.Settings()
        settings.vicinity.passesFrames = true
        let card = VirtualReader(tag: virtual, settings: settings)
        let (tag, _) = try await HeldTag.on(card, reader: "Identiv uTrust 3700 F Contactless Reader")
        let block = try await tag.sendRequest(flags: 0x02, command: 0x20, data: [0])
        #expect(block.flags == 0 && block.data.count == 4 && block.data.first == 0xE1)
        // The error flag is an answer, with its code.
        let missing = try await tag.sendRequest(flags: 0x02, command: 0x20, data: [0xFF])
        #expect(missing.flags == 1 && missing.data.count == 1)
        let (other, connection) = try await HeldTag.on(card, reader: "generic")
        let count = connection.log.count
        let error = await failure { _ = try await other.sendRequest(flags: 2, command: 0x20, data: [0]) }
        #expect(error?.code == .unsupportedFeature && error?.detail.contains("PC/SC reader") == true)
        #expect(connection.log.count == count)
    }

    @Test func `need a reader that lets them pass`() async throws {
        let (tag, connection) = try await HeldTag.on(model: "ntag213", reader: "generic")
        let count = connection.log.count
        let error = await failure { _ = try await tag.sendMiFareCommand([0x60]) }
        #expect(error?.code == .unsupportedFeature && connection.log.count == count)
        // The way of the ACR122U is tried, as nobody knows; the refusal is no answer of the card's.
        let silent = ModelConnection(VirtualReader(tag: try VirtualTagModel.named("ntag213").makeTag()))
        let feliCa = HeldTag(
            TagContact(
                identity: TagIdentity(technology: .feliCa, identifier: hex("0102030405060708"), atr: []),
                connection: silent, profile: .generic))
        #expect(await failure { _ = try await feliCa.sendFeliCaCommand([0x06]) }?.code == .unsupportedFeature)
    }

    @Test(arguments: ["ntag213", "type4", "felica-lite-s", "slix2", "mifare-classic-1k", "topaz512"])
    func `for another kind of tag are refused before anything is sent`(model: String) async throws {
        let (tag, connection) = try await HeldTag.on(model: model)
        let sent = connection.log
        let type = tag.identity.type
        let attempts: [(Bool, () async throws -> Void)] = [
            (type == .miFare, { _ = try await tag.sendMiFareCommand([0x60]) }),
            (type == .feliCa, { _ = try await tag.sendFeliCaCommand([0x00]) }),
            (type == .iso15693, { _ = try await tag.sendRequest(flags: 2, command: 0x2B, data: []) }),
            (tag.identity.technology == .mifareClassic, { _ = try await tag.readBlock(0) }),
        ]
        for (isMeant, attempt) in attempts where !isMeant {
            let error = await failure { try await attempt() }
            #expect(error?.code == .unsupportedFeature)
            #expect(error?.detail.contains("\(tag.identity.technology)") == true)
        }
        #expect(connection.log == sent)
    }

    @Test(arguments: ["type4", "desfire-ev1", "ntag424"])
    func `leave nothing that a driver counts on`(model: String) async throws {
        let (tag, _) = try await HeldTag.on(model: model, message: Fixtures.message)
        #expect(try await tag.readNDEF().message == Fixtures.message)
        // Another file, and no application.
        for select in ["00A4000C02E103", "00A4040007D2760000850101", "00A40004023F00"] {
            _ = try await tag.sendCommand(hex(select))
            #expect(try await tag.readNDEF().message == Fixtures.message)
        }
    }

    @Test func `make the password forgotten, which can be given again`() async throws {
        let (tag, _) = try await HeldTag.on(try LockedTag.card(Fixtures.message))
        _ = try await tag.authenticate(password: LockedTag.password)
        #expect(try await tag.readNDEF().message == Fixtures.message)
        _ = try await tag.sendMiFareCommand([0x60])
        #expect(await failure { try await tag.writeNDEF([0xD0, 0, 0], verifying: false) }?.code == .tagNotWritable)
        _ = try await tag.authenticate(password: LockedTag.password)
        try await tag.writeNDEF([0xD0, 0, 0], verifying: true)
    }
}
