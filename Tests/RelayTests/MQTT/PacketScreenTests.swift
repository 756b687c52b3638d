import TestSupport
import Testing

@testable import nfcd_relay

/// What a broker may send, and what never reaches libmosquitto.
@Suite struct PacketScreenTests {
    private static let connack: [UInt8] = [0x20, 3, 0, 0, 0]

    private static func kinds(
        _ bytes: [UInt8], _ version: MQTTVersion = .v5, by count: Int = 1
    ) throws(UnusablePacket) -> [PacketScreen.Kind] {
        var screen = PacketScreen(version, limit: 1_000)
        var kinds: [PacketScreen.Kind] = []
        for start in stride(from: 0, to: bytes.count, by: count) {
            kinds += try screen.take(bytes[start...].prefix(count))
        }
        return kinds
    }

    /// What a broker answers in MQTT 5: with all properties of CONNACK, reasons, and messages without QoS.
    private static let session: [UInt8] =
        [
            0x20, 50, 0, 0, 47, 17, 0, 0, 0, 1, 33, 0, 20, 36, 1, 37, 1, 39, 0, 0, 64, 0, 18, 0, 1, 0x61, 34, 0, 10, 31,
            0, 1, 0x62, 40,
            1, 41, 1, 42, 1, 19, 0, 60, 38, 0, 1, 0x61, 0, 1, 0x62,
        ] + [22, 0, 0] + [0x90, 4, 0, 1, 0, 0] + [0x40, 2, 0, 2] + [0x40, 3, 0, 3, 0x10]
        + [0x40, 4, 0, 4, 0, 0] + [0xD0, 0] + [0x31, 6, 0, 1, 0x61, 0, 1, 2] + [0x30, 8, 0, 1, 0x61, 2, 1, 1, 1, 2]
        + [0xE0, 0]

    @Test(arguments: [1, 2, 3, 7, 1_000])
    func `what a broker answers passes, in whatever pieces it arrives`(count: Int) throws {
        #expect(
            try Self.kinds(Self.session, by: count) == [
                .connack, .suback, .puback, .puback, .puback, .pingresp, .publish, .publish, .disconnect,
            ])
    }

    @Test func `a broker without MQTT 5 may say so, and MQTT 3_1_1 has no properties`() throws {
        #expect(try Self.kinds([0x20, 2, 0, 1]) == [.connack])
        #expect(
            try Self.kinds([0x20, 2, 1, 0, 0x40, 2, 0, 1, 0x30, 4, 0, 1, 0x61, 0xFF, 0x90, 3, 0, 1, 0], .v311) == [
                .connack, .puback, .publish, .suback,
            ])
    }

    /// Properties with each number that MQTT 5 does not know.
    private static let unknown = (0...255).filter {
        ![1, 2, 3, 8, 9, 11, 17, 18, 19, 21, 22, 23, 24, 25, 26, 28, 31, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42]
            .contains($0)
    }

    @Test(arguments: unknown)
    func `a property with an unknown number is refused`(number: Int) {
        let id: [UInt8] = number < 128 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80, 1]
        let properties = [UInt8(id.count + 1)] + id + [0]
        for packet in [
            [0x20, UInt8(properties.count + 2), 0, 0] + properties,
            Self.connack + [0x40, UInt8(properties.count + 3), 0, 1, 0] + properties,
            Self.connack + [0x90, UInt8(properties.count + 3), 0, 1] + properties + [0],
            Self.connack + [0x30, UInt8(properties.count + 3), 0, 1, 0x61] + properties,
            Self.connack + [0xE0, UInt8(properties.count + 1), 0] + properties,
        ] as [[UInt8]] {
            #expect(throws: UnusablePacket.self) { try Self.kinds(packet) }
        }
    }

    @Test(
        arguments: [
            [0x20, 0], [0x20, 1, 0], [0x20, 4, 0, 0, 0, 0], [0x20, 3, 0, 0, 1], [0x20, 4, 0, 0, 1, 17],
            [0x21, 3, 0, 0, 0],
            [0x40, 2, 0, 1], [0xD0, 0], [0x20, 0xFF, 0xFF, 0xFF, 0xFF], [0x20, 0xFF, 0xFF, 0xFF, 0x7F],
            [0x20, 0xE9, 0x07],
            connack + [0x40, 1, 0], connack + [0x42, 2, 0, 1], connack + [0x90, 2, 0, 1], connack + [0x90, 3, 0, 1, 0],
            connack + [0xD0, 1, 0], connack + [0x30, 1, 0], connack + [0x30, 2, 0, 1], connack + [0x30, 3, 0, 1, 0x61],
            connack + [0x32, 6, 0, 1, 0x61, 0, 1, 0], connack + [0x34, 6, 0, 1, 0x61, 0, 1, 0],
            connack + [0x36, 2, 0, 0],
            connack + [0xE0, 3, 0, 5, 1], connack + [0x00, 0], connack + [0x10, 0], connack + [0x50, 2, 0, 1],
            connack + [0x62, 2, 0, 1], connack + [0x70, 2, 0, 1], connack + [0x82, 2, 0, 1], connack + [0xA2, 2, 0, 1],
            connack + [0xB0, 2, 0, 1], connack + [0xC0, 0], connack + [0xF0, 0],
            connack + [0xE0, 0x85, 0x01, 0, 0x82, 0x01] + (0..<65).flatMap { _ in [1, 0] as [UInt8] },
        ] as [[UInt8]])
    func `what is not an answer to the relay is refused`(packet: [UInt8]) {
        #expect(throws: UnusablePacket.self) { try Self.kinds(packet) }
    }

    @Test func `random bytes are refused or read, and never trap`() {
        var dice = SplitMix(seed: 35)
        for _ in 0..<5_000 {
            var bytes = Self.session
            for _ in 0..<Int.random(in: 1...5, using: &dice) {
                bytes[.random(in: 0..<bytes.count, using: &dice)] = .random(in: 0...255, using: &dice)
            }
            _ = try? Self.kinds(bytes, Bool.random(using: &dice) ? .v5 : .v311, by: .random(in: 1...20, using: &dice))
        }
    }
}
