extension VirtualTagModel {
    /// Tags that go behind a ``DataExchangeReader`` with ``DataExchangeReader/Settings/topaz``.
    static let topaz: [VirtualTagModel] = [
        topaz("topaz", .topaz, "Broadcom Topaz, NFC Forum Type 1, 96 bytes", aliases: ["topaz96"]),
        topaz("topaz512", .topaz512, "Broadcom Topaz 512, NFC Forum Type 1"),
    ]

    private static func topaz(
        _ name: String, _ product: TopazProduct, _ description: String, aliases: [String] = []
    ) -> VirtualTagModel {
        VirtualTagModel(
            name: name, aliases: aliases, description: description,
            memorySize: product.memorySize, messageCapacity: product.messageCapacity
        ) { identifier, message throws(VirtualTagError) in
            try TopazTag(product: product, identifier: identifier, ndefMessage: message)
        }
    }
}
