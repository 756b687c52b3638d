import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol
import RelayProtocol

/// The option that selects the relay.
struct RelayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The relay's control socket (default: NFCD_RELAY_SOCKET, your own relay's, the system's).",
            valueName: "socket"))
    var control: String?

    /// The path of the relay's control socket.
    var path: String { Self.path(option: control) }

    /// The path of the usual relay's control socket.
    static var usualPath: String { path(option: nil) }

    private static func path(option: String?) -> String {
        RelaySocketPath.client(option: option, environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    /// Calls a method of the relay.
    ///
    /// - Throws: `ExitCode`, after printing an error with advice.
    func call<M: Method>(_ method: M.Type, _ parameters: M.Parameters) async throws -> M.Result {
        do {
            return try await NFCClient.answering(at: path) { try await $0.call(method, parameters) }
        } catch let error as NFCClientError {
            Terminal.error("nfcctl: \(Self.text(error))")
            throw ExitCode(error)
        }
    }

    /// Calls a method of the relay that has no parameters.
    ///
    /// - Throws: as ``call(_:_:)``.
    func call<M: Method>(_ method: M.Type) async throws -> M.Result where M.Parameters == Empty {
        try await call(method, Empty())
    }

    private static func text(_ error: NFCClientError) -> String {
        switch error {
        case .noDaemon(let path):
            "no nfcd-relay listens on \(path.escaped)\n\(RelayInstructions.forThisMachine(path: path).text)"
        case .notPermitted(let path): "you may not open \(path.escaped). \(SocketAccess.onThisMachine(path: path).text)"
        case .connectionLost: "the connection to nfcd-relay ended"
        default: "\(error)".printable
        }
    }
}

/// How to start nfcd-relay on this machine.
struct RelayInstructions: Sendable {
    /// Which relay it is: each has its own configuration.
    private enum Instance {
        case system, user, manual
    }

    /// The path of the configuration; nil if it is not known.
    let configuration: String?
    /// The command that starts the relay.
    let command: String
    private let hasConfiguration: Bool

    /// - Parameter path: the control socket that the client tried.
    init(path: String, _ files: any SystemFiles, _ host: Host) {
        let instance: Instance =
            switch path {
            case RelaySocketPath.system: .system
            case RelaySocketPath.user(host.environment): .user
            default: .manual
            }
        let units = ServiceUnits.files(files, ofUser: instance == .user)
        let hasUnit = ServiceUnits.isBooted(files) && units.contains("nfcd-relay.service")
        let configuration = Self.configuration(instance, host)
        switch instance {
        case .system where hasUnit:
            command = "\(host.isRoot ? "" : "sudo ")systemctl enable --now nfcd-relay"
        case .user where hasUnit: command = "systemctl --user enable --now nfcd-relay"
        case .system, .user: command = "nfcd-relay --config \((configuration ?? "relay.toml").shellQuoted)"
        case .manual: command = "nfcd-relay --config relay.toml --control \(path.shellQuoted)"
        }
        self.configuration = configuration
        hasConfiguration = configuration.map { files.exists($0) } ?? true
    }

    private static func configuration(_ instance: Instance, _ host: Host) -> String? {
        let home = host.environment["HOME"].map { "\($0)/.config" }
        let own = host.environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home
        return switch instance {
        case .system: "/etc/nfcd/relay.toml"
        case .user: own.map { "\($0)/nfcd/relay.toml" }
        case .manual: nil
        }
    }

    /// The instructions for this machine.
    static func forThisMachine(path: String) -> RelayInstructions {
        RelayInstructions(path: path, MachineFiles(), .machine)
    }

    /// The instructions as text.
    var text: String {
        let first =
            hasConfiguration || configuration == nil
            ? "" : "It has no configuration: describe your consumers in \(configuration ?? ""); see relay.toml(5).\n"
        return """
            \(first)Start it: \(command)
            Run 'nfcctl doctor' to see what is wrong.
            """
    }
}
