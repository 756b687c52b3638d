import NFCProtocol

/// How to start nfcd here.
struct StartAdvice: Sendable {
    /// Starts it on the readers that are plugged in.
    let command: String
    /// Starts it without a reader, for trying it out, and tells nfcctl where it is.
    let trial: [String]

    /// - Parameters:
    ///   - path: where the client looks.
    ///   - units: systemd's units that are installed.
    init(path: String, _ units: Set<String>, isBooted: Bool, isRoot: Bool) {
        let sudo = isRoot ? "" : "sudo "
        let isSystem = path == SocketPath.system
        let unit = ["nfcd.socket", "nfcd.service"].first { units.contains($0) }
        if isSystem, isBooted, let unit {
            command = "\(sudo)systemctl enable --now \(unit)"
        } else {
            command = isSystem ? "\(sudo)nfcd" : "nfcd --socket \(path.shellWord)"
        }
        let place = isSystem ? "/tmp/nfcd.sock" : path.shellWord
        trial = ["nfcd --simulator 1 --socket \(place) &", "export NFCD_SOCKET=\(place)"]
    }

    /// The machine this runs on.
    static func here(path: String) -> StartAdvice {
        let units = ServiceUnits.files(MachineFiles())
        return StartAdvice(
            path: path, units, isBooted: ServiceUnits.isBooted(MachineFiles()), isRoot: Host.userIsRoot)
    }

    /// A few lines for people.
    var words: String {
        """
        Start it: \(command)
        Or try it without a reader: \(trial.joined(separator: " "))
        'nfcctl doctor' looks for what is wrong.
        """
    }
}

extension String {
    /// The text as one word of a shell.
    var shellWord: String {
        let isPlain = !isEmpty && utf8.allSatisfy { Self.plain.contains($0) }
        return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
    }

    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+:,@%".utf8)
}
