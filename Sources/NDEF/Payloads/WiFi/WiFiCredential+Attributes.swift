extension WiFiCredential {
    private typealias Kind = WiFiAttribute.Kind

    /// The types of the attributes that have a field.
    static let attributeTypes: Set<UInt16> = [
        Kind.networkIndex, Kind.ssid, Kind.authentication, Kind.encryption, Kind.networkKey, Kind.macAddress,
        Kind.keyProvidedAutomatically,
    ]

    /// The credential that these attributes make.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `WSC_SSID_LENGTH` or `WSC_KEY_LENGTH`.
    init(attributes: [WiFiAttribute], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var row = WiFiAttributeRow(attributes)
        let ssid = row.take(Kind.ssid, warnings: &warnings) { $0 }
        if ssid == nil { warnings.appendOnce(.wifiSSIDMissing) }
        self.ssid = ssid ?? []
        key = row.take(Kind.networkKey, warnings: &warnings) { $0 } ?? []
        authentication = row.take(Kind.authentication, warnings: &warnings, WiFiAuthentication.reading)
        encryption = row.take(Kind.encryption, warnings: &warnings, WiFiEncryption.reading)
        macAddress = row.take(Kind.macAddress, warnings: &warnings) { $0.count == 6 ? $0 : nil }
        networkIndex = row.take(Kind.networkIndex, warnings: &warnings) { $0.count == 1 ? $0.first : nil }
        keyProvidedAutomatically = row.take(Kind.keyProvidedAutomatically, warnings: &warnings) { data in
            data == [0] ? false : data == [1] ? true : nil
        }
        otherAttributes = row.rest
        try checkLengths()
    }

    /// The attributes in the order of the standard's table. Name and key are always there, if need be empty.
    var attributes: [WiFiAttribute] {
        let fields = [
            networkIndex.map { WiFiAttribute(Kind.networkIndex, checked: [$0]) },
            WiFiAttribute(Kind.ssid, checked: ssid),
            authentication.map { WiFiAttribute(Kind.authentication, checked: $0.rawValue.bigEndianBytes) },
            encryption.map { WiFiAttribute(Kind.encryption, checked: $0.rawValue.bigEndianBytes) },
            WiFiAttribute(Kind.networkKey, checked: key),
            macAddress.map { WiFiAttribute(Kind.macAddress, checked: $0) },
            keyProvidedAutomatically.map { WiFiAttribute(Kind.keyProvidedAutomatically, checked: [$0 ? 1 : 0]) },
        ]
        return fields.compactMap { $0 } + otherAttributes
    }
}
