import FoundationEssentials
import NFCClient
import NFCProtocol

/// The parts of a bundle on this machine.
struct SupportSystem {
    let parts: [SupportPart]
    /// What is removed from them.
    let redaction: SupportRedaction

    /// The part of an answer that could not be asked for.
    private struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private static let logLines = "500"

    /// Prepares the parts. Only the names that are removed are read yet.
    init(
        _ files: any SystemFiles = MachineFiles(), _ host: Host = .machine, socket: String
    ) async {
        let serials = await SupportPart(name: "", description: "") {
            try await Self.readers(socket).compactMap(\.serial).joined(separator: "\n")
        }.text()
        let home = host.environment["HOME"].flatMap { $0.split(separator: "/").last.map(String.init) }
        let names = [
            host.environment["USER"], host.environment["LOGNAME"], host.environment["SUDO_USER"], home,
            AccountFiles(files).user(host.user)?.name, files.word("/proc/sys/kernel/hostname"),
        ]
        redaction = SupportRedaction(
            names: names.compactMap(\.self),
            serials: serials.hasPrefix("error:") ? [] : serials.split(whereSeparator: \.isNewline).map(String.init))
        parts = [
            SupportPart(
                name: "versions.txt", description: "Versions of nfcd, pcscd, drivers, kernel and distribution.",
                removal: .nothing
            ) {
                await Self.versions(files, host, socket)
            },
            SupportPart(name: "doctor.jsonl", description: "What nfcctl doctor found, a line for each finding.") {
                try await Self.findings(files, host, socket)
            },
            SupportPart(name: "readers.jsonl", description: "The readers that nfcd has, as nfcctl readers --json.") {
                try Self.lines(try await Self.readers(socket))
            },
            SupportPart(
                name: "metrics.txt", description: "Counters and durations of nfcd since its start.",
                removal: .identifiersButNumbers
            ) {
                try await NFCClient.answering(at: socket) { try await $0.call(ServerMetrics.self).text }
            },
            SupportPart(
                name: "usb.txt", description: "The USB devices that are readers, with their descriptors.",
                removal: .identifiersButRows
            ) {
                Self.devices(files)
            },
            SupportPart(name: "drivers.txt", description: "The drivers of pcscd, and which readers they support.") {
                Self.drivers(files)
            },
            SupportPart(name: "modules.txt", description: "Kernel modules for NFC, loaded and blocked.") {
                Self.modules(files)
            },
            SupportPart(name: "polkit.txt", description: "The rule files of polkit that mention pcscd.") {
                guard let rules = PolkitRules.containing("org.debian.pcsc-lite", files) else {
                    throw Missing(description: "the folders of polkit cannot be read; run it as root")
                }
                return rules.isEmpty ? "none\n" : rules.joined(separator: "\n") + "\n"
            },
            SupportPart(
                name: "nfcd.toml", description: "The settings of nfcd, without texts that may be names or secrets.",
                removal: .settings
            ) { try Self.settings(files, host, socket) },
            SupportPart(name: "nfcd.log", description: "The last \(Self.logLines) lines of nfcd's log of this boot.") {
                try Self.log("nfcd", files, host)
            },
            SupportPart(name: "pcscd.log", description: "The last \(Self.logLines) lines of pcscd's log of this boot.")
            {
                try Self.log("pcscd", files, host)
            },
        ]
    }

    private static func readers(_ socket: String) async throws -> [ReadersList.Reader] {
        try await NFCClient.answering(at: socket) { try await $0.call(ReadersList.self) }
    }

    private static func lines(_ values: [some Encodable]) throws -> String {
        try values.map { String(decoding: try JSONLine.printable($0), as: UTF8.self) }.joined()
    }

    private static func findings(_ files: any SystemFiles, _ host: Host, _ socket: String) async throws -> String {
        let daemon = await DaemonProbe(path: socket, hasSocket: files.exists(socket)).status()
        let control = RelayOptions.usualPath
        let relay = RelayState(await RelayProbe(path: control).answer(), path: control, files, host)
        let doctor = Doctor(SystemSnapshot(files, host, socket: socket, daemon: daemon, relay: relay))
        return try lines(doctor.findings + [doctor.conclusion])
    }

    private static func versions(_ files: any SystemFiles, _ host: Host, _ socket: String) async -> String {
        let nfcd = try? await NFCClient.answering(at: socket) { try await $0.call(ServerInfo.self).version }
        let release = files.lines("/etc/os-release").first { $0.hasPrefix("PRETTY_NAME=") }
        let rows: [(String, String?)] = [
            ("nfcctl", NFCDVersion.full), ("nfcd", nfcd), ("pcscd", output("pcscd", ["--version"], files, host)),
            ("kernel", files.word("/proc/sys/kernel/osrelease")), ("distribution", release),
            ("systemd", output("systemctl", ["--version"], files, host)),
            (
                "packages",
                output(
                    "dpkg-query", ["--show", "nfcd", "pcscd", "libpcsclite1", "libccid", "libacsccid1"], files, host,
                    wholeOutput: true)
                    ?? output("rpm", ["-q", "nfcd", "pcsc-lite", "pcsc-lite-ccid"], files, host, wholeOutput: true)
            ),
        ]
        return rows.map { "\($0.0): \($0.1 ?? "error: not found, or it does not answer")\n" }.joined()
    }

    private static func output(
        _ program: String, _ arguments: [String], _ files: any SystemFiles, _ host: Host, wholeOutput: Bool = false
    ) -> String? {
        guard let path = SystemPrograms.find(program, files, host), let result = host.run([path] + arguments) else {
            return nil
        }
        return wholeOutput
            ? "\n" + result.output : result.output.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    private static func devices(_ files: any SystemFiles) -> String {
        let bundles = ReaderBundle.all(files)
        let readers = USBDevice.all(files).filter { device in
            device.isCardReader || bundles.contains { $0.readers[device.identity] != nil }
        }
        guard !readers.isEmpty else { return "no reader is plugged in, or USB cannot be read\n" }
        return readers.map { device in
            let path = "/sys/bus/usb/devices/\(device.port)/descriptors"
            // Pairs, so that a part of a descriptor is not taken for an identifier.
            let bytes = (files.bytes(path, limit: 4096) ?? []).map { HexDump.hexadecimal(Int($0), digits: 2) }
            return "\(device.port) \(device.summary)\n  interfaces: "
                + device.interfaces.map { "\($0.classCode) driver \($0.driver ?? "none")" }.joined(separator: ", ")
                + "\n  descriptors: \(bytes.joined(separator: " "))\n"
        }.joined()
    }

    private static func drivers(_ files: any SystemFiles) -> String {
        let bundles = ReaderBundle.all(files)
        guard !bundles.isEmpty else { return "no driver is installed\n" }
        let devices = USBDevice.all(files)
        return bundles.map { bundle in
            let matches = devices.filter { bundle.readers[$0.identity] != nil }.map { "\($0.identity)" }
            return "\(bundle.name) \(bundle.version): \(bundle.readers.count) readers, escape commands "
                + "\(bundle.allowsEscape ? "allowed" : "not allowed"), plugged in: "
                + "\(matches.isEmpty ? "none" : matches.joined(separator: ", "))\n"
        }.joined()
    }

    private static func modules(_ files: any SystemFiles) -> String {
        let modules = KernelModules(files)
        let blocked = modules.blacklisted.filter { KernelModules.known.contains($0) }.sorted()
        return """
            list readable: \(modules.isReadable)
            loaded: \(modules.loaded.isEmpty ? "none" : modules.loaded.joined(separator: ", "))
            blocked: \(blocked.isEmpty ? "none" : blocked.joined(separator: ", "))

            """
    }

    /// The file that the running nfcd was started with, or those of the usual places.
    private static func settings(_ files: any SystemFiles, _ host: Host, _ socket: String) throws -> String {
        let listener = SocketAccess(path: socket, files, host, AccountFiles(files)).listener
        let home = host.environment["HOME"].map { "\($0)/.config" }
        let own = host.environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home
        let paths = ["/etc/nfcd/nfcd.toml"] + (own.map { ["\($0)/nfcd/nfcd.toml"] } ?? [])
        let found = (listener?.configuration(files)).map { [$0] } ?? paths.filter { files.exists($0) }
        guard !found.isEmpty else {
            throw Missing(description: "there is no configuration file; nfcd uses its defaults")
        }
        return try found.map { path in
            guard let bytes = files.bytes(path, limit: MachineFiles.largestFile) else {
                throw Missing(description: "\(path) cannot be read; run it as root")
            }
            return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: "\n")
    }

    private static func log(_ unit: String, _ files: any SystemFiles, _ host: Host) throws -> String {
        guard let program = SystemPrograms.find("journalctl", files, host) else {
            throw Missing(description: "journalctl does not exist")
        }
        let arguments = [
            "--unit", unit, "--boot", "--lines", logLines, "--no-pager", "--no-hostname", "--output", "short-iso",
        ]
        guard let result = host.run([program] + arguments) else {
            throw Missing(description: "journalctl does not answer")
        }
        guard result.status == 0 else { throw Missing(description: "journalctl: \(result.output.trimmed)") }
        return result.output
    }
}
