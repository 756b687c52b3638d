/// Cards with the block protocol of ISO/IEC 14443-4.
extension VirtualTagModel {
    static let type4 = generic("type4", "NFC Forum Type 4, 2 KiB", type4Configuration())
    static let type4Extended = generic(
        "type4-extended", "NFC Forum Type 4, mapping version 3.0, a file of 70,000 bytes",
        type4Configuration(version: 0x30, size: 70_000))
    static let desfireEV1 = native(
        "desfire-ev1", .desfireEV1, "NXP MIFARE DESFire EV1 with an NDEF application", aliases: ["mf3icd41"])
    static let ntag424 = native(
        "ntag424", .ntag424DNA, "NXP NTAG 424 DNA, NFC Forum Type 4", aliases: ["ntag424-dna"])

    private static func type4Configuration(version: UInt8 = 0x20, size: Int = 2048) -> Type4Card.Configuration {
        var configuration = Type4Card.Configuration()
        configuration.mappingVersion = version
        configuration.fileSize = size
        return configuration
    }

    private static func generic(
        _ name: String, _ description: String, _ configuration: Type4Card.Configuration
    ) -> VirtualTagModel {
        VirtualTagModel(
            name: name, aliases: [], description: description,
            memorySize: configuration.fileSize, messageCapacity: configuration.messageCapacity
        ) { identifier, message throws(VirtualTagError) in
            try Type4Card(configuration, identifier: identifier, ndefMessage: message)
        }
    }

    private static func native(
        _ name: String, _ product: DESFireProduct, _ description: String, aliases: [String]
    ) -> VirtualTagModel {
        VirtualTagModel(
            name: name, aliases: aliases, description: description,
            memorySize: product.memorySize, messageCapacity: product.messageCapacity
        ) { identifier, message throws(VirtualTagError) in
            try DESFireCard(product: product, identifier: identifier, ndefMessage: message)
        }
    }
}
