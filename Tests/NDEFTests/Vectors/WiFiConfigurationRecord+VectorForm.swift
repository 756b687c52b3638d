import NDEF

extension WiFiConfigurationRecord {
    var vectorForm: VectorValue {
        .fields([
            "kind": "wifi_wsc", "credentials": .array(credentials.map(\.vectorForm)),
            "attributes": .array(otherAttributes.map(\.vectorForm)),
            "version": version.map { .string($0.description) },
            "version2": version2.map { .string($0.description) },
        ])
    }
}

extension WiFiCredential {
    fileprivate var vectorForm: VectorValue {
        .fields([
            "ssid": ssidText.map { .string($0) }, "ssid_hex": .string(ssid.hexadecimal.lowercased()),
            "key": key.isEmpty ? nil : keyText.map { .string($0) },
            "key_hex": key.isEmpty ? nil : .string(key.hexadecimal.lowercased()),
            "auth": authentication.map { .string(Self.authenticationNames[$0] ?? "unknown") },
            "auth_value": authentication.map { .number(Double($0.rawValue)) },
            "enc": encryption.map { .string(Self.encryptionNames[$0] ?? "unknown") },
            "enc_value": encryption.map { .number(Double($0.rawValue)) },
            "network_index": networkIndex.map { .number(Double($0)) },
            "mac": macAddress.map { .string($0.map { [$0].hexadecimal }.joined(separator: ":")) },
        ])
    }

    private static let authenticationNames: [WiFiAuthentication: String] = [
        .open: "open", .wpa2Personal: "wpa2_psk", .wpaWPA2Personal: "wpa_wpa2_psk",
    ]

    private static let encryptionNames: [WiFiEncryption: String] = [.aes: "aes", .aesTKIP: "aes_tkip"]
}

extension WiFiAttribute {
    fileprivate var vectorForm: VectorValue {
        ["type": .number(Double(type)), "data": .string(data.hexadecimal.lowercased())]
    }
}
