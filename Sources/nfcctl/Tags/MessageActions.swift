import ArgumentParser
import CommandSupport
import FoundationEssentials
import NDEF

/// What `nfcctl read` can do with a message besides showing it.
struct MessageActions: ParsableArguments {
    @Flag(help: "Open the first URI of the message: a web page, mail, message, call or place.")
    var open = false

    @Flag(help: "Show a QR code with the first URI, text, contact or Wi-Fi network, for a phone; needs qrencode.")
    var qr = false

    /// Carries out what was asked for.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 65 if the message has nothing for it, 69 if there is no program.
    func run(_ message: NDEFMessage?) async throws {
        let payloads = message?.records.map(\.decoded) ?? []
        if qr { try await showCode(payloads.lazy.compactMap(\.codeText).first) }
        if open { try await openURI(payloads.lazy.compactMap(\.uri).first) }
    }

    private func showCode(_ text: String?) async throws {
        guard let text else { throw Self.nothing("no URI, text, contact or Wi-Fi network for a QR code") }
        let status = await Self.shell(#"printf %s "$NFCCTL_TEXT" | qrencode -t ANSIUTF8 -o -"#, text)
        if status == 127 { throw Self.missing("qrencode", package: "qrencode") }
        if status != 0 { throw Self.nothing("too much data for a QR code") }
    }

    private func openURI(_ uri: String?) async throws {
        guard let uri else { throw Self.nothing("no URI to open") }
        if let refusal = OpeningRefusal(uri) {
            Terminal.error("nfcctl: \(uri.escaped) was not opened: \(refusal.reason).")
            throw ExitCode.badData
        }
        let status = await Self.shell(#"exec xdg-open "$NFCCTL_TEXT""#, uri)
        if status == 127 { throw Self.missing("xdg-open", package: "xdg-utils") }
        guard status == 0 else {
            Terminal.error("nfcctl: xdg-open could not open \(uri.escaped)")
            throw ExitCode.unavailable
        }
    }

    /// Runs a shell command with a text in its environment.
    ///
    /// - Returns: the exit status.
    private static func shell(_ command: String, _ text: String) async -> Int32 {
        // A browser, for example, or what offers the text to other programs.
        let processes = ShellProcesses(background: .goesOn)
        let end = try? await processes.run(command, variables: ["NFCCTL_TEXT": text], outputToErrors: false)
        guard let status = end else { return 127 }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 1
    }

    private static func nothing(_ what: String) -> ExitCode {
        Terminal.error("nfcctl: the message has \(what)")
        return .badData
    }

    private static func missing(_ program: String, package: String) -> ExitCode {
        Terminal.error("nfcctl: there is no \(program). Install it: sudo apt install \(package)")
        return .unavailable
    }
}

extension DecodedPayload {
    /// The text of a QR code that a phone understands; nil if there is none.
    fileprivate var codeText: String? {
        if let uri { return uri }
        return switch self {
        case .text(let record): record.text
        case .vCard(let record): record.text
        case .wifi(let record): record.credentials.first?.codeText
        default: nil
        }
    }
}

extension WiFiCredential {
    /// The network in the form that phones scan; special characters are escaped with a backslash.
    fileprivate var codeText: String? {
        guard let ssid = ssidText, let key = keyText else { return nil }
        let password = key.isEmpty ? "" : "P:\(Self.escaped(key));"
        return "WIFI:T:\(key.isEmpty ? "nopass" : "WPA");S:\(Self.escaped(ssid));\(password);"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing(/[\\;,:"]/) { "\\" + $0.output }
    }
}
