import Foundation
import Testing

@testable import nfcd_relay

/// A certificate authority of a test, and a certificate of it for `localhost` that is also good for a client.
struct TestAuthority {
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
