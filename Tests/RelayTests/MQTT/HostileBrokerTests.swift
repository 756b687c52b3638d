import Foundation
import Synchronization
import TestSupport
import Testing

@testable import nfcd_relay

#if canImport(Glibc)
    import Glibc
#endif

/// A server that answers a connection with bytes of the test's choice, and keeps it open.
private final class HostileBroker: Sendable {
    private let listener: Int32
    private let connections = Mutex<[Int32]>([])
    let port: Int

    /// - Parameters:
    ///   - bytes: what is sent once a packet arrived, for each connection by its number.
    init(_ bytes: @escaping @Sendable (_ connection: Int) -> [UInt8]) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, size) = (listener, length)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 16) == 0 ? getsockname(listener, $0, &length) : -1
            }
        }
        try #require(result == 0)
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            var number = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                connections.withLock { $0.append(connection) }
                number += 1
                let answer = bytes(number)
                Thread.detachNewThread {
                    Self.serve(connection, answer)
                    self.release(connection)
                }
            }
        }
    }

    var server: BrokerServer { BrokerServer(host: "127.0.0.1", port: port) }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        connections.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    /// Closes a connection: from then on its number may be another test's.
    private func release(_ connection: Int32) {
        connections.withLock { connections in
            connections.removeAll { $0 == connection }
            close(connection)
        }
    }

    private static func serve(_ connection: Int32, _ answer: [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        guard recv(connection, &buffer, buffer.count, 0) > 0 else { return }
        var sent = 0
        while sent < answer.count {
            let count = answer.withUnsafeBytes {
                send(connection, $0.baseAddress.map { $0 + sent }, answer.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        while recv(connection, &buffer, buffer.count, 0) > 0 {}
    }
}

/// A broker that does not keep to the protocol costs its consumer the connection, and nothing else.
@Suite(.serialized, .timeLimit(.minutes(20))) struct HostileBrokerTests {
    /// CONNACK of MQTT 5, accepted, with an empty list of properties.
    private static let connack: [UInt8] = [0x20, 3, 0, 0, 0]

    private static func publish(_ topic: String, _ payload: [UInt8]) -> [UInt8] {
        let body = [0, UInt8(topic.utf8.count)] + Array(topic.utf8) + [0] + payload
        return [0x31, UInt8(body.count)] + body
    }

    private static let rubbish: [(name: String, bytes: [UInt8])] = [
        ("rubbish", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
        ("a length that does not end", [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ("an empty CONNACK", [0x20, 0]),
        ("a CONNACK with broken properties", [0x20, 5, 0, 0, 2, 0xFF, 0xFF]),
        ("a PUBACK before CONNACK", [0x40, 2, 0, 1]),
        ("zeros", [UInt8](repeating: 0, count: 10_000)),
        ("a DISCONNECT with broken properties", connack + [0xE0, 3, 0x8E, 5, 1]),
        ("a SUBACK without codes", connack + [0x90, 3, 0, 1, 0]),
        ("a property that does not exist", [0x20, 5, 0, 0, 2, 0x7F, 0]),
        ("a message with a property that does not exist", connack + [0x30, 6, 0, 1, 0x61, 2, 0x7F, 0]),
        ("a PUBLISH with a topic longer than the packet", connack + [0x30, 4, 0xFF, 0xFF, 1, 1]),
    ]

    @Test(arguments: rubbish)
    func `what is not MQTT ends the connection`(name: String, bytes: [UInt8]) async throws {
        let broker = try HostileBroker { _ in bytes }
        let relay = RunningSink([broker.server]) {
            $0.limits.connect = .milliseconds(500)
            $0.limits.acknowledgement = .milliseconds(500)
        }
        let reports = await relay.disconnected()
        #expect(!reports.contains(.connected), "\(name)")
        await relay.stop()
        broker.stop()
    }

    @Test func `acknowledgements that are not awaited are ignored`() async throws {
        let pubacks = (0..<50).flatMap { number -> [UInt8] in [0x40, 2, 0x70, UInt8(number)] }
        let broker = try HostileBroker { _ in Self.connack + pubacks }
        let relay = RunningSink([broker.server]) { $0.limits.acknowledgement = .seconds(1) }
        #expect("\(await relay.disconnected())".contains("has not acknowledged"))
        await relay.stop()
        broker.stop()
    }

    /// Packets that a broker may send at any time, and that nothing limits in the library.
    private static let floods: [(name: String, packet: [UInt8])] = [
        ("PINGRESP", [0xD0, 0]), ("PUBACK", [0x40, 2, 0x70, 1]), ("PUBREC", [0x50, 2, 0x70, 1]),
        ("PUBREL", [0x62, 2, 0x70, 1]), ("PUBCOMP", [0x70, 2, 0x70, 1]), ("SUBACK", [0x90, 4, 0x70, 1, 0, 0]),
        ("UNSUBACK", [0xB0, 4, 0x70, 1, 0, 0]), ("CONNACK", connack),
        ("PUBLISH with QoS 1", [0x33, 8, 0, 1, 0x61, 0x70, 1, 0, 1, 2]),
        ("PUBLISH with QoS 2", [0x35, 8, 0, 1, 0x61, 0x70, 1, 0, 1, 2]),
    ]

    @Test(arguments: floods)
    func `a flood of packets that the relay did not ask for ends the connection`(
        name: String, packet: [UInt8]
    ) async throws {
        let broker = try HostileBroker { _ in Self.connack + [[UInt8]](repeating: packet, count: 20_000).flatMap(\.self)
        }
        let relay = RunningSink([broker.server])
        let reports = "\(await relay.disconnected())"
        #expect(!reports.contains("has not acknowledged"), "\(name): \(reports)")
        await relay.stop()
        broker.stop()
    }

    /// A length of 256 MiB, and twice the bytes that the relay reads of it.
    private static let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F] + [UInt8](repeating: 1, count: 2_097_152)

    @Test(arguments: [[], connack], [0x20, 0x30, 0x32, 0x40, 0x90, 0xD0, 0xE0] as [UInt8])
    func `a packet that is too long is cut off`(before: [UInt8], kind: UInt8) async throws {
        let broker = try HostileBroker { _ in before + [kind] + Self.huge }
        let relay = RunningSink([broker.server]) {
            $0.limits.connect = .seconds(60)
            $0.limits.acknowledgement = .seconds(60)
        }
        let reports = "\(await relay.disconnected())"
        #expect(!reports.contains("does not answer") && !reports.contains("has not acknowledged"), "\(reports)")
        await relay.stop()
        broker.stop()
    }

    @Test(arguments: 0..<3)
    func `no random packet ends the relay`(seed: UInt64) async throws {
        var dice = SplitMix(seed: seed)
        let seeds = Self.rubbish.map(\.bytes) + Self.floods.map { Self.connack + $0.packet }
        let answers = (0..<12).map { _ -> [UInt8] in
            var bytes = Array((seeds.randomElement(using: &dice) ?? []).prefix(200))
            for _ in 0..<Int.random(in: 1...4, using: &dice) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                if Bool.random(using: &dice) {
                    bytes[place] = .random(in: 0...255, using: &dice)
                } else {
                    bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
                }
            }
            return bytes
        }
        await withThrowingTaskGroup(of: Void.self) { group in
            for bytes in answers {
                group.addTask {
                    let broker = try HostileBroker { _ in bytes }
                    let relay = RunningSink([broker.server]) {
                        $0.limits.connect = .milliseconds(100)
                        $0.limits.acknowledgement = .milliseconds(100)
                    }
                    _ = await relay.disconnected()
                    await relay.stop()
                    broker.stop()
                }
            }
        }
    }

    @Test func `a flood of messages ends the connection`() async throws {
        let message = Self.publish("nfcd/lab/desk/state", Array("{\"state\":\"online\"}".utf8))
        let flood = [[UInt8]](repeating: message, count: 20_000).flatMap(\.self)
        let broker = try HostileBroker { _ in Self.connack + flood }
        let relay = RunningSink([broker.server])
        #expect("\(await relay.disconnected())".contains("sends too many messages"))
        await relay.stop()
        broker.stop()
    }

    @Test func `a server that says nothing is left`() async throws {
        let broker = try HostileBroker { _ in [] }
        let relay = RunningSink([broker.server]) { $0.limits.connect = .milliseconds(300) }
        #expect("\(await relay.disconnected())".contains("does not answer; check that it is an MQTT broker, and tls"))
        await relay.stop()
        broker.stop()
    }

    @Test func `a packet of 256 MiB is not waited for`() async throws {
        // PUBLISH with the greatest remaining length, and one byte a moment later nothing.
        let broker = try HostileBroker { _ in Self.connack + [0x30, 0xFF, 0xFF, 0xFF, 0x7F, 0] }
        let relay = RunningSink([broker.server]) { $0.limits.acknowledgement = .milliseconds(500) }
        _ = await relay.disconnected()
        await relay.stop()
        broker.stop()
    }

    @Test func `a broken server does not keep a good one from being used`() async throws {
        guard TestBroker.path(of: "mosquitto") != nil else { return }
        let broken = try HostileBroker { _ in Array("rubbish".utf8) }
        let good = try await TestBroker.mosquitto()
        let relay = RunningSink([broken.server, good.server]) { $0.limits.connect = .milliseconds(500) }
        let reports = await relay.connected()
        #expect(reports.last == .connected)
        await relay.stop()
        broken.stop()
    }
}
