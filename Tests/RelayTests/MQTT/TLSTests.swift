import Foundation
import Testing

@testable import nfcd_relay

/// The sink with TLS.
@Suite(
    .needsMosquitto, .enabled(if: TestBroker.path(of: "openssl") != nil, "openssl is not installed"),
    .timeLimit(.minutes(20)))
struct TLSTests {
    @Test func `a broker of a private authority is trusted where that is configured, on each connection`() async throws
    {
        let authority = try TestAuthority()
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
        let authority = try TestAuthority()
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
        let authority = try TestAuthority()
        defer { authority.remove() }
        let broker = try await authority.broker()
        let relay = RunningSink(broker) { $0.tls = BrokerTLS(isInsecure: true) }
        _ = await relay.connected()
        await relay.stop()
    }
}
