import NDEF

extension SignatureRecord {
    /// The vectors have null for a record without a signature.
    var vectorForm: VectorValue {
        var fields: [String: VectorValue?] = [
            "kind": "signature", "version": .string(version == .v1 ? "1.0" : "2.0"),
            "signature_type": signatureType == .noSignature ? .null : signatureTypeName.map(VectorValue.string),
            "hash_type": hashTypeName.map(VectorValue.string),
            "certificate_format": certificateFormatName.map(VectorValue.string),
            "certificates": .array(certificates.map(VectorValue.hexadecimal)),
            "certificate_uri": nextCertificateURI.map(VectorValue.string),
        ]
        switch signature {
        case .embedded(let bytes): fields["signature"] = .hexadecimal(bytes)
        case .uri(let uri): fields["signature_uri"] = .string(uri)
        }
        return .fields(fields)
    }
}
