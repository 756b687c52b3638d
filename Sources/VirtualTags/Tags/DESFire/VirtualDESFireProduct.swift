/// What differs between the modelled cards with native commands.
public struct VirtualDESFireProduct: Sendable, Hashable, CustomStringConvertible {
    /// The generations of the card; a later one has all commands of an earlier one.
    enum Generation: Int, Sendable, Hashable {
        case ev1 = 1
        case ev2
        case ev3
    }

    /// The name its maker gives it.
    public let name: String
    /// The bytes of memory for files.
    public let memorySize: Int
    /// The bytes of the file with the message, its length field included.
    public let fileSize: Int

    let generation: Generation
    /// The byte of GET_VERSION about the memory.
    private let storage: UInt8

    /// The product's name.
    public var description: String { name }
    /// The largest message, in bytes.
    public var messageCapacity: Int { fileSize - 2 }

    /// MIFARE DESFire EV1 with 4 KiB.
    public static let desfireEV1 = VirtualDESFireProduct(.ev1, "MIFARE DESFire EV1 4K", kilobytes: 4, storage: 0x18)
    /// MIFARE DESFire EV1 with 2 KiB.
    public static let desfireEV1Small = VirtualDESFireProduct(
        .ev1, "MIFARE DESFire EV1 2K", kilobytes: 2, storage: 0x16)
    /// MIFARE DESFire EV1 with 8 KiB.
    public static let desfireEV1Large = VirtualDESFireProduct(
        .ev1, "MIFARE DESFire EV1 8K", kilobytes: 8, storage: 0x1A)
    /// MIFARE DESFire EV2 with 4 KiB.
    public static let desfireEV2 = VirtualDESFireProduct(.ev2, "MIFARE DESFire EV2 4K", kilobytes: 4, storage: 0x18)
    /// MIFARE DESFire EV3 with 4 KiB.
    public static let desfireEV3 = VirtualDESFireProduct(.ev3, "MIFARE DESFire EV3 4K", kilobytes: 4, storage: 0x18)

    /// All modelled products.
    public static let all = [desfireEV1, desfireEV1Small, desfireEV1Large, desfireEV2, desfireEV3]

    private init(_ generation: Generation, _ name: String, kilobytes: Int, storage: UInt8) {
        self.generation = generation
        self.name = name
        self.storage = storage
        memorySize = kilobytes * 1024
        fileSize = kilobytes * 512
    }

    /// The seven bytes GET_VERSION answers about the hardware.
    var hardware: [UInt8] {
        let version: [UInt8] = [[0x01, 0x00], [0x12, 0x00], [0x33, 0x00]][generation.rawValue - 1]
        return [0x04, 0x01, 0x01] + version + [storage, 0x05]
    }
    /// The seven bytes about the software.
    var software: [UInt8] {
        let version: [UInt8] = [[0x01, 0x04], [0x02, 0x01], [0x03, 0x00]][generation.rawValue - 1]
        return [0x04, 0x01, 0x01] + version + [storage, 0x05]
    }

    /// A card as delivered.
    var memory: DESFireMemory {
        // More than the nominal size: the names and keys of applications have room behind it.
        DESFireMemory(capacity: memorySize + memorySize / 4, applicationLimit: generation == .ev1 ? 28 : .max)
    }

    /// The most data of an answer in one native frame.
    var frameSize: Int { [59, 123, 251][generation.rawValue - 1] }
    /// The most data of a native command in one frame.
    var commandSize: Int { generation == .ev1 ? 55 : 255 }
    /// MLe of the capability container, and the most that READ BINARY gives.
    var maximumReadSize: Int { generation == .ev1 ? 0x3B : 0xFF }
    /// MLc.
    var maximumWriteSize: Int { generation == .ev1 ? 0x34 : 0xFF }
    /// What its default identifier shows of it.
    var identifierMark: [UInt8] { [hardware[3], storage] }
}

extension VirtualDESFireProduct {
    /// The number of the NDEF application.
    static let ndefApplication: [UInt8] = [0x01, 0x00, 0x00]

    /// The NDEF application as NXP describes it: plain communication, the capability container written with key 0. Its key is an AES
    /// key of zeros.
    func application(message: [UInt8], isWritable: Bool) throws(VirtualTagError) -> DESFireApplication {
        let content = try Type4Content.messageFile(message, size: fileSize, lengthFieldSize: 2)
        return DESFireApplication(
            identifier: Self.ndefApplication, isoIdentifier: 0xE110,
            name: Type4Content.applicationName(mappingVersion: 0x20), hasIsoFiles: true,
            keyring: DESFireKeyring(key: .zero(.aes), count: 1, settings: 0x0F),
            files: [
                file(1, Type4Content.containerIdentifier, container(isWritable: isWritable), .writtenWithKey),
                file(2, Type4Content.messageIdentifier, content, isWritable ? .free : .writtenWithKey),
            ])
    }

    private func file(
        _ number: UInt8, _ identifier: UInt16, _ content: [UInt8], _ rights: DESFireAccessRights
    ) -> DESFireFile {
        DESFireFile(
            number: number, isoIdentifier: identifier, communication: 0x00, rights: rights, content: .standard(content))
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
