import Cryptography

/// The certificate that a U2F registration carries: X.509, signed by itself (RFC 5280, §4.1).
struct AttestationCertificate {
    private let key = P256Key()
    /// The certificate in DER.
    private(set) var bytes: [UInt8] = []

    init() throws(CryptographyError) {
        let ecdsa = Self.sequence([Self.element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])])
        let curve = Self.sequence([
            Self.element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]),
            Self.element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]),
        ])
        let commonName = Self.sequence([
            Self.element(0x06, [0x55, 0x04, 0x03]), Self.element(0x0C, Array("nfcd virtual key".utf8)),
        ])
        let name = Self.sequence([Self.element(0x31, commonName)])
        let validity = Self.sequence([
            Self.element(0x17, Array("250101000000Z".utf8)), Self.element(0x17, Array("491231235959Z".utf8)),
        ])
        let point = Self.element(0x03, [0x00] + key.point)
        let content = Self.sequence([
            Self.element(0xA0, Self.element(0x02, [0x02])), Self.element(0x02, [0x01]), ecdsa, name, validity, name,
            Self.sequence([curve, point]),
        ])
        bytes = Self.sequence([content, ecdsa, Self.element(0x03, [0x00] + (try sign(content)))])
    }

    /// ECDSA with SHA-256 and the key of the certificate, in DER.
    func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] { try key.sign(message) }

    private static func sequence(_ elements: [[UInt8]]) -> [UInt8] { element(0x30, elements.flatMap(\.self)) }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length =
            count < 0x80
            ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }
}
