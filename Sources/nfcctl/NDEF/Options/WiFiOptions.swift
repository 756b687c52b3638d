import ArgumentParser
import NDEF

/// A record with the credentials of a Wi-Fi network.
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
        if security == .wpa2, password == nil { throw OptionError("requires --password") }
        if security == .open, password != nil { throw OptionError("is an open network; remove --password") }
        return NDEFRecord(
            try WiFiConfigurationRecord(credentials: [WiFiCredential(ssid: network, key: password)]))
    }
}

/// The options for Wi-Fi networks.
struct WiFiOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Add a record with the credentials of this network.", valueName: "ssid"),
        transform: OrderedOption.named("--wifi") { network, message in try message.begin(WiFiDraft(network: network)) })
    var wifi: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("The network's password; without one, the network is open.", valueName: "key"),
        transform: OrderedOption.named("--password") { password, message in
            try message.change(WiFiDraft.self) { $0.password = password }
        })
    var password: [OrderedOption] = []

    @Option(
        help: ArgumentHelp(
            "The network's security: wpa2 (also for WPA3 in transition mode) or open (default: wpa2 with --password).",
            valueName: "name"), completion: .list(["wpa2", "open"]),
        transform: OrderedOption.named("--security") { name, message in
            guard let security = WiFiDraft.Security(rawValue: name.lowercased()) else {
                throw OptionError("requires wpa2 or open, the only ones that the standard defines for such records")
            }
            try message.change(WiFiDraft.self) { $0.security = security }
        })
    var security: [OrderedOption] = []

    var all: [OrderedOption] { wifi + password + security }
}
