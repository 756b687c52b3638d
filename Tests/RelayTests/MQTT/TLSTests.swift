import Foundation
import Testing

@testable import nfcd_relay

/// A certificate authority of a test, and a certificate of it for `localhost` that is also good for a client.
private struct Authority {
    let folder = NSTemporaryDirectory() + "nfcd-tls-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let openssl = try #require(TestBroker.path(of: "openssl"))
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try TestBroker.run(
            [
                openssl, "req", "-x509", "-days", "2", "-subj", "/CN=test", "-keyout", path("ca.key"), "-out",
                path("ca.pem"),
            ] + key)
        try TestBroker.run(
            [openssl, "req", "-subj", "/CN=localhost", "-keyout", path("host.key"), "-out", path("host.csr")] + key)
        try "subjectAltName=DNS:localhost\n".write(toFile: path("host.ext"), atomically: true, encoding: .utf8)
        try TestBroker.run([
            openssl, "x509", "-req", "-days", "2", "-in", path("host.csr"), "-CA", path("ca.pem"), "-CAkey",
            path("ca.key"),
            "-CAcreateserial", "-extfile", path("host.ext"), "-out", path("host.pem"),
        ])
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// A broker with the certificate.
    func broker(_ lines: [String] = []) async throws -> TestBroker {
        try await TestBroker.mosquitto(
            [
                "allow_anonymous true", "cafile \(path("ca.pem"))", "certfile \(path("host.pem"))",
                "keyfile \(path("host.key"))",
            ]
                + lines)
    }
}

/// The sink with TLS.
@Suite(
    .needsMosquitto, .enabled(if: TestBroker.path(of: "openssl") != nil, "openssl is not installed"),
    .timeLimit(.minutes(20)))
struct TLSTests {
    @Test func `a broker of a private authority is trusted where that is configured, on each connection`() async throws
    {
        let authority = try Authority()
        defer { authority.remove() }
        let broker = try await authority.broker(["require_certificate true"])
        let relay = RunningSink([BrokerServer(host: "localhost", port: broker.port)]) {
            $0.tls = BrokerTLS(
                caFile: authority.path("ca.pem"), certificateFile: authority.path("host.pem"),
                keyFile: authority.path("host.key"))
            $0.noSubscriber = .deliver
        }
        _ = await relay.connected()
        #expect(await relay.sink.deliver(.sample()).isDelivered)
        try await broker.restart(SIGKILL)
        _ = await relay.connected()
        #expect(await relay.sink.deliver(.sample()).isDelivered)
        await relay.stop()
    }

    @Test(arguments: [
        ("localhost", false, "certificate verify failed"), ("127.0.0.1", true, "certificate"),
    ])
    func `a broker that cannot be verified gets nothing`(host: String, knowsAuthority: Bool, words: String) async throws
    {
        let authority = try Authority()
        defer { authority.remove() }
        let broker = try await authority.broker()
        let relay = RunningSink([BrokerServer(host: host, port: broker.port)]) {
            $0.tls = BrokerTLS(caFile: knowsAuthority ? authority.path("ca.pem") : nil)
        }
        let reports = await relay.disconnected()
        #expect("\(reports)".contains(words))
        #expect("\(reports)".contains("check ca-file, and that the broker"))
        #expect(!reports.contains(.connected))
        await relay.stop()
    }

    @Test func `insecure accepts any certificate`() async throws {
        let authority = try Authority()
        defer { authority.remove() }
        let broker = try await authority.broker()
        let relay = RunningSink(broker) { $0.tls = BrokerTLS(isInsecure: true) }
        _ = await relay.connected()
        await relay.stop()
    }
}
