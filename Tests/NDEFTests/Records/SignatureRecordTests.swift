import NDEF
import Testing

/// A signature with everything: URI flag clear, two certificates and the URI of a third.
private let everything = "20 0B 02 00 03 A1 A2 A3" + "82 00 02 C1 C2 00 01 C3" + "00 04 75 3A 2F 78"

private func full() throws -> SignatureRecord {
    try SignatureRecord(
        signatureType: .ecdsaP256, signature: .embedded([0xA1, 0xA2, 0xA3]), certificates: [[0xC1, 0xC2], [0xC3]],
        nextCertificateURI: "u:/x")
}

@Suite("Signature records, decoded")
struct SignatureDecodingTests {
    @Test func `every field is decoded`() throws {
        let (signature, warnings) = try decoded(SignatureRecord.self, everything)
        #expect(signature.version == .v2)
        #expect(signature.signatureType == .ecdsaP256)
        #expect(signature.hashType == .sha256)
        #expect(signature.signature == .embedded([0xA1, 0xA2, 0xA3]))
        #expect(signature.certificateFormat == .x509)
        #expect(signature.certificates == [[0xC1, 0xC2], [0xC3]])
        #expect(signature.nextCertificateURI == "u:/x")
        #expect(warnings.isEmpty)
        #expect(try signature == full())
    }

    /// Payloads and what they say.
    private static let samples: [(String, @Sendable () throws -> SignatureRecord)] = [
        // The mark before signed records.
        ("20 00 02 00 00 00", { try .init() }),
        // The signature elsewhere.
        ("20 84 02 00 03 75 3A 78 00", { try .init(signatureType: .ecdsaP192, signature: .uri("u:x")) }),
        ("20 84 02 00 00 00", { try .init(signatureType: .ecdsaP192, signature: .uri("")) }),
        // Certificates of the other format; a URI only.
        (
            "20 09 02 00 00 11 00 00",
            { try .init(signatureType: .ecdsaK233, certificateFormat: .m2m, certificates: [[]]) }
        ),
        ("20 07 02 00 00 80 00 00", { try .init(signatureType: .dsa2048, nextCertificateURI: "") }),
        // Version 1.0 has no hash type.
        ("01 04 00 01 AA 00", { try .init(signatureType: .ecdsaP192, hashType: nil, signature: .embedded([0xAA])) }),
        (
            "01 81 00 01 75 11 00 01 CC",
            {
                try .init(
                    signatureType: .rsassaPSS1024, hashType: nil, signature: .uri("u"), certificateFormat: .m2m,
                    certificates: [[0xCC]])
            }
        ),
        // The mark of version 1.0 may be cut short.
        ("01 00", { try .init(hashType: nil) }),
        ("01 00 00 00 00", { try .init(hashType: nil) }),
    ]

    @Test(arguments: samples.indices)
    func `a payload is decoded`(_ index: Int) throws {
        let (payload, expected) = Self.samples[index]
        let (signature, warnings) = try decoded(SignatureRecord.self, payload)
        #expect(try signature == expected())
        #expect(warnings.isEmpty)
        try checkRoundTrips(signature)
    }

    @Test(
        arguments: [
            (0x00, .noSignature), (0x01, .rsassaPSS1024), (0x02, .rsassaPKCS1v15With1024), (0x03, .dsa1024),
            (0x04, .ecdsaP192), (0x05, .rsassaPSS2048), (0x06, .rsassaPKCS1v15With2048), (0x07, .dsa2048),
            (0x08, .ecdsaP224), (0x09, .ecdsaK233), (0x0A, .ecdsaB233), (0x0B, .ecdsaP256),
        ] as [(UInt8, SignatureRecord.SignatureType)])
    func `each signature type has its number`(_ number: UInt8, _ type: SignatureRecord.SignatureType) throws {
        let record = try SignatureRecord(payload: [0x20, number, 0x02, 0, 0, 0])
        #expect(record.signatureType == type)
        #expect(type.rawValue == number)
    }

    @Test(arguments: [
        ("20 0C 02 00 00 00", ["SIG_RFU"]),
        ("20 7F 02 00 00 00", ["SIG_RFU"]),
        ("20 00 00 00 00 00", ["SIG_RFU"]),
        ("20 00 03 00 00 00", ["SIG_RFU"]),
        ("20 00 02 00 00 20", ["SIG_RFU"]),
        ("20 FF FF 00 00 70", ["SIG_RFU"]),
        // Version 1.0 has fewer signature types.
        ("01 05 00 00 00", ["SIG_RFU"]),
        ("01 00 00 00 20", ["SIG_RFU"]),
    ])
    func `reserved values are kept, with a warning`(_ payload: String, _ codes: [String]) throws {
        let (signature, warnings) = try decoded(SignatureRecord.self, payload)
        #expect(warnings == codes)
        #expect(try signature.payload == bytes(payload))
        try checkRoundTrips(signature)
    }

    @Test(arguments: [
        ("", "SIG_SHORT"),
        ("20", "SIG_SHORT"),
        ("01", "SIG_SHORT"),
        ("20 00", "SIG_SHORT"),
        ("20 00 02", "SIG_SHORT"),
        ("20 00 02 00", "SIG_SHORT"),
        ("20 00 02 00 00", "SIG_SHORT"),
        ("20 00 02 00 01 00", "SIG_SHORT"),
        ("20 00 02 FF FF 00", "SIG_SHORT"),
        ("20 00 02 00 00 01", "SIG_SHORT"),
        ("20 00 02 00 00 01 00 01", "SIG_SHORT"),
        ("20 00 02 00 00 02 00 00", "SIG_SHORT"),
        ("20 00 02 00 00 80", "SIG_SHORT"),
        ("20 00 02 00 00 80 00", "SIG_SHORT"),
        ("01 04", "SIG_SHORT"),
        ("01 80", "SIG_SHORT"),
        ("00", "SIG_VERSION"),
        ("02 00", "SIG_VERSION"),
        ("10 00 02 00 00 00", "SIG_VERSION"),
        ("21 00 02 00 00 00", "SIG_VERSION"),
        ("30", "SIG_VERSION"),
        ("20 00 02 00 00 00 00", "SIG_TRAILING_DATA"),
        ("01 00 00 00 00 00", "SIG_TRAILING_DATA"),
        ("20 80 02 00 01 FF 00", "SIG_URI_NOT_UTF8"),
        ("20 00 02 00 00 80 00 02 61 C3", "SIG_URI_NOT_UTF8"),
        ("20 80 02 00 02 61 0A 00", "SIG_URI_CONTROL_CHARS"),
        ("20 00 02 00 00 80 00 01 1F", "SIG_URI_CONTROL_CHARS"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(SignatureRecord.self, payload) == code)
    }

    @Test(arguments: [everything, "01 84 00 01 75 91 00 01 CC 00 01 76"])
    func `damage never stops the program, and what is read survives`(_ payload: String) throws {
        try checkDamage(SignatureRecord.self, payload)
    }
}

@Suite("Signature records, encoded")
struct SignatureEncodingTests {
    @Test func `every field is written`() throws {
        #expect(try full().payload == bytes(everything))
        try checkRoundTrips(full())
    }

    @Test func `the mark of version 1 takes two bytes`() throws {
        #expect(try SignatureRecord(hashType: nil).payload == [0x01, 0x00])
        #expect(try SignatureRecord().payload == bytes("20 00 02 00 00 00"))
        // Whatever it says more makes it whole.
        #expect(try SignatureRecord(hashType: nil, certificateFormat: .m2m).payload == bytes("01 00 00 00 10"))
        #expect(try SignatureRecord(hashType: nil, signature: .uri("")).payload == bytes("01 80 00 00 00"))
    }

    @Test func `lengths take two bytes`() throws {
        let longest = [UInt8](repeating: 0xAB, count: 0xFFFF)
        let signature = try SignatureRecord(
            signatureType: .rsassaPSS2048, signature: .embedded(longest),
            certificates: [[UInt8]](repeating: longest, count: 15))
        #expect(try signature.payload.starts(with: bytes("20 05 02 FF FF AB")))
        #expect(signature.payload.count == 3 + 16 * (2 + 0xFFFF) + 1)
        #expect(try SignatureRecord(payload: signature.payload) == signature)
    }

    @Test func `what cannot be written is refused`() throws {
        let long = [UInt8](repeating: 0x61, count: 0x10000)
        let uri = String(decoding: long, as: UTF8.self)
        let many = [[UInt8]](repeating: [], count: 16)
        #expect(try refusalCode { try SignatureRecord(signature: .embedded(long)) } == "SIG_TOO_LONG")
        #expect(try refusalCode { try SignatureRecord(signature: .uri(uri)) } == "SIG_TOO_LONG")
        #expect(try refusalCode { try SignatureRecord(certificates: [[], long]) } == "SIG_TOO_LONG")
        #expect(try refusalCode { try SignatureRecord(nextCertificateURI: uri) } == "SIG_TOO_LONG")
        #expect(try refusalCode { try SignatureRecord(certificates: many) } == "SIG_CERT_COUNT")
        #expect(try refusalCode { try SignatureRecord(signature: .uri("a\n")) } == "SIG_URI_CONTROL_CHARS")
        #expect(try refusalCode { try SignatureRecord(nextCertificateURI: "\u{1B}") } == "SIG_URI_CONTROL_CHARS")
    }

    @Test func `numbers have seven and three bits`() {
        #expect(SignatureRecord.SignatureType(rawValue: 0x7F)?.rawValue == 0x7F)
        #expect(SignatureRecord.SignatureType(rawValue: 0x80) == nil)
        #expect(SignatureRecord.CertificateFormat(rawValue: 7)?.rawValue == 7)
        #expect(SignatureRecord.CertificateFormat(rawValue: 8) == nil)
    }
}

@Suite("Signature records, shown")
struct SignatureShownTests {
    @Test(arguments: [
        (everything, "Signature 2.0 ECDSA-P256 SHA-256, 3 bytes, 2 X.509 certificates, next certificate u:/x"),
        ("20 00 02 00 00 00", "Signature 2.0 none SHA-256, 0 bytes"),
        ("20 84 02 00 02 75 3A 11 00 00", "Signature 2.0 ECDSA-P192 SHA-256, at u:, 1 M2M certificate"),
        ("20 0C 07 00 00 71 00 00", "Signature 2.0 12 (reserved) 7 (reserved), 0 bytes, 1 7 (reserved) certificate"),
        ("01 01 00 01 AA 11 00 00", "Signature 1.0 RSASSA-PSS-SHA-1, 1 byte, 1 X9.68 certificate"),
        (
            "20 80 02 00 03 C2 9B 22 80 00 03 E2 80 AE",
            #"Signature 2.0 none SHA-256, at \u{9B}\", next certificate \u{202E}"#
        ),
    ])
    func `the description has everything on one line`(_ payload: String, _ line: String) throws {
        #expect(try decoded(SignatureRecord.self, payload).payload.description == line)
    }
}

@Suite("Signature records in JSON")
struct SignatureJSONTests {
    @Test(arguments: [
        (
            everything,
            #"{"certificateFormat":"X.509","certificates":["C1C2","C3"],"hashType":"SHA-256","kind":"signature","#
                + #""nextCertificateURI":"u:/x","signature":"A1A2A3","signatureType":"ECDSA-P256","version":"2.0"}"#
        ),
        (
            "20 FF 05 00 01 75 70",
            #"{"certificateFormat":7,"certificates":[],"hashType":5,"kind":"signature","#
                + #""signatureType":127,"signatureURI":"u","version":"2.0"}"#
        ),
        (
            "01 03 00 00 10",
            #"{"certificateFormat":"X9.68","certificates":[],"kind":"signature","signature":"","#
                + #""signatureType":"DSA","version":"1.0"}"#
        ),
    ])
    func `every field is written`(_ payload: String, _ json: String) throws {
        #expect(try decodedJSON(decoded(SignatureRecord.self, payload).payload) == json)
    }

    @Test(arguments: [
        (#""signatureType":"none""#, "20 00 02 00 00 00"),
        (#""signatureType":"ECDSA-P256","signature":"aa""#, "20 0B 02 00 01 AA 00"),
        (#""signatureType":11,"hashType":2,"certificateFormat":1,"version":32"#, "20 0B 02 00 00 10"),
        (#""signatureType":"DSA-1024","signatureURI":"u","certificates":["cc"]"#, "20 83 02 00 01 75 01 00 01 CC"),
        (#""version":"1.0","signatureType":"ECDSA","signature":"AA""#, "01 04 00 01 AA 00"),
        (#""version":"1.0","signatureType":"none""#, "01 00"),
        (#""version":"1.0","signatureType":"none","certificateFormat":"X9.68","hashType":null"#, "01 00 00 00 10"),
    ])
    func `an object is read`(_ fields: String, _ payload: String) throws {
        #expect(try record(ofDecoded: #"{"kind":"signature",\#(fields)}"#).payload == bytes(payload))
    }

    @Test(arguments: [
        (#""signature":"00""#, "signatureType"),
        (#""signatureType":"ECDSA""#, "signatureType"),
        (#""signatureType":128"#, "signatureType"),
        (#""signatureType":300"#, "signatureType"),
        (#""signatureType":"none","version":"3.0""#, "version"),
        (#""signatureType":"none","version":3"#, "version"),
        (#""signatureType":"DSA-1024","version":"1.0""#, "signatureType"),
        (#""signatureType":"none","version":"1.0","hashType":"SHA-256""#, "hashType"),
        (#""signatureType":"none","hashType":"MD5""#, "hashType"),
        (#""signatureType":"none","signature":"0""#, "signature"),
        (#""signatureType":"none","signature":"00","signatureURI":"u""#, "signatureURI"),
        (#""signatureType":"none","signatureURI":"\n""#, "signatureURI"),
        (#""signatureType":"none","certificateFormat":"X9.68""#, "certificateFormat"),
        (#""signatureType":"none","certificateFormat":8"#, "certificateFormat"),
        (#""signatureType":"none","certificates":["0"]"#, "certificates"),
        (#""signatureType":"none","certificates":[7]"#, "certificates.0"),
        (
            #""signatureType":"none","certificates":["","","","","","","","","","","","","","","",""]"#,
            "certificates"
        ),
        (#""signatureType":"none","nextCertificateURI":"\u0000""#, "nextCertificateURI"),
    ])
    func `an error names the field`(_ fields: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: #"{"kind":"signature",\#(fields)}"#) == field)
    }
}
