extension VirtualTagModel {
    /// Tags that go behind a ``DataExchangeReader``.
    static let feliCa: [VirtualTagModel] = [
        feliCa("felica-lite", .lite, "Sony FeliCa Lite, NFC Forum Type 3"),
        feliCa("felica-lite-s", .liteS, "Sony FeliCa Lite-S, NFC Forum Type 3"),
        feliCa("type3", .type3, "NFC Forum Type 3 Tag of no certain make, 1024 bytes"),
    ]

    private static func feliCa(_ name: String, _ product: FeliCaProduct, _ description: String) -> VirtualTagModel {
        VirtualTagModel(
            name: name, aliases: [], description: description,
            memorySize: product.memorySize, messageCapacity: product.messageCapacity
        ) { identifier, message throws(VirtualTagError) in
            try FeliCaTag(product: product, identifier: identifier, ndefMessage: message)
        }
    }
}
