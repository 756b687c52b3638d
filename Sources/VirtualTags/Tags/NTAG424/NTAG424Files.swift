/// The files of an NTAG 424 DNA as delivered (NT4H2421Gx, §8.2.3).
enum NTAG424Files {
    /// The bytes of the file with the message, its length field included.
    static let messageFileSize = 256
    /// The number of the file with the message, the only one with Secure Dynamic Messaging.
    static let messageFileNumber: UInt8 = 2
    private static let containerSize = 32
    private static let proprietaryFileSize = 128

    /// The application with its three files and a message.
    ///
    /// - Parameter isWritable: whether the message may be written without a key.
    static func application(_ message: [UInt8], isWritable: Bool) throws(VirtualTagError) -> FileApplication {
        let content = try Type4Content.messageFile(message, size: messageFileSize, lengthFieldSize: 2)
        return FileApplication(
            name: Type4Content.applicationName(mappingVersion: 0x20), fileIdentifier: 0xE110, number: [],
            files: [
                CardFile(
                    identifier: Type4Content.containerIdentifier, number: 1, bytes: container(isWritable: isWritable),
                    accessRights: CardFile.writtenWithKey),
                CardFile(
                    identifier: Type4Content.messageIdentifier, number: 2, bytes: content,
                    accessRights: isWritable ? CardFile.free : CardFile.writtenWithKey),
                // Read with key 2, written with key 3, changed with key 0.
                CardFile(
                    identifier: 0xE105, number: 3, bytes: proprietary,
                    accessRights: [0x30, 0x23], communication: NTAG424Session.Mode.full.rawValue),
            ])
    }

    /// An NLEN field of 126 without a message.
    private static let proprietary = [0x00, 0x7E] + [UInt8](repeating: 0, count: proprietaryFileSize - 2)

    /// MLe 256, MLc 255, the file of the message, and the proprietary one.
    private static func container(isWritable: Bool) -> [UInt8] {
        var container: [UInt8] = [0x00, 0x17, 0x20, 0x01, 0x00, 0x00, 0xFF]
        container += [0x04, 0x06, 0xE1, 0x04, 0x01, 0x00, 0x00, isWritable ? 0x00 : 0xFF]
        container += [0x05, 0x06, 0xE1, 0x05, 0x00, 0x80, 0x82, 0x83]
        return container + [UInt8](repeating: 0, count: containerSize - container.count)
    }
}
