import NFCTags
import VirtualTags

/// FeliCa cards behind a reader, and the driver for them.
enum Type3Bench {
    static func reader(_ product: FeliCaProduct, message: [UInt8]? = []) throws -> VirtualReader {
        VirtualReader(tag: try FeliCaTag(product: product, ndefMessage: message))
    }

    static func tag(_ card: any VirtualCard) -> Type3Tag { tag(ModelChannel(card)) }

    static func tag(_ channel: ModelChannel) -> Type3Tag {
        Type3Tag(channel: ACR122UDataExchange(channel: channel))
    }

    /// Bytes that differ from one another and from padding.
    static func message(_ count: Int, from first: Int = 1) -> [UInt8] {
        (0..<count).map { UInt8(($0 + first) % 250 + 1) }
    }
}

/// What an operation throws, if it does.
func thrown(_ body: () async throws(TagError) -> Void) async -> TagError? {
    do throws(TagError) {
        try await body()
        return nil
    } catch {
        return error
    }
}
