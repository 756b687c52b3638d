/// What the files of an NDEF application hold (NFC Forum Type 4 Tag).
enum Type4Content {
    /// The file with the capability container.
    static let containerIdentifier: UInt16 = 0xE103
    /// The file with the message.
    static let messageIdentifier: UInt16 = 0xE104
    /// The name of the NDEF application; the last byte is 00 for mapping version 1.
    static func applicationName(mappingVersion: UInt8) -> [UInt8] {
        [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, mappingVersion < 0x20 ? 0x00 : 0x01]
    }

    /// A message behind its length, filled up to the size of the file.
    static func messageFile(
        _ message: [UInt8], size: Int, lengthFieldSize: Int
    ) throws(VirtualTagError) -> [UInt8] {
        let capacity = max(size - lengthFieldSize, 0)
        guard message.count <= capacity else { throw .messageTooLarge(size: message.count, capacity: capacity) }
        let content = bigEndian(message.count, count: lengthFieldSize) + message
        return content + [UInt8](repeating: 0, count: max(size - content.count, 0))
    }

    /// A number with its most significant byte first.
    static func bigEndian(_ number: Int, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    /// An identifier of the right length, or the default one.
    static func identifier(_ identifier: [UInt8]?, default standard: [UInt8]) throws(VirtualTagError) -> [UInt8] {
        guard let identifier else { return standard }
        guard identifier.count == standard.count else {
            throw .wrongIdentifierSize(size: identifier.count, expected: standard.count)
        }
        return identifier
    }
}
