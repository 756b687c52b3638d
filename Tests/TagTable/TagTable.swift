package import NFCTags
import Synchronization
package import VirtualTags

/// Every virtual tag on every reader model that detects it, for the table test and the table of exchanges.
package struct TagTable: Sendable {
    /// One tag on one reader.
    package struct Place: Sendable, CustomStringConvertible {
        package let model: VirtualTagModel
        package let reader: VirtualReaderModel

        package var description: String { "\(model.name) on \(reader.name)" }

        /// Whether writing needs the option flag, which readers without transparent frames do not set.
        package var isReadOnly: Bool {
            model.name == "tag-it" && ["generic", "omnikey-5321", "omnikey-5422", "springcard"].contains(reader.name)
        }

        /// Whether nfcd reads the tag behind this reader: the FeliCa commands of SpringCard readers reveal too little.
        fileprivate var isServed: Bool {
            !(reader.name == "springcard" && ["felica-lite", "felica-lite-s", "type3"].contains(model.name))
        }

        /// The tag with a message (nil: in its factory state), in the field of a reader that is on.
        package func card(message: [UInt8]?) throws -> CountingCard? {
            let tag = try model.makeTag(ndefMessage: message)
            return reader.card(tag).map { CountingCard($0, readerName: reader.readerName) }
        }
    }

    /// All places, in the order of the catalogues.
    package static let places: [Place] = VirtualTagModel.all.flatMap { model in
        VirtualReaderModel.all.compactMap { reader in
            let place = Place(model: model, reader: reader)
            return place.isServed && (try? place.card(message: nil)) != nil ? place : nil
        }
    }

    /// A message of exactly this size, at least 3 bytes: one record of unknown type.
    package static func message(_ count: Int) -> [UInt8] {
        let header: [UInt8] =
            count <= 3 + 255
            ? [0xD5, 0x00, UInt8(truncatingIfNeeded: count - 3)]
            : [0xC5, 0x00] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (count - 6) >> $0) }
        return header + (header.count..<max(count, header.count)).map { UInt8(truncatingIfNeeded: $0 % 251) }
    }
}

/// An operation of the table.
package enum TableOperation: String, Sendable, CaseIterable {
    case readShort = "read short"
    case readFull = "read full"
    case writeShort = "write short"
    case writeFull = "write full"
    case erase
    case format
    case lock

    /// The result.
    package struct Outcome: Sendable {
        /// The APDUs after detection; nil if tag or reader do not support the operation.
        package let exchanges: Int?
        /// The reason.
        package let refusal: TagError?
        /// The message that a second driver reads afterwards.
        package let found: NDEFReadResult
        /// The card, for further operations.
        package let card: CountingCard
    }

    /// A short message: a URL of about 20 bytes.
    package static let short = TagTable.message(20)

    /// The message on the tag before; nil for its factory state.
    func before(full: [UInt8]) -> [UInt8]? {
        switch self {
        case .readShort, .erase, .lock: Self.short
        case .readFull: full
        case .writeShort, .writeFull: []
        case .format: nil
        }
    }

    /// Performs the operation on a new tag.
    ///
    /// - Returns: nil if the reader does not detect the tag.
    package func perform(at place: TagTable.Place) async throws -> Outcome? {
        let full = TagTable.message(try await place.capacity())
        guard let card = try place.card(message: before(full: full)), let tag = try await card.driver() else {
            return nil
        }
        let refusal = try await refusal { () throws(TagError) in
            switch self {
            case .readShort, .readFull: _ = try await tag.readNDEF()
            case .writeShort: try await tag.writeNDEF(Self.short, verifying: false)
            case .writeFull: try await tag.writeNDEF(full, verifying: false)
            case .erase: try await tag.writeNDEF([], verifying: false)
            case .format: try await tag.formatNDEF()
            case .lock: try await tag.makeReadOnly()
            }
        }
        let exchanges = card.exchanges
        guard let second = try await card.driver() else { return nil }
        return Outcome(
            exchanges: refusal == nil ? exchanges : nil, refusal: refusal, found: try await second.readNDEF(),
            card: card)
    }

    /// The error of an unsupported operation; all others are thrown.
    private func refusal(_ body: () async throws(TagError) -> Void) async throws(TagError) -> TagError? {
        do throws(TagError) {
            try await body()
            return nil
        } catch {
            guard error.code == .unsupportedFeature else { throw error }
            return error
        }
    }
}

extension TagTable.Place {
    /// The capacity that the tag reports through this reader.
    package func capacity() async throws -> Int {
        guard let card = try card(message: []), let tag = try await card.driver() else { return 0 }
        return try await tag.queryStatus().capacity
    }
}

/// A virtual card on a reader as nfcd uses it: identified, behind a driver, with every APDU counted.
package final class CountingCard: CardChannel {
    private let card: any VirtualCard
    private let readerName: String
    private let sent = Mutex<[[UInt8]]>([])

    init(_ card: any VirtualCard, readerName: String) {
        self.card = card
        self.readerName = readerName
        card.powerOn()
    }

    /// The number of commands since the last ``driver()``.
    package var exchanges: Int { sent.withLock { $0.count } }
    /// The number of commands that change the tag: `FF D6` and UPDATE BINARY.
    package var updates: Int { sent.withLock { $0.count { $0.dropFirst().first == 0xD6 } } }

    /// Identifies the tag and creates its driver, as on a new tap; then counting begins.
    package func driver() async throws -> (any NDEFTag)? {
        card.reset()
        let identity = try await identify(atr: card.answerToReset, channel: self)
        sent.withLock { $0 = [] }
        let reconnection = CardReconnection(identifier: identity.identifier) { [card] in card.reset() }
        return ndefTag(
            for: identity, channel: self, profile: .profile(reader: readerName), reconnection: reconnection)
    }

    package func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        sent.withLock { $0.append(command) }
        let response = card.transmit(command)
        guard card.isPresent || !response.isEmpty else { throw .tagLost }
        return response
    }
}
