import NFCReaders
import NFCTags
import Synchronization
import Testing
import TestSupport
import VirtualTags

@testable import NFCSessions

/// A Type 2 tag as pages of memory behind a storage-card reader, with failures where a test wants them.
struct FakeCard: Sendable {
    var memory: [UInt8]
    var answerToReset = Fixtures.storageCardATR
    /// Connecting fails with this.
    var connecting: CardChannelError?
    /// A reset fails with this.
    var reconnecting: CardChannelError?
    /// The AID of the only application of a card of ISO/IEC 14443-4; nil for other tags.
    var application: [UInt8]?
    /// Exchanges fail with these, by their number from 1.
    var failures: [Int: CardChannelError] = [:]
    /// Called before each exchange with its number from 1.
    var onExchange: (@Sendable (Int) async -> Void)?
    /// Records how the connection is shared.
    var sharing: SharingLog?

    /// 45 pages like those of NTAG213: header, capability container, data area.
    init(container: String = "E1101200", area: [UInt8]) {
        let image = hex("04A1B29F C3D4E5F6 04480000") + hex(container) + area
        memory = image + Array(repeating: 0, count: max(0, 180 - image.count))
    }

    /// A card of ISO/IEC 14443-4 with one application.
    static func card(application: [UInt8]) -> FakeCard {
        var card = FakeCard(area: [])
        card.answerToReset = hex("3B80800101")
        card.application = application
        return card
    }

    static let url = FakeCard(area: [0x03, UInt8(Fixtures.message.count)] + Fixtures.message + [0xFE])
    static let empty = FakeCard(area: hex("0300FE"))
    static let unformatted = FakeCard(container: "00000000", area: [])
    /// A message that is longer than the tag.
    static let torn = FakeCard(area: hex("03FF0400D101"))
    /// A message whose record is longer than the message.
    static let nonsense = FakeCard(area: hex("0303D101FFFE"))

    func failing(at exchange: Int, with error: CardChannelError) -> FakeCard {
        var card = self
        card.failures[exchange] = error
        return card
    }

    func refusing(_ error: CardChannelError) -> FakeCard {
        var card = self
        card.connecting = error
        return card
    }

    func answer(to command: [UInt8]) -> [UInt8] {
        if let application, command.first == 0x00 {
            let select = hex("00A40400") + [UInt8(application.count)] + application
            return command.starts(with: select) ? hex("9000") : hex("6A82")
        }
        guard command.count == 5, command[0] == 0xFF else { return hex("6E00") }
        switch command[1] {
        case 0xCA: return memory[0..<3] + memory[4..<8] + hex("9000")
        case 0xB0: return read(page: Int(command[2]) << 8 | Int(command[3]), count: Int(command[4]))
        default: return hex("6D00")
        }
    }

    private func read(page: Int, count: Int) -> [UInt8] {
        guard page * 4 < memory.count else { return hex("6300") }
        return (0..<count).map { memory[(page * 4 + $0) % memory.count] } + hex("9000")
    }
}

/// What a connection was asked about sharing its card: `shared`, `exclusive`, and `use` and `end` of each use.
final class SharingLog: Sendable {
    private let entries = Mutex<[String]>([])
    private let refusal = Mutex<CardChannelError?>(nil)

    var all: [String] { entries.withLock { $0 } }
    /// Every use fails with this.
    var failure: CardChannelError? { refusal.withLock { $0 } }

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    func fail(with error: CardChannelError?) { refusal.withLock { $0 = error } }
}

/// A connection to a fake card.
final class FakeConnection: CardConnection, TagSharing {
    let answerToReset: [UInt8]
    private let card: FakeCard
    private let onClose: @Sendable () -> Void
    private let exchanges = Mutex(0)

    init(_ card: FakeCard, onClose: @escaping @Sendable () -> Void) {
        answerToReset = card.answerToReset
        self.card = card
        self.onClose = onClose
    }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let number = exchanges.withLock { count in
            count += 1
            return count
        }
        await card.onExchange?(number)
        if let failure = card.failures[number] { throw failure }
        return card.answer(to: command)
    }

    func reconnect() async throws(CardChannelError) {
        if let failure = card.reconnecting { throw failure }
    }

    func limited(to limit: Duration) -> any CardConnection { self }

    var sharing: (any TagSharing)? { self }

    func share(_ isShared: Bool) async throws(CardChannelError) {
        card.sharing?.add(isShared ? "shared" : "exclusive")
    }

    func beginUse() async throws(CardChannelError) {
        card.sharing?.add("use")
        if let failure = card.sharing?.failure { throw failure }
    }

    func endUse() async { card.sharing?.add("end") }

    func close() async { onClose() }
}

/// A connection to a virtual card, which records the commands.
final class ModelConnection: CardConnection {
    private let card: any VirtualCard
    private let commands = Mutex<[[UInt8]]>([])
    private let resetCount = Mutex(0)

    init(_ card: any VirtualCard) {
        self.card = card
        card.powerOn()
    }

    var answerToReset: [UInt8] { card.answerToReset }
    /// The commands so far.
    var log: [[UInt8]] { commands.withLock { $0 } }
    /// How often the card was reset.
    var resets: Int { resetCount.withLock { $0 } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        commands.withLock { $0.append(command) }
        let response = card.transmit(command)
        guard card.isPresent else { throw .tagLost }
        return response
    }

    func reconnect() async throws(CardChannelError) {
        resetCount.withLock { $0 += 1 }
        card.reset()
    }

    func limited(to limit: Duration) -> any CardConnection { self }

    var sharing: (any TagSharing)? { nil }

    func close() async { card.powerOff() }
}

extension TagCommands {
    /// A virtual card held on a reader of this name.
    static func on(
        _ card: any VirtualCard, reader: String = "acr122u"
    ) async throws -> (tag: TagCommands, connection: ModelConnection) {
        let connection = ModelConnection(card)
        let identity = try await identify(atr: connection.answerToReset, channel: connection)
        let contact = TagContact(identity: identity, connection: connection, profile: .profile(reader: reader))
        return (TagCommands(contact), connection)
    }

    /// A tag of the catalogue, as its usual reader shows it, held on a reader of this name.
    static func on(
        model: String, message: [UInt8]? = nil, reader: String = "acr122u"
    ) async throws -> (tag: TagCommands, connection: ModelConnection) {
        let tag = try VirtualTagModel.named(model).makeTag(ndefMessage: message)
        return try await on(VirtualReaderModel.named(reader)?.card(tag) ?? tag.inReader(), reader: reader)
    }
}

/// NTAG213 with password 01020304 and PACK A1A2, both to read and to write from page 4 on.
enum LockedTag {
    static let password: [UInt8] = [1, 2, 3, 4]

    static func make(_ message: [UInt8]) throws -> any VirtualTag {
        let tag = try #require(
            try VirtualTagModel.named("ntag213").makeTag(ndefMessage: message) as? VirtualType2Tag)
        var memory = tag.memory
        memory[41 * 4 + 3] = 4
        memory[42 * 4] = 0x80
        memory.replaceSubrange(43 * 4..<45 * 4, with: password + [0xA1, 0xA2, 0, 0])
        return try VirtualType2Tag(product: tag.product, memory: memory)
    }

    static func card(_ message: [UInt8]) throws -> any VirtualCard {
        let settings = try #require(VirtualReaderModel.named("acr122u")).settings
        return VirtualReader(tag: try make(message), settings: settings)
    }
}
