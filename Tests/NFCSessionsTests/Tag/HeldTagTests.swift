import NFCReaders
import NFCTags
import Testing
import TestSupport
import VirtualTags

@testable import NFCSessions

@Suite(.timeLimit(.minutes(20))) struct `A held tag` {
    @Test func `is described and dumped`() async throws {
        let (tag, _) = try await TagCommands.on(model: "ntag215", message: Fixtures.message)
        let description = try await tag.driver().describe()
        #expect(description.product == "NTAG215" && description.lockState == .unlocked)
        #expect(description.fields.contains { $0.label == "Originality signature" })
        let dump = try await tag.driver().dump()
        #expect(dump.layout == .type2 && dump.blocks.count == 135)
        #expect(dump.blocks[4].bytes?.bytes == [0x03, 0x10] + Fixtures.message.prefix(2))
    }

    @Test func `reports each step of a write`() async throws {
        let (tag, _) = try await TagCommands.on(model: "ntag213")
        try await tag.formatNDEF()
        let steps = StepLog()
        try await tag.writeNDEF(Fixtures.message, verifying: false) { steps.add($0, $1) }
        let log = steps.all
        #expect(log.count > 2 && log.last.map { $0.done == $0.total } == true)
        #expect(log.map(\.done) == Array(1...log.count))
    }

    @Test func `takes its password, and distinguishes a wrong one from one of another length`() async throws {
        let (tag, _) = try await TagCommands.on(try LockedTag.card(Fixtures.message))
        #expect(await failure { _ = try await tag.authenticate(password: [1, 2, 3]) }?.code == .unsupportedFeature)
        #expect(await failure { _ = try await tag.authenticate(password: [9, 9, 9, 9]) }?.code == .tagResponseError)
        #expect(await failure { _ = try await tag.readNDEF() }?.code == .tagResponseError)
        #expect(try await tag.authenticate(password: LockedTag.password) == [0xA1, 0xA2])
        #expect(try await tag.readNDEF().message == Fixtures.message)
        try await tag.writeNDEF([0xD0, 0, 0], verifying: true)
    }

    /// What gives a tag a secret, or uses it again.
    struct Secret: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let model: String
        let bytes: [UInt8]
        let use: @Sendable (TagCommands) async throws(TagError) -> Void
    }

    static let secrets = [
        Secret(testDescription: "password", model: "locked", bytes: LockedTag.password) { tag throws(TagError) in
            _ = try await tag.authenticate(password: LockedTag.password)
            _ = try await tag.readNDEF()
            try await tag.writeNDEF([0xD0, 0, 0], verifying: true)
        },
        Secret(testDescription: "new password", model: "ntag213", bytes: [0xA1, 0xB2, 0xC3, 0xD4]) {
            tag throws(TagError) in
            tag.withhold([0xA1, 0xB2, 0xC3, 0xD4])
            guard let driver = try tag.driver() as? any SettableTag else { return }
            _ = try await driver.setPassword(TagPassword(password: [0xA1, 0xB2, 0xC3, 0xD4]))
        },
        Secret(testDescription: "new key", model: "ultralight-aes", bytes: key) { tag throws(TagError) in
            tag.withhold(key)
            guard let driver = try tag.driver() as? any SettableTag else { return }
            _ = try await driver.setPassword(TagPassword(password: HexBytes(key)))
        },
        Secret(
            testDescription: "key of a sector", model: "mifare-classic-1k", bytes: [0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5]
        ) {
            tag throws(TagError) in
            try await tag.authenticate(block: 4, key: [0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5], type: .a)
        },
    ]
    static let key: [UInt8] = (0..<16).map { 0x90 ^ ($0 * 11) }

    /// At which exchange the tag leaves, or answers nonsense.
    @Test(arguments: secrets, [Fault.removeBefore, .removeDuring, .answer([0x67])])
    func `never shows a secret in an error`(secret: Secret, fault: Fault) async throws {
        for exchange in 1...40 {
            let inside =
                secret.model == "locked"
                ? try LockedTag.card(Fixtures.message)
                : VirtualReaderModel.named("acr122u")?.card(
                    try VirtualTagModel.named(secret.model).makeTag(ndefMessage: nil))
            let card = FaultInjectingCard(try #require(inside), plan: FaultPlan(fault, at: exchange))
            guard let (tag, _) = try? await TagCommands.on(card) else { continue }
            let error = await failure { try await tag.run(secret.use) }
            let shown = error.map { $0.detail.filter { $0 != " " } } ?? ""
            for part in [secret.bytes, secret.bytes.reversed()].flatMap(Self.parts) {
                #expect(!shown.contains(part), "exchange \(exchange): \(shown)")
            }
        }
    }

    /// Each 4 bytes that follow one another.
    private static func parts(_ bytes: some Collection<UInt8>) -> [String] {
        let bytes = Array(bytes)
        return (0...(bytes.count - 4)).map { Hexadecimal.string(Array(bytes[$0..<($0 + 4)])) }
    }

    @Test(arguments: [(true, 1), (false, 0)])
    func `is reset after raw commands, so that the next session finds nothing authenticated`(
        isRaw: Bool, resets: Int
    ) async throws {
        let connection = ModelConnection(try VirtualTagModel.named("type4").makeTag(ndefMessage: []).inReader())
        let contact = TagContact(
            identity: TagIdentity(technology: .iso14443Part4(.a), identifier: [], atr: []), connection: connection,
            profile: .generic)
        let tag = HeldTag(contact, on: Fixtures.desk)
        _ = try await tag.takePlace().run { tag throws(TagError) in
            if isRaw { _ = try await tag.sendCommand(hex("00A4040007D276000085010100")) }
            return try await tag.readNDEF()
        }
        await tag.close(TagError(.sessionInvalidated, "over"))
        #expect(connection.resets == resets)
    }

    @Test func `of no known layout is not described, dumped or written`() async throws {
        let (_, connection) = try await TagCommands.on(model: "ntag213")
        let identity = TagIdentity(technology: .iso14443Part3(.a), identifier: [], atr: [])
        let tag = TagCommands(TagContact(identity: identity, connection: connection, profile: .generic))
        #expect(await failure { _ = try await tag.driver().describe() }?.code == .unsupportedFeature)
        #expect(await failure { _ = try await tag.driver().dump() }?.code == .unsupportedFeature)
        #expect(await failure { try await tag.formatNDEF() }?.code == .unsupportedFeature)
        #expect(try await tag.readNDEF().status == .notSupported)
    }
}

@Suite(.timeLimit(.minutes(20))) struct `Raw commands` {
    @Test func `go to a Type 2 tag without CRC`() async throws {
        let (tag, _) = try await TagCommands.on(model: "ntag215")
        #expect(try await tag.sendMiFareCommand([0x60]) == hex("0004040201001103"))
        #expect(try await tag.sendMiFareCommand([0x3A, 3, 4]).count == 8)
        #expect(await failure { _ = try await tag.sendMiFareCommand([]) }?.code == .packetTooLong)
        #expect(await failure { _ = try await tag.sendMiFareCommand([0x3A, 200, 201]) }?.code == .tagResponseError)
    }

    @Test func `go to a FeliCa card without length byte`() async throws {
        let (tag, connection) = try await TagCommands.on(model: "felica-lite-s", message: Fixtures.message)
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
        let (tag, _) = try await TagCommands.on(card, reader: "Identiv uTrust 3700 F Contactless Reader")
        let block = try await tag.sendRequest(flags: 0x02, command: 0x20, data: [0])
        #expect(block.flags == 0 && block.data.count == 4 && block.data.first == 0xE1)
        // The error flag is an answer, with its code.
        let missing = try await tag.sendRequest(flags: 0x02, command: 0x20, data: [0xFF])
        #expect(missing.flags == 1 && missing.data.count == 1)
        let (other, connection) = try await TagCommands.on(card, reader: "generic")
        let count = connection.log.count
        let error = await failure { _ = try await other.sendRequest(flags: 2, command: 0x20, data: [0]) }
        #expect(error?.code == .unsupportedFeature && error?.detail.contains("PC/SC reader") == true)
        #expect(connection.log.count == count)
    }

    @Test func `need a reader that lets them pass`() async throws {
        let (tag, connection) = try await TagCommands.on(model: "ntag213", reader: "generic")
        let count = connection.log.count
        let error = await failure { _ = try await tag.sendMiFareCommand([0x60]) }
        #expect(error?.code == .unsupportedFeature && connection.log.count == count)
        // The transport of an unknown reader is tried; its refusal is not an answer of the card.
        let silent = ModelConnection(VirtualReader(tag: try VirtualTagModel.named("ntag213").makeTag()))
        let feliCa = TagCommands(
            TagContact(
                identity: TagIdentity(technology: .feliCa, identifier: hex("0102030405060708"), atr: []),
                connection: silent, profile: .generic))
        #expect(await failure { _ = try await feliCa.sendFeliCaCommand([0x06]) }?.code == .unsupportedFeature)
    }

    @Test(arguments: ["ntag213", "type4", "felica-lite-s", "slix2", "mifare-classic-1k", "topaz512"])
    func `for another kind of tag are refused before anything is sent`(model: String) async throws {
        let (tag, connection) = try await TagCommands.on(model: model)
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
        let (tag, _) = try await TagCommands.on(model: model, message: Fixtures.message)
        #expect(try await tag.readNDEF().message == Fixtures.message)
        // Another file, and no application.
        for select in ["00A4000C02E103", "00A4040007D2760000850101", "00A40004023F00"] {
            _ = try await tag.sendCommand(hex(select))
            #expect(try await tag.readNDEF().message == Fixtures.message)
        }
    }

    @Test func `end an authentication, which can be repeated`() async throws {
        let (tag, _) = try await TagCommands.on(try LockedTag.card(Fixtures.message))
        _ = try await tag.authenticate(password: LockedTag.password)
        #expect(try await tag.readNDEF().message == Fixtures.message)
        _ = try await tag.sendMiFareCommand([0x60])
        #expect(await failure { try await tag.writeNDEF([0xD0, 0, 0], verifying: false) }?.code == .tagNotWritable)
        _ = try await tag.authenticate(password: LockedTag.password)
        try await tag.writeNDEF([0xD0, 0, 0], verifying: true)
    }
}

@Suite(.timeLimit(.minutes(20))) struct `The blocks of a held MIFARE Classic` {
    static let transport = [UInt8](repeating: 0xFF, count: 6)

    @Test func `are read and written once their sector is open`() async throws {
        let (tag, _) = try await TagCommands.on(model: "mifare-classic-1k")
        #expect(await failure { _ = try await tag.readBlock(4) }?.detail == "sector 1 is not open")
        try await tag.authenticate(block: 4, key: Self.transport, type: .a)
        let content = [UInt8](1...16)
        try await tag.writeBlock(4, content, allowsTrailer: false)
        #expect(try await tag.readBlock(4) == content)
        #expect(await failure { _ = try await tag.readBlock(8) }?.detail == "sector 2 is not open")
    }

    @Test func `that hold keys are written only where that is allowed, and block 0 never`() async throws {
        let (tag, connection) = try await TagCommands.on(model: "mifare-classic-1k")
        try await tag.authenticate(block: 7, key: Self.transport, type: .a)
        let trailer = Self.transport + hex("FF078069") + Self.transport
        let count = connection.log.count
        #expect(
            await failure { try await tag.writeBlock(7, trailer, allowsTrailer: false) }?.code == .securityViolation)
        let useless = await failure {
            try await tag.writeBlock(7, [UInt8](repeating: 0, count: 16), allowsTrailer: true)
        }
        #expect(useless?.code == .securityViolation && connection.log.count == count)
        try await tag.writeBlock(7, trailer, allowsTrailer: true)
        try await tag.authenticate(block: 0, key: Self.transport, type: .a)
        #expect(await failure { try await tag.writeBlock(0, trailer, allowsTrailer: true) }?.code == .securityViolation)
    }

    @Test func `count, where the reader's commands for it are known`() async throws {
        let (tag, connection) = try await TagCommands.on(
            model: "mifare-classic-1k", reader: "ACS ACR122U PICC Interface")
        try await tag.authenticate(block: 4, key: Self.transport, type: .a)
        let five: [UInt8] = hex("05000000FAFFFFFF0500000004FB04FB")
        try await tag.writeBlock(4, five, allowsTrailer: false)
        try await tag.increment(4, by: 3)
        try await tag.decrement(4, by: 1)
        try await tag.copyValue(from: 4, to: 5)
        #expect(try await tag.readBlock(5).first == 7)
        let count = connection.log.count
        #expect(await failure { try await tag.increment(4, by: -1) }?.code == .unsupportedFeature)
        let generic = TagCommands(TagContact(identity: tag.identity, connection: connection, profile: .generic))
        try await generic.authenticate(block: 4, key: Self.transport, type: .a)
        #expect(await failure { try await generic.increment(4, by: 1) }?.code == .unsupportedFeature)
        #expect(connection.log.count == count + 2)
    }

    @Test(arguments: [-1, 64, Int.max, Int.min])
    func `that are not there are refused`(block: Int) async throws {
        let (tag, connection) = try await TagCommands.on(model: "mifare-classic-1k")
        let count = connection.log.count
        let errors = [
            await failure { try await tag.authenticate(block: block, key: Self.transport, type: .a) },
            await failure { _ = try await tag.readBlock(block) },
            await failure { try await tag.writeBlock(block, [], allowsTrailer: false) },
            await failure { try await tag.copyValue(from: block, to: block) },
        ]
        #expect(errors.allSatisfy { $0?.code == .unsupportedFeature } && connection.log.count == count)
        #expect(
            await failure { try await tag.authenticate(block: 0, key: [1], type: .a) }?.detail
                == "a MIFARE Classic key has 6 bytes, not 1")
    }

    @Test func `have to be opened again after NDEF was read`() async throws {
        let (tag, _) = try await TagCommands.on(model: "mifare-classic-1k", message: Fixtures.message)
        #expect(try await tag.readNDEF().message == Fixtures.message)
        try await tag.authenticate(block: 4, key: hex("D3F7D3F7D3F7"), type: .a)
        #expect(try await tag.readBlock(4).contains(0x03))
        #expect(try await tag.readNDEF().message == Fixtures.message)
        #expect(await failure { _ = try await tag.readBlock(4) }?.detail == "sector 1 is not open")
    }
}

@Suite struct `Withheld secrets` {
    @Test func `are replaced, with the pages of a key`() {
        var secrets = WithheldSecrets()
        secrets.add([1, 2, 3, 4])
        secrets.add(Array(0x10...0x1F))
        secrets.add([])
        #expect(secrets.removed(from: "no answer to 1B01020304 or 1F1E1D1C, FFCA") == "no answer to 1B… or …, FFCA")
        #expect(secrets.count == 2)
    }

    @Test func `cost no more after many attempts, and are kept as long as a driver sends them again`() {
        var secrets = WithheldSecrets()
        for number in 0...UInt8.max { secrets.add([0xA0, 0xB0, 0xC0, number]) }
        secrets.add([UInt8](repeating: 7, count: 500_000))
        secrets.add([0xA0, 0xB0, 0xC0, 0xFE])
        secrets.add([0xA0, 0xB0, 0xC0, 0xFE])
        #expect(secrets.count == WithheldSecrets.limit)
        #expect(secrets.removed(from: "A0B0C0FE A0B0C0FF A0B0C000") == "… … A0B0C000")
    }
}
