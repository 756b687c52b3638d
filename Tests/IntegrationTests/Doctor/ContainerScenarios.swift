import NFCProtocol

@testable import nfcctl

/// Clients in containers and sandboxes that do not reach the nfcd of the machine, and what is worth knowing of those that do.
extension DoctorScenario {
    static let containers = socketFolder + groups + reached

    private static let socketFolder = [
        DoctorScenario(
            "a Podman container without nfcd's folder", "container", .problem, "there is no /run/nfcd",
            fix: "podman run --volume /run/nfcd:/run/nfcd --group-add keep-groups", code: 69
        ) { $0.becomeContainer(.noSocket, ["/run/.containerenv": ""]) },
        DoctorScenario(
            "a container that its variable names", "container", .problem, "in this Podman container",
            fix: "podman run --volume", code: 69
        ) {
            $0.becomeContainer(.noSocket, [:])
            $0.environment["container"] = "podman"
        },
        DoctorScenario(
            "a Docker container without nfcd's folder", "container", .problem, "in this Docker container",
            fix: #"docker run --volume /run/nfcd:/run/nfcd --group-add "$(getent group nfc | cut -d: -f3)""#, code: 69
        ) { $0.becomeContainer(.noSocket, ["/.dockerenv": ""]) },
        DoctorScenario(
            "a container that only its control group names", "container", .problem, "in this Docker container",
            fix: "docker run", code: 69
        ) { $0.becomeContainer(.noSocket, ["/proc/1/cgroup": "12:pids:/docker/0123456789ab\n"]) },
        DoctorScenario(
            "a pod without a volume", "container", .problem, "not in this Kubernetes pod", fix: nil, code: 69
        ) {
            $0.becomeContainer(.noSocket, ["/.dockerenv": ""])
            $0.environment["KUBERNETES_SERVICE_HOST"] = "10.0.0.1"
        },
        DoctorScenario(
            "a Flatpak without the permission", "container", .problem, "not in this Flatpak",
            fix: "flatpak override --user --filesystem=/run/nfcd org.example.Desk", code: 69
        ) { $0.becomeContainer(.noSocket, ["/.flatpak-info": "[Application]\nname=org.example.Desk\n"]) },
        DoctorScenario(
            "a Toolbx container", "container", .problem, "not in this Toolbx container",
            fix: "export NFCD_SOCKET=/run/host/run/nfcd/nfcd.sock", code: 69
        ) {
            $0.becomeContainer(.noSocket, ["/run/.containerenv": "", "/run/.toolboxenv": ""])
            $0.files["/run/host/run/nfcd/nfcd.sock"] = ""
        },
        DoctorScenario(
            "a Distrobox container of a machine without nfcd", "container", .problem, "not in this Distrobox container",
            fix: "distrobox create --volume /run/nfcd:/run/nfcd", code: 69
        ) { $0.becomeContainer(.noSocket, ["/run/.containerenv": "", "/usr/bin/distrobox-host-exec": ""]) },
        DoctorScenario(
            "another container", "container", .problem, "not in this container (lxc)", fix: nil, code: 69
        ) {
            $0.becomeContainer(.noSocket, [:])
            $0.environment["container"] = "lxc"
        },
        DoctorScenario(
            "a folder that the image has", "container", .problem, "no socket in /run/nfcd", fix: "podman run --volume",
            code: 69
        ) { $0.becomeContainer(.noSocket, ["/run/.containerenv": "", "/run/nfcd/.keep": ""]) },
        DoctorScenario(
            "a machine whose socket is not active", "container", .problem, "there is no socket in it",
            fix: "systemctl enable --now nfcd.socket", code: 69
        ) {
            $0.becomeContainer(.noSocket, ["/run/.containerenv": "", "/run/nfcd/.keep": ""])
            $0.mount("/nfcd", at: "/run/nfcd")
        },
        DoctorScenario(
            "a folder that was removed from the machine", "container", .problem, "was removed from the machine",
            fix: nil,
            code: 69
        ) {
            $0.becomeContainer(.noSocket, ["/run/.containerenv": "", "/run/nfcd/.keep": ""])
            $0.mount("/nfcd//deleted", at: "/run/nfcd")
        },
        DoctorScenario(
            "a socket that was mounted as a file", "container", .problem, "mounted as a file, and nfcd does not listen",
            fix: "docker run --volume /run/nfcd:/run/nfcd", code: 69
        ) {
            $0.becomeContainer(.staleSocket, ["/.dockerenv": ""])
            $0.mount("/nfcd/nfcd.sock//deleted", at: "/run/nfcd/nfcd.sock")
        },
        DoctorScenario(
            "an nfcd that was started by hand and has ended", "container", .problem, "No program listens",
            fix: "restart nfcd.socket", code: 69
        ) {
            $0.becomeContainer(.staleSocket, ["/.dockerenv": ""])
            $0.mount("/nfcd", at: "/run/nfcd")
        },
    ]

    private static let groups = [
        DoctorScenario(
            "rootless Podman, which drops groups", "container", .problem, "may not open",
            fix: "--group-add keep-groups", code: 77
        ) {
            $0.becomeContainer(.notPermitted, ["/run/.containerenv": ""])
            $0.enterUserNamespace(socketGroup: Container.unmapped, groups: [0])
        },
        DoctorScenario(
            "root's Podman with a user namespace", "container", .problem, "may not open", fix: nil, code: 77
        ) {
            $0.becomeContainer(.notPermitted, ["/run/.containerenv": ""])
            $0.enterUserNamespace(socketGroup: Container.unmapped, groups: [0])
            $0.files["/proc/self/uid_map"] = "         0 2147483648       1024\n"
        },
        DoctorScenario(
            "groups of a user who is not a member", "container", .problem, "may not open",
            fix: "sudo usermod -aG nfc $USER", code: 77
        ) {
            $0.becomeContainer(.notPermitted, ["/run/.containerenv": ""])
            $0.enterUserNamespace(socketGroup: Container.unmapped, groups: [0, Container.unmapped])
        },
        DoctorScenario(
            "Docker with a user that is not in the group", "container", .problem, "may not open",
            fix: "docker run --group-add 4242", code: 77
        ) {
            $0.becomeContainer(.notPermitted, ["/.dockerenv": ""])
            ($0.user, $0.groups) = (1000, [0])
        },
        DoctorScenario(
            "Docker with a user namespace", "container", .problem, "may not open",
            fix: "docker run --group-add \"$(getent", code: 77
        ) {
            $0.becomeContainer(.notPermitted, ["/.dockerenv": ""])
            $0.enterUserNamespace(socketGroup: Container.unmapped, groups: [0])
        },
        DoctorScenario(
            "a pod without the group", "container", .problem, "This user of the Kubernetes pod may not", fix: nil,
            code: 77
        ) {
            $0.becomeContainer(.notPermitted, [:])
            $0.environment["KUBERNETES_SERVICE_HOST"] = "10.0.0.1"
            ($0.user, $0.groups) = (1000, [1000])
        },
        DoctorScenario(
            "a Flatpak of a user outside the group", "container", .problem, "may not open",
            fix: "sudo usermod -aG nfc $USER",
            code: 77
        ) {
            $0.becomeContainer(.notPermitted, ["/.flatpak-info": "[Application]\nname=org.example.Desk\n"])
            $0.enterUserNamespace(socketGroup: Container.unmapped, groups: [71_234])
        },
        DoctorScenario(
            "a Distrobox container without groups", "container", .problem, "may not open", fix: "keep-groups", code: 77
        ) {
            $0.becomeContainer(.notPermitted, ["/usr/bin/distrobox-host-exec": ""])
            $0.enterUserNamespace(socketGroup: Container.unmapped, groups: [71_234])
        },
        DoctorScenario(
            "a container that SELinux confines", "container", .problem, "may not open", fix: "label=disable", code: 77
        ) {
            $0.becomeContainer(.notPermitted, ["/run/.containerenv": ""])
            $0.files["/proc/self/attr/current"] = "system_u:system_r:container_t:s0:c1,c2\n"
            $0.user = 0
        },
    ]

    private static let reached = [
        DoctorScenario("a container with everything", "container", .ok, "Podman container; the nfcd of the", fix: nil) {
            $0.becomeContainer($0.daemon, ["/run/.containerenv": ""])
            $0.mount("/nfcd", at: "/run/nfcd")
        },
        DoctorScenario(
            "a socket that is mounted as a file", "container", .warning, "mounted as a file, not with its folder",
            fix: "podman run --volume /run/nfcd:/run/nfcd"
        ) {
            $0.becomeContainer($0.daemon, ["/run/.containerenv": ""])
            $0.mount("/nfcd/nfcd.sock", at: "/run/nfcd/nfcd.sock")
        },
        DoctorScenario("root in a container", "container", .note, "is root of the machine", fix: nil) {
            $0.becomeContainer($0.daemon, ["/.dockerenv": ""])
            $0.becomeSuperuser()
        },
        DoctorScenario("root in a user namespace", "container", .ok, "the nfcd of the machine answers", fix: nil) {
            $0.becomeContainer($0.daemon, ["/.dockerenv": ""])
            $0.becomeSuperuser()
            $0.enterUserNamespace(socketGroup: FakeSystem.nfc, groups: [FakeSystem.nfc])
        },
        DoctorScenario(
            "a machine without a reader", "container", .problem, "no working reader", fix: "nfcctl doctor", code: 69
        ) { $0.becomeContainer(.answered(FakeSystem.state([])), ["/.dockerenv": ""]) },
        DoctorScenario("a container without an answer", "daemon", .problem, "does not answer", fix: nil, code: 69) {
            $0.becomeContainer(.notAnswering, ["/.dockerenv": ""])
        },
        DoctorScenario("an older nfcd on the machine", "daemon", .note, "nfcd 0.0.1 answers", fix: nil) {
            let reader = FakeSystem.reader("ACS ACR122U PICC Interface 00 00")
            $0.becomeContainer(.answered(FakeSystem.state([reader], version: "0.0.1")), ["/.dockerenv": ""])
        },
        DoctorScenario("nfcd in a user namespace", "container", .warning, "runs in a user namespace", fix: nil) {
            $0.files["/run/.containerenv"] = ""
            $0.files["/proc/self/uid_map"] = "         0       5001          1\n         1     100000      65536\n"
        },
        DoctorScenario("nfcd in a container", "container", .ok, "with the users and groups of the machine", fix: nil) {
            $0.files["/.dockerenv"] = ""
            $0.files["/proc/self/uid_map"] = "         0          0 4294967295\n"
        },
    ]
}

extension FakeSystem {
    /// A container of clients: without nfcd, pcscd, systemd and devices.
    fileprivate mutating func becomeContainer(_ daemon: DaemonStatus, _ signs: [String: String]) {
        self.daemon = daemon
        if case .noSocket = daemon { socketMode = nil }
        programs = []
        files = ["/etc/passwd": "root:x:0:0::/root:/bin/sh\n", "/etc/group": "root:x:0:\n"]
        files.merge(signs) { $1 }
    }

    fileprivate mutating func mount(_ root: String, at path: String) {
        files["/proc/self/mountinfo", default: "22 1 0:20 / / rw - overlay overlay rw\n"] +=
            "31 22 0:25 \(root) \(path) rw,nosuid - tmpfs tmpfs rw\n"
    }

    fileprivate mutating func enterUserNamespace(socketGroup: UInt32, groups: [UInt32]) {
        files["/proc/self/uid_map"] = "         0       5001          1\n         1     100000      65536\n"
        (self.socketGroup, self.groups) = (socketGroup, groups)
    }

    fileprivate mutating func becomeSuperuser() {
        user = 0
        daemon = .answered(
            Self.state(
                [Self.reader("ACS ACR122U PICC Interface 00 00")],
                entitlements: .init(
                    formats: ["NDEF", "TAG"], capabilities: ["lock", "manage", "raw", "read", "write"],
                    iso7816SelectIdentifiers: ["*"], feliCaSystemCodes: ["*"], readers: ["*"])))
    }
}
