import ArgumentParser
import NDEF

/// A record with the way into a Wi-Fi network.
private struct WiFiDraft: RecordDraft {
    enum Security: String, CaseIterable {
        case open, wpa2
    }

    static let options = "--wifi"
    var option: String { "--wifi \(network)" }

    let network: String
    var password: String?
    var security: Security?

    func record() throws -> NDEFRecord {
        if security == .wpa2, password == nil { throw OptionMisuse("needs its --password") }
        if security == .open, password != nil { throw OptionMisuse("is open; it takes no --password") }
        return NDEFRecord(
            try WiFiConfigurationRecord(credentials: [WiFiCredential(ssid: network, key: password)]))
    }
}

/// The options for Wi-Fi networks.
struct WiFiOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A record that lets into this network.", valueName: "ssid"),
        transform: PlacedStep.named("--wifi") { network, message in try message.begin(WiFiDraft(network: network)) })
    var wifi: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("The network's password; without one, the network is open.", valueName: "key"),
        transform: PlacedStep.named("--password") { password, message in
            try message.change(WiFiDraft.self) { $0.password = password }
        })
    var password: [PlacedStep] = []

    @Option(
        help: ArgumentHelp(
            "The network's security: wpa2 (also for WPA3 in transition mode) or open (default: what --password tells).",
            valueName: "name"),
        transform: PlacedStep.named("--security") { name, message in
            guard let security = WiFiDraft.Security(rawValue: name.lowercased()) else {
                throw OptionMisuse("takes wpa2 or open; the standard has no other for such records")
            }
            try message.change(WiFiDraft.self) { $0.security = security }
        })
    var security: [PlacedStep] = []

    var steps: [PlacedStep] { wifi + password + security }
}
