import NFCProtocol
import NFCTypes
import RelayProtocol

@testable import nfcctl

/// A simulated machine: its files, and the results of everything else. Initially, NFC works on it.
struct FakeSystem {
    static let plist = "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist"
    static let usb = "/sys/bus/usb/devices"
    static let nfc: UInt32 = 4242
    static let pcscSocket = "/run/pcscd/pcscd.comm"

    var socket = "/run/nfcd/nfcd.sock"
    var socketOwner: UInt32 = 0
    var files: [String: String]
    var links: [String: String] = [:]
    /// The users of files that do not belong to root.
    var owners: [String: UInt32] = [:]
    /// The groups of files that do not belong to root, and modes other than 0644.
    var fileGroups: [String: UInt32] = [:]
    var modes: [String: UInt32] = [:]
    var programs: Set<String> = ["/usr/bin/nfcd", "/usr/sbin/pcscd", "/usr/bin/systemctl"]
    var socketMode: UInt32? = 0o660
    var socketGroup = nfc
    /// Files and directories that the user may not read.
    var closed: Set<String> = []
    /// The results of programs, by their names, or by their names and first arguments.
    var answers: [String: CommandResult] = [
        "pcscd": CommandResult(status: 0, output: "pcsc-lite version 1.9.9.\nEnabled features: Linux serial usb\n"),
        "systemctl": CommandResult(status: 0, output: systemd()),
        "nfcd": CommandResult(status: 0, output: "/etc/nfcd/nfcd.toml: ok\n"),
    ]
    var user: UInt32 = 71_234
    var groups: [UInt32] = [71_234, nfc]
    var environment = ["HOME": "/srv/ada", "PATH": "relative:/usr/bin:/bin"]
    var clocks = Clocks(monotonic: 1000, boottime: 1000.25)
    var relay = RelayState.Answer.notRunning
    var daemon = DaemonStatus.answered(state([reader("ACS ACR122U PICC Interface 00 00")]))

    init() {
        files = [
            "/etc/passwd":
                "root:x:0:0::/root:/bin/sh\nada:x:71234:71234::/srv/ada:/bin/sh\nnfcd:x:990:990::/:/bin/false\n",
            "/etc/group": "root:x:0:\nnfc:x:\(Self.nfc):ada\n",
            "/run/systemd/system/.keep": "",
            "/usr/lib/systemd/system/nfcd.socket": "[Socket]\n",
            "/usr/lib/systemd/system/nfcd.service": "[Service]\n",
            "/usr/lib/systemd/system-generators/nfcd-generator": "#!/bin/sh\n",
            Self.pcscSocket: "",
            Self.plist: Self.plist(readers: [("0x072F", "0x2200", "ACS ACR122U PICC Interface")]),
            "/proc/modules": "ext4 1 1 - Live 0x0\n",
            "/usr/lib/modprobe.d/nfcd.conf": "# keep\nblacklist pn533_usb\nblacklist pn533\nblacklist nfc\n",
            "/proc/1/comm": "systemd\n",
            "/etc/nfcd/nfcd.toml": "",
        ]
        plug("1-1", 0x072F, 0x2200, "ACS", "ACR122U PICC Interface")
    }

    /// Adds a USB reader.
    mutating func plug(
        _ port: String, _ vendor: UInt16, _ product: UInt16, _ maker: String, _ name: String, classCode: String = "0b",
        interface: String = ""
    ) {
        let identity = USBIdentity(vendor: vendor, product: product).description.split(separator: ":")
        files["\(Self.usb)/\(port)/idVendor"] = "\(identity[0].lowercased())\n"
        files["\(Self.usb)/\(port)/idProduct"] = "\(identity[1].lowercased())\n"
        files["\(Self.usb)/\(port)/manufacturer"] = "\(maker)\n"
        files["\(Self.usb)/\(port)/product"] = "\(name)\n"
        files["\(Self.usb)/\(port)/power/control"] = "on\n"
        files["\(Self.usb)/\(port):1.0/bInterfaceClass"] = "\(classCode)\n"
        files["\(Self.usb)/\(port):1.0/interface"] = "\(interface)\n"
    }

    /// Gives a plugged reader a device node of root and of a group.
    mutating func addNode(_ port: String, group: UInt32 = 0) {
        files["\(Self.usb)/\(port)/busnum"] = "1\n"
        files["\(Self.usb)/\(port)/devnum"] = "14\n"
        files["/dev/bus/usb/001/014"] = ""
        modes["/dev/bus/usb/001/014"] = 0o664
        fileGroups["/dev/bus/usb/001/014"] = group
    }

    /// Gives a plugged reader the descriptors of a device, of an interface with slots, and of an HID interface.
    mutating func addDescriptors(_ port: String, slots: UInt8) {
        let device = [0x12, 0x01] + [UInt8](repeating: 0, count: 16)
        let interface: [UInt8] = [0x09, 0x04, 0, 0, 3, 0x0B, 0, 0, 0]
        let reader = [0x36, 0x21, 0x10, 0x01, slots - 1] + [UInt8](repeating: 7, count: 49)
        let keyboard: [UInt8] = [0x09, 0x21, 0x11, 0x01, 0x21, 0x01, 0x22, 0x41, 0x00]
        files["\(Self.usb)/\(port)/descriptors"] = String(
            decoding: device + interface + reader + keyboard, as: UTF8.self)
    }

    /// A pcscd that runs as its own user, and has just been started.
    mutating func runUnprivileged(_ version: String) {
        answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version \(version).\n")
        files["/etc/passwd", default: ""] += "pcscd:x:985:984::/:/bin/false\n"
        files["/etc/group", default: ""] += "pcscd:x:984:\n"
        files["/proc/50/comm"] = "pcscd\n"
        owners["/proc/50"] = 985
    }

    /// A unit as `systemctl show` prints it.
    struct Unit {
        let text: String

        init(
            _ id: String, load: String = "loaded", active: String = "active", result: String = "success"
        ) {
            let file = load == "masked" ? "masked" : "enabled"
            text = "Id=\(id)\nLoadState=\(load)\nActiveState=\(active)\nUnitFileState=\(file)\nResult=\(result)\n"
        }
    }

    /// Adds the states of units to those of nfcd.
    mutating func setUnits(_ units: Unit...) {
        let output = ([Self.systemd()] + units.map(\.text)).joined(separator: "\n")
        answers["systemctl"] = CommandResult(status: 0, output: output)
    }

    /// Ada's own nfcd, process 77, with its own socket, beside the system's.
    mutating func runOwnDaemon() {
        socket = "/srv/ada/nfcd.sock"
        socketOwner = 71_234
        files["/proc/40/comm"] = "nfcd\n"
        files["/proc/77/comm"] = "nfcd\n"
        files["/proc/77/fd/9"] = ""
        links["/proc/77/fd/9"] = "socket:[4711]"
        owners["/proc/77"] = 71_234
        owners["/proc/40"] = 990
        files["/proc/net/unix"] = "Num: …\n0000: 00000002 00000000 00010000 0001 01 4711 /srv/ada/nfcd.sock\n"
    }

    /// The system's nfcd, process 40, without systemd.
    mutating func runSystemDaemon() {
        (socket, socketOwner) = (Self().socket, 990)
        files["/run/systemd/system/.keep"] = nil
        files["/proc/40/comm"] = "nfcd\n"
        files["/proc/40/fd/5"] = ""
        links["/proc/40/fd/5"] = "socket:[4712]"
        files["/proc/net/unix", default: "Num: …\n"] += "0000: 00000002 00000000 00010000 0001 01 4712 \(socket)\n"
    }

    /// Another program holds the reader.
    mutating func hold() {
        let name = "ACS ACR122U PICC Interface 00 00"
        daemon = .answered(
            Self.state([Self.reader(name, state: .present, blocked: "another program uses it exclusively")]))
    }

    mutating func unplugAll() {
        files = files.filter { !$0.key.hasPrefix(Self.usb) }
    }

    /// The state that the checks examine.
    func snapshot() -> SystemSnapshot {
        let host = Host(user: user, groups: groups, environment: environment, clocks: clocks) { [answers] command in
            let words =
                (command.first?.split(separator: "/").suffix(1) ?? []).map(String.init) + command.dropFirst().prefix(1)
            return answers[words.joined(separator: " ")] ?? words.first.flatMap { answers[$0] }
        }
        let files = FakeFiles(self)
        let relay = RelayState(relay, path: RelaySocketPath.system, files, host)
        return SystemSnapshot(files, host, socket: socket, daemon: daemon, relay: relay)
    }
}

/// The files of a simulated machine; all of them belong to root.
private struct FakeFiles: SystemFiles {
    private let system: FakeSystem
    /// The names in each directory.
    private let folders: [String: Set<String>]

    init(_ system: FakeSystem) {
        self.system = system
        let socket = system.socketMode.map { _ in [system.socket] } ?? []
        let paths = Array(system.files.keys) + Array(system.links.keys) + Array(system.programs) + socket
        var folders: [String: Set<String>] = [:]
        for path in paths {
            var folder = ""
            for name in path.split(separator: "/") {
                folders[folder, default: []].insert(String(name))
                folder += "/\(name)"
            }
        }
        self.folders = folders
    }

    func bytes(_ path: String, limit: Int) -> [UInt8]? {
        canRead(path) ? system.files[path].map { Array($0.utf8.prefix(limit)) } : nil
    }

    func names(in folder: String) -> [String] {
        canRead(folder) ? (folders[folder] ?? []).sorted() : []
    }

    func linkedName(_ path: String) -> String? { system.links[path]?.split(separator: "/").last.map(String.init) }

    func canRead(_ path: String) -> Bool { exists(path) && !system.closed.contains(path) }

    func canRun(_ path: String) -> Bool { system.programs.contains(path) }

    func attributes(_ path: String) -> FileAttributes? {
        if path == system.socket, let mode = system.socketMode {
            return FileAttributes(mode: mode, user: system.socketOwner, group: system.socketGroup, isFolder: false)
        }
        let isFolder = folders[path] != nil
        guard isFolder || canRun(path) || system.files[path] != nil else { return nil }
        return FileAttributes(
            mode: system.modes[path] ?? (isFolder ? 0o755 : 0o644), user: system.owners[path] ?? 0,
            group: system.fileGroups[path] ?? 0, isFolder: isFolder)
    }
}

extension FakeSystem {
    static func reader(
        _ name: String, id: String = "usb-1", state: ReaderStatus = .empty, failure: String? = nil,
        blocked: String? = nil
    ) -> ReadersList.Reader {
        ReadersList.Reader(
            reader: id, name: name, state: state, technologies: ["iso14443"], profile: "acr122u", serial: nil,
            failure: failure, blocked: blocked)
    }

    static func state(
        _ readers: [ReadersList.Reader], version: String = NFCDVersion.release,
        protocolVersion: Int = NFCDVersion.protocolVersion, serviceProblem: String? = nil,
        journal: TapsStatus.Result? = journal(.disabled), entitlements: ServerInfo.Entitlements = usualEntitlements
    ) -> DaemonState {
        let info = ServerInfo.Result(
            name: "nfcd", version: version, protocolVersion: protocolVersion, methods: [],
            readingAvailable: !readers.isEmpty, readerService: serviceProblem == nil ? .available : .unavailable,
            readerServiceDetail: serviceProblem,
            limits: .init(sessionTimeout: 60, lineLength: 1 << 20, sessionsPerClient: 16),
            entitlements: entitlements)
        return DaemonState(info: info, readers: readers, journal: journal)
    }

    /// What an nfcd without a configuration grants.
    static let usualEntitlements = ServerInfo.Entitlements(
        formats: ["NDEF", "TAG"], capabilities: ["background", "format", "raw", "read", "simulate", "write"],
        iso7816SelectIdentifiers: ["*"], feliCaSystemCodes: ["*"], readers: ["*"])

    /// A journal with 1,000 of 100,000 taps.
    static func journal(
        _ state: JournalState = .ready, reason: String? = nil, bytes: Int64 = 1_048_576, dropped: Int64 = 0,
        movedAside: Int = 0, consumers: [TapsStatus.Consumer] = []
    ) -> TapsStatus.Result {
        TapsStatus.Result(
            state: state, reason: reason, epoch: "e", oldest: 1, newest: 1000, taps: 1000, tapLimit: 100_000,
            bytes: bytes, byteLimit: 64 * 1_048_576, dropped: dropped, movedAside: movedAside, consumers: consumers)
    }

    /// A working machine with a journal.
    mutating func keepJournal(_ journal: TapsStatus.Result) {
        daemon = .answered(Self.state([Self.reader("ACS ACR122U PICC Interface 00 00")], journal: journal))
    }

    /// A relay with one consumer.
    mutating func runRelay(
        _ state: RelayStatus.State, backlog: Int = 0, oldest: String? = nil, parked: Int = 0, error: String? = nil,
        daemonError: String? = nil
    ) {
        keepJournal(Self.journal())
        relay = .answered(
            RelayStatus.Result(
                version: NFCDVersion.release, daemonConnected: daemonError == nil, daemonError: daemonError,
                consumers: [
                    RelayStatus.Consumer(
                        name: "till", kind: .webhook, state: state, backlog: backlog, oldest: oldest, parked: parked,
                        lastError: error)
                ]))
    }

    /// The output of `systemctl show`.
    static func systemd(
        socket: String = "active", file: String = "enabled", service: String = "active", result: String = "success",
        exitStatus: Int = 0
    ) -> String {
        """
        Id=nfcd.socket
        LoadState=loaded
        ActiveState=\(socket)
        UnitFileState=\(file)
        Result=success

        Result=\(result)
        ExecMainStatus=\(exitStatus)
        Id=nfcd.service
        LoadState=loaded
        ActiveState=\(service)
        UnitFileState=static

        """
    }

    static func plist(
        readers: [(vendor: String, product: String, name: String)], options: String = "0x0000",
        version: String = "1.5.2"
    ) -> String {
        func list(_ key: String, _ values: [String]) -> String {
            "<key>\(key)</key><array>\(values.map { "<string>\($0)</string>" }.joined())</array>\n"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>CFBundleShortVersionString</key><string>\(version)</string>
            <key>ifdDriverOptions</key><string>\(options)</string><!-- bits -->

            """ + list("ifdVendorID", readers.map(\.vendor)) + list("ifdProductID", readers.map(\.product))
                + list("ifdFriendlyName", readers.map(\.name)) + "</dict></plist>\n"
    }
}
