extension SignatureRecord {
    /// The edition of the standard that a signature record follows; its raw value is the byte on the tag.
    public enum Version: UInt8, Sendable, Hashable, CaseIterable {
        /// Signature RTD 1.0, superseded: no hash type, and other signature types.
        case v1 = 0x01
        /// Signature RTD 2.0.
        case v2 = 0x20

        static let names: [UInt8: String] = [0x01: "1.0", 0x20: "2.0"]
    }

    /// How the signature was made: seven bits. The names are those of Signature RTD 2.0; 12 and above are reserved.
    ///
    /// In RTD 1.0 only 0 to 4 are in use, without a length of the key: no signature, RSASSA-PSS with SHA-1,
    /// RSASSA-PKCS1-v1_5 with SHA-1, DSA, ECDSA.
    public struct SignatureType: RawRepresentable, Sendable, Hashable {
        /// The number on the tag, 0 to 127.
        public let rawValue: UInt8

        /// The type of that number, or nil where it has more than seven bits.
        public init?(rawValue: UInt8) {
            guard rawValue <= 0x7F else { return nil }
            self.rawValue = rawValue
        }

        /// The type in the low seven bits.
        init(lowBitsOf byte: UInt8) { rawValue = byte & 0x7F }

        /// No signature: the record only marks where the next signed records start.
        public static let noSignature = Self(lowBitsOf: 0x00)
        /// RSASSA-PSS with a key of 1024 bits.
        public static let rsassaPSS1024 = Self(lowBitsOf: 0x01)
        /// RSASSA-PKCS1-v1_5 with a key of 1024 bits.
        public static let rsassaPKCS1v15With1024 = Self(lowBitsOf: 0x02)
        /// DSA with a key of 1024 bits.
        public static let dsa1024 = Self(lowBitsOf: 0x03)
        /// ECDSA on the curve P-192.
        public static let ecdsaP192 = Self(lowBitsOf: 0x04)
        /// RSASSA-PSS with a key of 2048 bits.
        public static let rsassaPSS2048 = Self(lowBitsOf: 0x05)
        /// RSASSA-PKCS1-v1_5 with a key of 2048 bits.
        public static let rsassaPKCS1v15With2048 = Self(lowBitsOf: 0x06)
        /// DSA with a key of 2048 bits.
        public static let dsa2048 = Self(lowBitsOf: 0x07)
        /// ECDSA on the curve P-224.
        public static let ecdsaP224 = Self(lowBitsOf: 0x08)
        /// ECDSA on the curve K-233.
        public static let ecdsaK233 = Self(lowBitsOf: 0x09)
        /// ECDSA on the curve B-233.
        public static let ecdsaB233 = Self(lowBitsOf: 0x0A)
        /// ECDSA on the curve P-256.
        public static let ecdsaP256 = Self(lowBitsOf: 0x0B)

        static func names(in version: Version) -> [UInt8: String] { version == .v1 ? namesV1 : namesV2 }

        private static let namesV1: [UInt8: String] = [
            0: "none", 1: "RSASSA-PSS-SHA-1", 2: "RSASSA-PKCS1-v1_5-SHA-1", 3: "DSA", 4: "ECDSA",
        ]
        private static let namesV2: [UInt8: String] = [
            0: "none", 1: "RSASSA-PSS-1024", 2: "RSASSA-PKCS1-v1_5-1024", 3: "DSA-1024", 4: "ECDSA-P192",
            5: "RSASSA-PSS-2048", 6: "RSASSA-PKCS1-v1_5-2048", 7: "DSA-2048", 8: "ECDSA-P224", 9: "ECDSA-K233",
            10: "ECDSA-B233", 11: "ECDSA-P256",
        ]
    }

    /// The hash that was signed. In Signature RTD 2.0 only SHA-256 is in use, the rest is reserved.
    public struct HashType: RawRepresentable, Sendable, Hashable {
        /// The byte on the tag.
        public let rawValue: UInt8

        /// The hash of that byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// SHA-256.
        public static let sha256 = Self(rawValue: 0x02)

        static let names: [UInt8: String] = [2: "SHA-256"]
    }

    /// The form of the certificates: three bits; 2 and above are reserved.
    public struct CertificateFormat: RawRepresentable, Sendable, Hashable {
        /// The number on the tag, 0 to 7.
        public let rawValue: UInt8

        /// The format of that number, or nil where it has more than three bits.
        public init?(rawValue: UInt8) {
            guard rawValue <= 0x07 else { return nil }
            self.rawValue = rawValue
        }

        /// The format in the low three bits.
        init(lowBitsOf byte: UInt8) { rawValue = byte & 0x07 }

        /// X.509.
        public static let x509 = Self(lowBitsOf: 0x00)
        /// Machine-to-machine certificates; in RTD 1.0 the number stands for X9.68.
        public static let m2m = Self(lowBitsOf: 0x01)

        static func names(in version: Version) -> [UInt8: String] {
            version == .v1 ? [0: "X.509", 1: "X9.68"] : [0: "X.509", 1: "M2M"]
        }
    }

    /// The signature itself, or where it can be fetched.
    public enum Signature: Sendable, Hashable {
        /// The bytes; none in a record without a signature. At most 65,535 can be encoded.
        case embedded([UInt8])
        /// The URI of the signature; at most 65,535 bytes can be encoded.
        case uri(String)
    }
}

extension SignatureRecord {
    /// The name of the signature type in the standard of this version, such as `ECDSA-P256`; nil where it is reserved.
    public var signatureTypeName: String? { SignatureType.names(in: version)[signatureType.rawValue] }

    /// The name of the hash type, such as `SHA-256`; nil if there is none or it is reserved.
    public var hashTypeName: String? { hashType.flatMap { HashType.names[$0.rawValue] } }

    /// The name of the certificate format in the standard of this version, such as `X.509`; nil where it is reserved.
    public var certificateFormatName: String? { CertificateFormat.names(in: version)[certificateFormat.rawValue] }
}
