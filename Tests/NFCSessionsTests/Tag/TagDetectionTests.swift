import NFCReaders
import NFCTags
import Testing
import TestSupport
import VirtualTags

@testable import NFCSessions

/// As what tags are delivered.
@Suite struct `Detection` {
    static func detect(
        _ card: any VirtualCard, reader: String = "acr122u", _ options: PollingOptions
    ) async throws -> (delivery: TagDelivery?, log: [[UInt8]]) {
        let connection = ModelConnection(card)
        let identity = try await identify(atr: connection.answerToReset, channel: connection)
        let contact = TagContact(identity: identity, connection: connection, profile: .profile(reader: reader))
        let before = connection.log.count
        let delivery = try await TagDetection(contact: contact, options: options).delivery()
        return (delivery, Array(connection.log.dropFirst(before)))
    }

    static func select(_ name: [UInt8]) -> [UInt8] { hex("00A40400") + [UInt8(name.count)] + name + [0x00] }

    @Test func `selects the applications in order and keeps the first that exists`() async throws {
        let card = LoginCard([LoginCard.piv, LoginCard.oath]).inReader()
        let names = [LoginCard.fido, LoginCard.oath, LoginCard.piv]
        let (delivery, log) = try await Self.detect(card, PollingOptions(selectIdentifiers: names))
        #expect(delivery == TagDelivery(.iso7816, initialSelectedAID: LoginCard.oath))
        #expect(log == [Self.select(LoginCard.fido), Self.select(LoginCard.oath)])
        // The second of the card's own is the one that is selected.
        #expect(card.transmit(hex("00010000")) == hex("019000"))
    }

    @Test(arguments: ["9000", "6110", "6283", "6300"]) func `treats a warning as success`(status: String) async throws {
        let card = LoginCard([LoginCard.fido], selectStatus: hex(status)).inReader()
        let (delivery, _) = try await Self.detect(card, PollingOptions(selectIdentifiers: [LoginCard.fido]))
        #expect(delivery?.initialSelectedAID == LoginCard.fido)
    }

    static let others: [(historicalBytes: String, type: TagType?)] = [
        ("5975", nil), ("80", .miFare), ("C1052F2F01BCD6", .miFare), ("C1052130", .miFare), ("8073", nil),
    ]

    @Test(arguments: others) func `delivers a card without any of them if it is a MIFARE one`(
        row: (historicalBytes: String, type: TagType?)
    ) async throws {
        for names in [[LoginCard.fido], []] {
            let card = LoginCard([LoginCard.piv], historicalBytes: hex(row.historicalBytes)).inReader()
            let (delivery, log) = try await Self.detect(card, PollingOptions(selectIdentifiers: names))
            #expect(delivery?.type == row.type)
            #expect(log == names.map(Self.select))
        }
    }

    @Test func `selects nothing without a list`() async throws {
        let (delivery, log) = try await Self.detect(LoginCard([LoginCard.piv]).inReader(), PollingOptions())
        #expect(delivery == TagDelivery(.iso7816))
        #expect(log.isEmpty)
    }

    static let ndef: [UInt8] = hex("D2760000850101")

    @Test func `selects the NDEF application by default, where that is asked for`() async throws {
        for names in [[LoginCard.piv], [LoginCard.piv, Self.ndef]] {
            let card = LoginCard(names).inReader()
            let (delivery, log) = try await Self.detect(card, PollingOptions(selectsByDefault: true))
            #expect(delivery == TagDelivery(.iso7816, initialSelectedAID: names.contains(Self.ndef) ? Self.ndef : nil))
            #expect(log == [Self.select(Self.ndef)])
        }
        // A list takes precedence.
        let listed = PollingOptions(selectIdentifiers: [LoginCard.piv], selectsByDefault: true)
        let (delivery, log) = try await Self.detect(LoginCard([LoginCard.piv, Self.ndef]).inReader(), listed)
        #expect(delivery?.initialSelectedAID == LoginCard.piv && log == [Self.select(LoginCard.piv)])
    }

    @Test(arguments: ["80", "C1052F2F01BCD6", "C105213000"])
    func `delivers a MIFARE card as one by default, and selects nothing on it`(historicalBytes: String) async throws {
        let card = LoginCard([Self.ndef], historicalBytes: hex(historicalBytes)).inReader()
        let (delivery, log) = try await Self.detect(card, PollingOptions(selectsByDefault: true))
        #expect(delivery == TagDelivery(.miFare))
        #expect(log.isEmpty)
    }

    static let technologies: [(model: String, reader: String, technology: PollingTechnology)] = [
        ("ntag215", "acr122u", .iso14443), ("mifare-classic-1k", "acr122u", .iso14443), ("type4", "acr122u", .iso14443),
        ("felica-lite-s", "acr122u", .iso18092), ("slix2", "identiv", .iso15693),
    ]

    @Test(arguments: technologies) func `ignores tags of other technologies`(
        row: (model: String, reader: String, technology: PollingTechnology)
    ) async throws {
        for technology in [PollingTechnology.iso14443, .iso15693, .iso18092] {
            let tag = try VirtualTagModel.named(row.model).makeTag(ndefMessage: nil)
            let card = try #require(VirtualReaderModel.named(row.reader)?.card(tag))
            let (delivery, log) = try await Self.detect(
                card, reader: row.reader, PollingOptions(technologies: [technology]))
            #expect((delivery != nil) == (technology == row.technology))
            #expect(log.isEmpty)
        }
    }

    static let systems: [(codes: [UInt16], found: UInt16?)] = [
        ([0x0003, 0x12FC], 0x12FC), ([0x12FC], 0x12FC), ([0x88B4], 0x88B4), ([0x0003], nil), ([], nil),
    ]

    @Test(arguments: systems) func `polls a FeliCa card for the systems in order`(
        row: (codes: [UInt16], found: UInt16?)
    ) async throws {
        let tag = try VirtualTagModel.named("felica-lite-s").makeTag(ndefMessage: Fixtures.message)
        let card = try #require(VirtualReaderModel.named("acr122u")?.card(tag))
        let (delivery, _) = try await Self.detect(card, PollingOptions(systemCodes: row.codes))
        #expect(delivery?.systemCode == row.found)
        #expect(delivery?.manufactureIdentifier == (row.found == nil ? nil : tag.identifier))
    }

    static let defaults: [(message: [UInt8]?, reader: String, found: UInt16?)] = [
        (Fixtures.message, "acr122u", 0x12FC), (nil, "acr122u", 0x88B4), (Fixtures.message, "springcard", nil),
    ]

    @Test(arguments: defaults) func `polls a FeliCa card for NDEF by default, then for its own system`(
        row: (message: [UInt8]?, reader: String, found: UInt16?)
    ) async throws {
        let tag = try VirtualTagModel.named("felica-lite-s").makeTag(ndefMessage: row.message)
        let card = try #require(VirtualReaderModel.named(row.reader)?.card(tag))
        let (delivery, _) = try await Self.detect(card, reader: row.reader, PollingOptions(selectsByDefault: true))
        #expect(delivery?.type == .feliCa && delivery?.systemCode == row.found)
        #expect(delivery?.manufactureIdentifier == (row.found == nil ? nil : tag.identifier))
    }

    @Test func `tests for PACE only where it is polled for`() async throws {
        let (none, log) = try await Self.detect(
            LoginCard([LoginCard.piv]).inReader(), PollingOptions(technologies: [.pace]))
        #expect(none == nil)
        #expect(log == [hex("00A4020C02011C")])
        let passport = PassportCard().inReader()
        #expect(
            try await Self.detect(passport, PollingOptions(technologies: [.pace])).delivery
                == TagDelivery(.iso7816, supportsPACE: true))
    }
}

/// A card that has nothing but EF.CardAccess.
private struct PassportCard: ContactlessCard {
    let identifier: [UInt8] = hex("04112233445566")
    let historicalBytes: [UInt8] = []

    mutating func activate() {}
    mutating func fieldDropped() {}
    mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        .data(command.starts(with: hex("00A4020C02011C")) ? hex("9000") : hex("6A82"))
    }
}
