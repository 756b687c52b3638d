import NFCTags
import Testing
import VirtualTags

/// The cards that the tests of this folder go over.
struct Type4Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// The card with a message on it.
    var make: @Sendable ([UInt8]) throws -> any ContactlessCard
    var capacity: Int
    /// The most of one command, as the driver may use it.
    var readSize: Int
    var writeSize: Int
    var containerReads = 1
    var isLockable = false
    var limits = APDULimits.short
    var lengthFieldSize = 2

    var testDescription: String { name }

    /// A reader with the card that holds a message.
    func reader(_ message: [UInt8] = []) throws -> VirtualReader {
        VirtualReader(tag: try make(message))
    }

    /// The driver for a card in a reader.
    func tag(_ card: any VirtualCard) -> Type4Tag { Type4Tag(channel: ModelChannel(card), limits: limits) }

    /// Application, container file, container, file: what comes before everything else.
    var opening: Int { 3 + containerReads }
}

extension Type4Case {
    private static func generic(
        _ name: String, _ capacity: Int, read: Int, write: Int, containerReads: Int = 1, limits: APDULimits = .short,
        lengthFieldSize: Int = 2, _ change: @escaping @Sendable (inout VirtualType4Card.Configuration) -> Void
    ) -> Type4Case {
        Type4Case(
            name: name,
            make: { message in
                var configuration = VirtualType4Card.Configuration()
                change(&configuration)
                return try VirtualType4Card(configuration, ndefMessage: message)
            },
            capacity: capacity, readSize: read, writeSize: write, containerReads: containerReads, isLockable: true,
            limits: limits, lengthFieldSize: lengthFieldSize)
    }

    static let desfire = Type4Case(
        name: "desfire-ev1", make: { try VirtualDESFireCard(product: .desfireEV1, ndefMessage: $0) }, capacity: 2046,
        readSize: 0x3B, writeSize: 0x34)
    static let ntag424 = Type4Case(
        name: "ntag424", make: { try VirtualNTAG424Card(ndefMessage: $0) }, capacity: 254,
        readSize: 255, writeSize: 255, containerReads: 2)
    static let plain = generic("type4", 2046, read: 255, write: 255) { _ in }
    static let small = generic("least MLe and MLc", 62, read: 15, write: 2) {
        ($0.fileSize, $0.maximumReadSize, $0.maximumWriteSize) = (64, 15, 2)
    }
    static let extendedLength = generic(
        "extended length", 4094, read: 1024, write: 1000, limits: APDULimits(allowsExtendedLength: true)
    ) { ($0.fileSize, $0.maximumReadSize, $0.maximumWriteSize) = (4096, 1024, 1000) }
    static let pieces = generic("GET RESPONSE and 6CXX", 510, read: 255, write: 255, containerReads: 2) {
        ($0.fileSize, $0.responsePiece, $0.correctsLength, $0.hasProprietaryFile) = (512, 100, true, true)
    }
    static let extendedFile = generic(
        "type4-extended", 69_996, read: 255, write: 255, containerReads: 2, lengthFieldSize: 4
    ) { ($0.mappingVersion, $0.fileSize) = (0x30, 70_000) }
    static let version3 = generic(
        "mapping version 3", 508, read: 255, write: 255, containerReads: 2, lengthFieldSize: 4
    ) {
        ($0.mappingVersion, $0.fileSize) = (0x30, 512)
    }
    static let version1 = generic("mapping version 1", 510, read: 255, write: 255) {
        ($0.mappingVersion, $0.fileSize) = (0x10, 512)
    }

    /// Those where every operation costs exactly what the sizes say.
    static let counted = [desfire, ntag424, plain, small, extendedLength, version3]
    static let all = counted + [pieces, version1]
}

/// Bytes that differ from one another.
func content(_ count: Int, from first: Int = 0xD1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 % 199 + first) }
}
