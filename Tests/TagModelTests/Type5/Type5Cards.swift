import NFCTags
import VirtualTags

/// Tags behind readers, and the driver for them.
enum Type5Cards {
    static let all: [(product: ISO15693Product, capacity: Int)] = [
        (.slix, 106), (.slix2, 312), (.st25dv04k, 504), (.st25dv64k, 8180), (.tagIt, 250),
    ]

    static func reader(_ product: ISO15693Product, _ message: [UInt8]?) throws -> VirtualReader {
        reader(try ISO15693Tag(product: product, ndefMessage: message))
    }

    static func reader(_ tag: ISO15693Tag) -> VirtualReader {
        var settings = VirtualReader.Settings()
        settings.vicinity = .init(passesFrames: true, reversesIdentifier: true)
        settings.traceLimit = 5000
        return VirtualReader(tag: tag, settings: settings)
    }

    static func native(_ card: any VirtualCard) -> NFCTags.Type5Tag { native(ModelChannel(card)) }
    static func native(_ channel: ModelChannel) -> NFCTags.Type5Tag {
        Type5Tag(native: UTrustISO15693Channel(channel: channel))
    }
    static func blocks(_ card: any VirtualCard) -> NFCTags.Type5Tag { Type5Tag(channel: ModelChannel(card)) }

    static func model(_ reader: VirtualReader) -> ISO15693Tag? { reader.tag as? ISO15693Tag }

    /// LOCK BLOCK as somebody else may have sent it.
    static func lock(_ block: UInt8, on reader: VirtualReader) {
        reader.powerOn()
        _ = reader.transmit([0xFF, 0xFD, 6, 1, 3, 0x02, 0x22, block, 0])
    }

    static func memory(_ reader: VirtualReader) -> [UInt8] { model(reader)?.memory ?? [] }
}

extension VirtualReader {
    /// How many blocks the tag was told to write or lock.
    var changes: Int {
        trace.count { entry in
            guard case .frame(let command, _) = entry, command.count > 1 else { return false }
            return [0x21, 0x22, 0x31, 0x32].contains(command[1])
        }
    }
}
