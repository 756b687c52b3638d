import NFCTags
import VirtualTags

/// Cards behind the common reader, and the driver for them.
enum ClassicCards {
    /// The model, the driver's size, and the capacity of a formatted card.
    static let all: [(product: MIFAREClassicProduct, size: MIFAREClassicSize, capacity: Int)] = [
        (.mini, .mini, 190), (.oneK, .oneK, 716), (.fourK, .fourK, 3356),
    ]

    static func reader(_ product: MIFAREClassicProduct, _ message: [UInt8]?) throws -> VirtualReader {
        reader(try MIFAREClassicTag(product: product, ndefMessage: message))
    }

    /// A reader that leaves a card halted until it is reset.
    static func reader(_ tag: MIFAREClassicTag) -> VirtualReader {
        var settings = VirtualReader.Settings()
        settings.reactivatesAfterRefusal = false
        settings.traceLimit = 1000
        return VirtualReader(tag: tag, settings: settings)
    }

    static func tag(
        _ card: any VirtualCard, _ size: MIFAREClassicSize, identifier: [UInt8]? = nil,
        keys: MIFAREClassicNDEFKeys = MIFAREClassicNDEFKeys()
    ) -> MIFAREClassicNDEFTag {
        let channel = ModelChannel(card)
        let reconnection = identifier.map { identifier in
            CardReconnection(identifier: identifier) { () async throws(CardChannelError) in
                guard card.isPresent else { throw .tagLost }
                card.reset()
            }
        }
        return MIFAREClassicNDEFTag(channel: channel, size: size, reconnection: reconnection, keys: keys)
    }

    static func message(_ count: Int, from first: Int = 3) -> [UInt8] {
        (0..<count).map { UInt8(($0 * 7 + first) % 250 + 1) }
    }

    static func memory(_ reader: VirtualReader) -> [UInt8] { (reader.tag as? MIFAREClassicTag)?.memory ?? [] }
}
