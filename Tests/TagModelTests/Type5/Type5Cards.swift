import NFCTags
import VirtualTags

/// Tags behind readers, and the driver for them.
enum Type5Cards {
    static let all: [(product: ISO15693Product, capacity: Int)] = [
        (.slix, 106), (.slix2, 312), (.st25dv04k, 504), (.st25dv64k, 8180), (.tagIt, 250),
    ]

    static func reader(_ product: ISO15693Product, _ message: [UInt8]?) throws -> StorageCardReader {
        reader(try ISO15693Tag(product: product, ndefMessage: message))
    }

    static func reader(_ tag: ISO15693Tag) -> StorageCardReader {
        var settings = StorageCardReader.Settings(for: tag)
        settings.vicinity = .init(passesFrames: true, reversesIdentifier: true)
        settings.traceLimit = 5000
        return StorageCardReader(tag: tag, settings: settings)
    }

    static func native(_ card: any VirtualCard) -> NFCTags.Type5Tag { native(ModelChannel(card)) }
    static func native(_ channel: ModelChannel) -> NFCTags.Type5Tag {
        Type5Tag(native: UTrustISO15693Channel(channel: channel))
    }
    static func blocks(_ card: any VirtualCard) -> NFCTags.Type5Tag { Type5Tag(channel: ModelChannel(card)) }

    static func model(_ reader: StorageCardReader) -> ISO15693Tag? { reader.tag as? ISO15693Tag }

    static func memory(_ reader: StorageCardReader) -> [UInt8] { model(reader)?.memory ?? [] }
}

extension StorageCardReader {
    /// How many blocks the tag was told to write or lock.
    var changes: Int {
        trace.count { entry in
            guard case .frame(let command, _) = entry, command.count > 1 else { return false }
            return [0x21, 0x22, 0x31, 0x32].contains(command[1])
        }
    }
}
