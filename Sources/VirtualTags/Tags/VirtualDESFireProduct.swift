/// What differs between the modelled cards with native commands.
public struct VirtualDESFireProduct: Sendable, Hashable, CustomStringConvertible {
    /// The name its maker gives it.
    public let name: String
    /// The bytes of memory for files.
    public let memorySize: Int
    /// The bytes of the file with the message, its length field included.
    public let fileSize: Int

    /// The seven bytes GET_VERSION answers about the hardware.
    let hardware: [UInt8]
    /// The seven bytes about the software.
    let software: [UInt8]
    /// MLe of the capability container.
    let maximumReadSize: Int
    /// MLc.
    let maximumWriteSize: Int
    /// The instructions that begin an authentication, and the bytes of their challenge.
    let authentications: [UInt8: Int]
    /// The instructions that are there, but only after an authentication.
    let protectedInstructions: Set<UInt8>
    /// The highest number of a key.
    let lastKey: UInt8

    /// The product's name.
    public var description: String { name }
    /// The largest message, in bytes.
    public var messageCapacity: Int { fileSize - 2 }

    /// MIFARE DESFire EV1 with 4 KiB.
    public static let desfireEV1 = VirtualDESFireProduct(
        name: "MIFARE DESFire EV1 4K", memorySize: 4096, fileSize: 2048,
        hardware: [0x04, 0x01, 0x01, 0x01, 0x00, 0x18, 0x05], software: [0x04, 0x01, 0x01, 0x01, 0x04, 0x18, 0x05],
        maximumReadSize: 0x3B, maximumWriteSize: 0x34, authentications: [0x0A: 8, 0x1A: 8, 0xAA: 16],
        protectedInstructions: [0x54, 0x5C, 0x5F, 0xC4, 0xFC], lastKey: 0)

    /// The NDEF application as NXP describes it: plain communication, the capability container written with key 0.
    func application(message: [UInt8], isWritable: Bool) throws(VirtualTagError) -> FileApplication {
        let content = try Type4Content.messageFile(message, size: fileSize, lengthFieldSize: 2)
        let rights = isWritable ? CardFile.free : CardFile.writtenWithKey
        return FileApplication(
            name: Type4Content.applicationName(mappingVersion: 0x20), fileIdentifier: 0xE110,
            number: [0x01, 0x00, 0x00],
            files: [
                CardFile(
                    identifier: Type4Content.containerIdentifier, number: 1, bytes: container(isWritable: isWritable),
                    accessRights: CardFile.writtenWithKey),
                CardFile(identifier: Type4Content.messageIdentifier, number: 2, bytes: content, accessRights: rights),
            ])
    }

    /// What the ISO/IEC 7816-4 commands do.
    var rules: CardFileSystem.Rules {
        CardFileSystem.Rules(readSize: maximumReadSize, writeSize: maximumWriteSize)
    }

    private func container(isWritable: Bool) -> [UInt8] {
        var container: [UInt8] = [0x00, 0x0F, 0x20]
        container += Type4Content.bigEndian(maximumReadSize, count: 2)
        container += Type4Content.bigEndian(maximumWriteSize, count: 2)
        container += [0x04, 0x06, 0xE1, 0x04]
        container += Type4Content.bigEndian(fileSize, count: 2)
        return container + [0x00, isWritable ? 0x00 : 0xFF]
    }
}
