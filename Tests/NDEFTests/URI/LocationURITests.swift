import TestSupport
import Testing

@testable import NDEF

private func location(_ uri: String) throws -> LocationURI? {
    guard case .location(let location)? = try URIRecord(uri).target else { return nil }
    return location
}

@Suite("Places in URIs")
struct LocationURITests {
    @Test(
        arguments: [
            ("geo:1.351210,103.868856", 1.35121, 103.868856, nil, "wgs84", nil),
            ("GEO:48.2010,16.3695,183", 48.201, 16.3695, 183, "wgs84", nil),
            ("geo:-90,-180,-5.5;u=40", -90, -180, -5.5, "wgs84", 40),
            ("geo:90,180;CRS=WGS84;U=0.5", 90, 180, nil, "wgs84", 0.5),
            ("geo:1000,-2000;crs=nad-27;u=0", 1000, -2000, nil, "nad-27", 0),
            ("geo:00000000000000000001.50,0", 1.5, 0, nil, "wgs84", nil),
        ] as [(String, Double, Double, Double?, String, Double?)])
    func `a place is read`(
        _ uri: String, _ latitude: Double, _ longitude: Double, _ altitude: Double?, _ crs: String,
        _ uncertainty: Double?
    ) throws {
        let location = try #require(try location(uri))
        #expect(location.latitude == latitude)
        #expect(location.longitude == longitude)
        #expect(location.altitude == altitude)
        #expect(location.crs == crs)
        #expect(location.uncertainty == uncertainty)
        #expect(location.query == nil)
        #expect(location.parameters.isEmpty)
        #expect(location.otherFields.isEmpty)
    }

    @Test(
        arguments: [
            ("geo:0,0?q=34.99,-106.61(Treasure%20here)", "34.99,-106.61(Treasure here)", "Treasure here"),
            ("geo:0,0?q=1,2,3(a(b))", "1,2,3(a(b))", "a(b)"),
            ("geo:0,0?q=my+street+(north)", "my+street+(north)", nil),
            ("geo:0,0?q=1,2", "1,2", nil),
            ("geo:0,0?q=(a)", "(a)", nil),
            ("geo:0,0?q=1,2()", "1,2()", ""),
            ("geo:0,0?Q=", "", nil),
        ] as [(String, String?, String?)])
    func `what to look for is read`(_ uri: String, _ query: String?, _ label: String?) throws {
        let location = try #require(try location(uri))
        #expect(location.query == query)
        #expect(location.label == label)
    }

    @Test func `parameters and other fields remain`() throws {
        let location = try #require(try location("geo:1,2;a=b;flag;u=3?z=11&q=x&y"))
        #expect(location.parameters == [URIField(name: "a", value: "b"), URIField(name: "flag")])
        #expect(location.otherFields == [URIField(name: "z", value: "11"), URIField(name: "y")])
        #expect(location.uri == "geo:1,2;u=3;a=b;flag?q=x&z=11&y")
    }

    @Test(arguments: [
        "geo:", "geo:1", "geo:1,", "geo:,1", "geo:1,2,3,4", "geo:1,2,", "geo:nan,0", "geo:inf,0", "geo:-inf,0",
        "geo:0x1p3,0",
        "geo:1e5,0", "geo:+1,0", "geo: 1,0", "geo:1, 0", "geo:1.,0", "geo:.5,0", "geo:1.2.3,0", "geo:--1,0", "geo:-,0",
        "geo:١,0", "geo:90.1,0", "geo:-91,0", "geo:0,180.1", "geo:0,-181", "geo:1,2;u=", "geo:1,2;u", "geo:1,2;u=-1",
        "geo:1,2;u=1e5", "geo:1,2;crs=", "geo:1,2;crs=a_b", "geo:1,2;crs=a;crs=b", "geo:0,0?q=1&q=2", "geo:1;2",
        "geo:1%2C2",
        "geo:0,0,1" + String(repeating: "0", count: 400),
    ])
    func `a URI that is not a place is not parsed`(_ uri: String) throws {
        #expect(try URIRecord(uri).target == nil)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "-0"), (1.5, "1.5"), (-122.399677, "-122.399677"), (100, "100"), (0.1, "0.1"),
            (0.00001, "0.00001"), (1.5e-7, "0.00000015"), (123_456_789_012_345_680, "123456789012345680"),
            (1.5e16, "15000000000000000"), (1e22, "1" + String(repeating: "0", count: 22)),
            (.leastNonzeroMagnitude, "0." + String(repeating: "0", count: 323) + "5"),
        ] as [(Double, String)])
    func `numbers are written without exponents`(_ number: Double, _ text: String) {
        #expect(DecimalNumber.text(number) == text)
        #expect(DecimalNumber.parse(Array(text.utf8)[...]) == number)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `every number survives`(_ seed: UInt64) {
        var generator = SplitMix(seed: seed)
        for _ in 0..<500 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite else { continue }
            #expect(DecimalNumber.parse(Array(DecimalNumber.text(number).utf8)[...]) == number)
        }
    }

    @Test func `a record is made in one call`() throws {
        #expect(
            try NDEFRecord.geo(latitude: 48.2, longitude: -16, identifier: [1]) == .uri("geo:48.2,-16", identifier: [1])
        )
        for (latitude, longitude) in [(90.1, 0), (0, 181), (.nan, 0), (0, .infinity)] {
            let error = try #require(throws: NDEFPayloadError.self) {
                try NDEFRecord.geo(latitude: latitude, longitude: longitude)
            }
            #expect(error.code.rawValue == "GEO_RANGE")
        }
    }

    @Test func `all fields are written`() throws {
        let location = try LocationURI(
            latitude: 1, longitude: 2, altitude: 3, crs: "X-1", uncertainty: 0.25, query: "1,2(a&b)",
            parameters: [URIField(name: "p", value: "ä")], otherFields: [URIField(name: "z", value: "5")])
        #expect(location.uri == "geo:1,2,3;crs=x-1;u=0.25;p=%C3%A4?q=1,2(a%26b)&z=5")
        #expect(try URIRecord(location.uri).target == .location(location))
        #expect(URIRecord(.location(location)).uri == location.uri)
    }

    @Test func `what a URI cannot say is refused`() throws {
        func code(_ make: () throws(NDEFPayloadError) -> LocationURI) throws -> String {
            try #require(throws: NDEFPayloadError.self) { try make() }.code.rawValue
        }
        #expect(
            try code { () throws(NDEFPayloadError) in try LocationURI(latitude: 0, longitude: 0, crs: "") }
                == "GEO_PARAMETER")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try LocationURI(latitude: 0, longitude: 0, parameters: [URIField(name: "U", value: "1")])
            } == "GEO_PARAMETER")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try LocationURI(latitude: 0, longitude: 0, otherFields: [URIField(name: "q", value: "1")])
            } == "GEO_PARAMETER")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try LocationURI(latitude: 0, longitude: 0, altitude: .infinity)
            } == "GEO_RANGE")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try LocationURI(latitude: 0, longitude: 0, uncertainty: -1)
            } == "GEO_RANGE")
    }
}
