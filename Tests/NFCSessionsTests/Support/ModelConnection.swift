import NFCReaders
import NFCTags
import Synchronization
import VirtualTags

@testable import NFCSessions

/// A virtual card that somebody is connected to; keeps what was sent to it.
final class ModelConnection: CardConnection {
    private let card: any VirtualCard
    private let commands = Mutex<[[UInt8]]>([])

    init(_ card: any VirtualCard) {
        self.card = card
        card.powerOn()
    }

    var answerToReset: [UInt8] { card.answerToReset }
    /// The commands so far.
    var log: [[UInt8]] { commands.withLock { $0 } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        commands.withLock { $0.append(command) }
        let response = card.transmit(command)
        guard card.isPresent else { throw .tagLost }
        return response
    }

    func reconnect() async throws(CardChannelError) { card.reset() }

    func limited(to limit: Duration) -> any CardConnection { self }

    func close() async { card.powerOff() }
}

extension HeldTag {
    /// A virtual card held on a reader of this name.
    static func on(
        _ card: any VirtualCard, reader: String = "acr122u"
    ) async throws -> (tag: HeldTag, connection: ModelConnection) {
        let connection = ModelConnection(card)
        let identity = try await identify(atr: connection.answerToReset, channel: connection)
        let contact = TagContact(identity: identity, connection: connection, profile: .profile(reader: reader))
        return (HeldTag(contact), connection)
    }

    /// A tag of the catalogue, as its usual reader shows it, held on a reader of this name.
    static func on(
        model: String, message: [UInt8]? = nil, reader: String = "acr122u"
    ) async throws -> (tag: HeldTag, connection: ModelConnection) {
        let tag = try VirtualTagModel.named(model).makeTag(ndefMessage: message)
        return try await on(VirtualReaderModel.named(reader)?.card(tag) ?? tag.inReader(), reader: reader)
    }
}
