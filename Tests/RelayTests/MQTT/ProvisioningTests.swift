import Foundation
import ServiceSupport
import Testing

@testable import nfcd_relay

/// The drop-in folder, by which a fleet provisions a machine.
@Suite struct ProvisioningTests {
    private func read(_ files: [String: String]) throws -> RelayConfiguration {
        let folder = NSTemporaryDirectory() + "nfcd-relay-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: "\(folder)/relay.d", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        chmod(folder, 0o755)
        for (name, text) in files {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
            chmod("\(folder)/\(name)", 0o600)
        }
        return try RelayConfiguration(file: "\(folder)/relay.toml", SecretReader(credentials: nil))
    }

    @Test func `files of the folder add a broker, and name the site and the device`() throws {
        let configuration = try read([
            "relay.toml": "[relay]\nsite = \"shop\"\n[[command]]\nname = \"log\"\nrun = [\"/bin/true\"]\n",
            "relay.d/10-fleet.toml": "[relay]\nsite = \"berlin\"\n[[mqtt]]\nname = \"fleet\"\nhost = \"broker\"\n",
            "relay.d/20-device.toml": "[relay]\ndevice = \"kiosk-7\"\n",
            "relay.d/30-notes.txt": "not read",
        ])
        #expect(configuration.site == "berlin" && configuration.device == "kiosk-7")
        #expect(configuration.consumers.map(\.name) == ["log", "fleet"])
    }

    @Test(arguments: [
        (
            "[[mqtt]]\nname = \"log\"\nhost = \"b\"\n",
            "relay.d/x.toml:2: mqtt[0].name: there is another consumer \"log\""
        ),
        ("[relay]\nsite = 1\n", "relay.d/x.toml:2: relay.site: expected a text in quotes"),
        ("host = \"b\"\n", "relay.d/x.toml:1: host: unknown key"),
    ])
    func `an error names the file of the folder`(text: String, words: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try read(["relay.toml": "[[command]]\nname = \"log\"\nrun = [\"/bin/true\"]\n", "relay.d/x.toml": text])
        }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
}
