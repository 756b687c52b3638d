import Foundation
import Logging
import Testing

@testable import nfcd_relay

/// A receiver with TLS, in Python.
private final class TLSReceiver {
    private static let program = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()
            def log_message(self, *_): pass
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_ciphers("DEFAULT@SECLEVEL=0")
        context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, sys.argv[1])
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    private let process = Process()
    let port: Int

    init(version: String, _ authority: TestAuthority) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            "-W", "ignore", "-c", Self.program, version, authority.path("host.pem"), authority.path("host.key"),
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    deinit { process.terminate() }
}

@Suite(
    .enabled(if: TestBroker.path(of: "openssl") != nil, "openssl is not installed"),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "Python is not installed"),
    .timeLimit(.minutes(20)))
struct WebhookTLSTests {
    @Test(arguments: [
        ("TLSv1_3", "localhost", true, "delivered"), ("TLSv1_2", "localhost", true, "delivered"),
        ("TLSv1_1", "localhost", true, "retry"), ("TLSv1", "localhost", true, "retry"),
        ("TLSv1_3", "localhost", false, "certificate"), ("TLSv1_3", "127.0.0.1", true, "127.0.0.1"),
    ])
    func `only a receiver with a current TLS and a certificate for its name gets a tap`(
        version: String, host: String, knowsAuthority: Bool, words: String
    ) async throws {
        let authority = try TestAuthority()
        defer { authority.remove() }
        let receiver = try TLSReceiver(version: version, authority)
        let settings = WebhookSettings(
            url: "https://\(host):\(receiver.port)/", authorities: knowsAuthority ? authority.path("ca.pem") : nil)
        let identity = RelayIdentity(site: "site-a", device: "kiosk-1")
        let sink = WebhookSink(
            settings, identity: identity, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, name: "a")
        let delivery = await sink.deliver(try TapEvent(TapFactory.tap(7), identity, attempt: 0, isReplay: false))
        #expect("\(delivery)".contains(words), "\(delivery)")
        #expect(delivery.isDelivered == (words == "delivered"))
    }
}
