import NFCReaders
import NFCTags
import Testing
import TestSupport
import VirtualTags

@testable import NFCSessions

/// MIFARE cards of ISO/IEC 14443-4 that are delivered as such, and their native frames.
@Suite struct `The native frames of a card` {
    private static func held(
        _ card: some ContactlessCard, _ delivery: TagDelivery = TagDelivery(.miFare)
    ) async throws -> (tag: TagCommands, connection: ModelConnection) {
        let connection = ModelConnection(card.inReader())
        let identity = try await identify(atr: connection.answerToReset, channel: connection)
        let contact = TagContact(identity: identity, connection: connection, profile: .profile(reader: "acr122u"))
        return (TagCommands(contact, as: delivery), connection)
    }

    @Test(arguments: ["C1052F2F01BCD6", "C105213000"])
    func `go to MIFARE Plus unchanged`(historicalBytes: String) async throws {
        let (tag, connection) = try await Self.held(PlusCard(historicalBytes: hex(historicalBytes)))
        #expect(tag.identity.miFareFamily == .plus)
        #expect(try await tag.sendMiFareCommand(hex("70004000")) == hex("90") + [UInt8](repeating: 0x5A, count: 16))
        #expect(connection.log.last == hex("70004000"))
        #expect(try await tag.sendMiFareCommand(hex("31000001")) == hex("06"))
    }

    @Test func `go to DESFire in an APDU, and come back with the status in front`() async throws {
        let (tag, connection) = try await Self.held(try VirtualDESFireCard(product: .desfireEV1))
        #expect(try await tag.sendMiFareCommand([0x60]).starts(with: hex("AF0401")))
        #expect(connection.log.last == hex("9060000000"))
    }

    @Test func `are refused by a card that is delivered as one of ISO 7816`() async throws {
        let card = PlusCard(historicalBytes: hex("C105213000"))
        let (tag, connection) = try await Self.held(card, TagDelivery(.iso7816))
        let sent = connection.log
        let error = await failure { _ = try await tag.sendMiFareCommand([0x60]) }
        #expect(error?.code == .unsupportedFeature && connection.log == sent)
    }
}

/// A MIFARE Plus card in security level 3 that answers First Authenticate with a challenge, and any other command with 06, as it is
/// not authenticated.
private struct PlusCard: ContactlessCard {
    let identifier: [UInt8] = hex("04504C55530102")
    let historicalBytes: [UInt8]

    mutating func activate() {}
    mutating func fieldDropped() {}
    mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        .data(command.first == 0x70 ? hex("90") + [UInt8](repeating: 0x5A, count: 16) : hex("06"))
    }
}
