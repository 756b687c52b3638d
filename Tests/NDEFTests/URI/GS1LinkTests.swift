import Testing

@testable import NDEF

@Suite("GS1 Digital Links")
struct GS1LinkTests {
    @Test(
        arguments: [
            ("https://id.gs1.org/01/09506000134352", "09506000134352", nil, nil, nil),
            ("https://id.gs1.org/01/9506000134352", "09506000134352", nil, nil, nil),
            ("https://id.gs1.org/01/614141123452", "00614141123452", nil, nil, nil),
            ("http://example.com/01/96385074", "00000096385074", nil, nil, nil),
            ("HTTPS://example.com/some/path/01/09506000134352/", "09506000134352", nil, nil, nil),
            ("https://example.com/01/01/09506000134352", "09506000134352", nil, nil, nil),
            ("https://id.gs1.org/01/09506000134352/22/2A", "09506000134352", "2A", nil, nil),
            ("https://id.gs1.org/01/09506000134352/10/ABC123?17=260101", "09506000134352", nil, "ABC123", nil),
            ("https://id.gs1.org/01/09506000134352/22/2A/10/A%2FB/21/1%252#x", "09506000134352", "2A", "A/B", "1%2"),
            (
                "https://id.gs1.org/01/09506000134352/21/12345678901234567890", "09506000134352", nil, nil,
                "12345678901234567890"
            ),
        ] as [(String, String, String?, String?, String?)])
    func `a link names a product, its variant, lot and serial number`(
        _ uri: String, _ gtin: String, _ variant: String?, _ lot: String?, _ serial: String?
    ) throws {
        let link = try #require(URIRecord(uri).gs1)
        #expect(link.gtin == gtin)
        #expect([link.variant, link.lot, link.serial] == [variant, lot, serial])
        try checkRoundTrips(URIRecord(uri))
    }

    @Test(arguments: [
        "https://id.gs1.org/01/09506000134353", "https://id.gs1.org/01/0950600013435", "https://id.gs1.org/01/",
        "https://id.gs1.org/01/0950600013435X", "https://id.gs1.org/02/09506000134352",
        "https://id.gs1.org/1/09506000134352",
        "https://id.gs1.org/01/09506000134352/10", "https://id.gs1.org/01/09506000134352/10/",
        "https://id.gs1.org/01/09506000134352/10/A/22/B", "https://id.gs1.org/01/09506000134352/10/A/10/B",
        "https://id.gs1.org/01/09506000134352/more", "https://id.gs1.org/01/09506000134352/21/123456789012345678901",
        "https://id.gs1.org/01/09506000134352/21/%00", "https://id.gs1.org/01/09506000134352/21/%C3%A9",
        "https://id.gs1.org/?a=/01/09506000134352", "https://id.gs1.org/#/01/09506000134352",
        "ftp://id.gs1.org/01/09506000134352",
        "mailto:/01/09506000134352", "/01/09506000134352", "https://id.gs1.org/ARFKk4XBoESEVA",
        "https://id.gs1.org/gtin/09506000134352", "",
        "https://id.gs1.org/01/００５０６０００１３４３５２",
    ])
    func `other URIs name none`(_ uri: String) throws {
        #expect(try URIRecord(uri).gs1 == nil)
    }

    @Test func `the JSON form has the numbers under their application identifiers`() throws {
        let record = try URIRecord("https://id.gs1.org/01/09506000134352/10/A")
        #expect(
            try decodedJSON(record)
                == #"{"gs1":{"01":"09506000134352","10":"A"},"kind":"uri","uri":"https://id.gs1.org/01/09506000134352/10/A"}"#
        )
    }

    @Test(.enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing), arguments: SpoolVectors.rows("gs1.link"))
    func `the links of the shared vectors are recognized`(_ row: SpoolRow) throws {
        let uri = try #require(row.given["uri"]?.string)
        let link = try #require(URIRecord(uri).gs1)
        #expect(uri.contains(link.gtin))
        #expect(uri.contains("/22/") == (link.variant != nil))
    }
}
