import TestSupport
import Testing

@testable import VirtualTags

/// A set-up that is torn at each exchange: the versions of the keys say how far it came, and it can be continued.
@Suite struct NTAG424TornSetupTests {
    private static let settings = hex("40 00E0 C1 FF12 0C0000 400000 400000")

    private static func key(_ number: UInt8) -> [UInt8] { (1...16).map { number * 0x20 + $0 } }

    /// Key 0 and its version show what to prove; other keys are changed where they are old, key 0 at last.
    private static func setUp(_ reader: inout NTAG424TestReader) -> Bool {
        guard let master = version(0, &reader) else { return false }
        guard reader.authenticate(0, master == 0 ? NTAG424TestReader.zero : key(0)) == "9100" else { return false }
        if master == 1 { return true }
        let text = [0x00, 0x80] + [UInt8](repeating: 0x30, count: 128)
        // In plain, by everyone at first and by key 0 once the settings are changed.
        guard reader.command(0x8D, "02 000000 820000", text, .plain) == "9100" else { return false }
        for number in (1...4 as ClosedRange<UInt8>).reversed() {
            guard let version = version(number, &reader, isAuthenticated: true) else { return false }
            if version == 0, reader.changeKey(number, to: key(number), version: 1) != "9100" { return false }
        }
        guard reader.command(0x5F, "02", settings) == "9100" else { return false }
        return reader.changeKey(0, to: key(0), version: 1) == "9100"
    }

    private static func version(
        _ number: UInt8, _ reader: inout NTAG424TestReader, isAuthenticated: Bool = false
    ) -> UInt8? {
        let answer =
            isAuthenticated
            ? reader.command(0x64, hex([number]), [], .authenticated)
            : reader.send("90 64 00 00 01 \(hex([number])) 00")
        return answer.hasSuffix("9100") ? hex(answer).first : nil
    }

    /// How many exchanges it takes.
    private static func count() throws -> Int {
        var reader = try NTAG424TestReader()
        #expect(setUp(&reader))
        return reader.exchanges
    }

    @Test(arguments: [Fault.removeBefore, .removeAmid(frames: 1), .removeDuring])
    func `every key is the old or the new one, as its version says`(fault: Fault) throws {
        let count = try Self.count()
        #expect(count > 10)
        for exchange in 1...count {
            var reader = try NTAG424TestReader()
            reader.fault = (fault, exchange)
            #expect(!Self.setUp(&reader))
            reader.fault = nil
            reader.repower()
            let versions = reader.card.keyVersions
            for number in 0..<UInt8(5) {
                let value = versions[Int(number)] == 0 ? NTAG424TestReader.zero : Self.key(number)
                #expect(reader.card.hasKey(number, value), "key \(number) at \(exchange)")
            }
            #expect(Self.setUp(&reader), "\(exchange)")
            #expect(reader.card.keyVersions == [1, 1, 1, 1, 1])
            #expect((0..<5).allSatisfy { reader.card.failures(of: $0) == 0 })
        }
    }
}
