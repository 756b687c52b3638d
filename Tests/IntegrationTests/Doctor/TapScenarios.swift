import NFCProtocol
import RelayProtocol

@testable import nfcctl

extension DoctorScenario {
    static let taps = journal + relay

    private static let slowConsumer = TapsStatus.Consumer(
        name: "relay:till", uid: 998, acknowledged: 10, backlog: 990, oldest: "2026-01-31T12:00:00.000Z")

    private static let journal = [
        DoctorScenario("a journal that fails", "journal", .problem, "cannot store taps", fix: "journalctl", code: 69) {
            $0.keepJournal(FakeSystem.journal(.failed, reason: "the disk is read-only"))
        },
        DoctorScenario(
            "a full journal", "journal", .problem, "The journal is full", fix: "nfcctl relay status", code: 69
        ) { $0.keepJournal(FakeSystem.journal(.full, reason: "100000 taps", consumers: [slowConsumer])) },
        DoctorScenario(
            "a journal that a consumer fills", "journal", .warning, "75 % full", fix: "nfcctl relay status"
        ) { $0.keepJournal(FakeSystem.journal(bytes: 48 * 1_048_576, consumers: [slowConsumer])) },
        DoctorScenario(
            "a journal that a consumer of another kind fills", "journal", .warning, "75 % full",
            fix: "sudo nfcctl taps remove-consumer 'old till'"
        ) {
            var consumer = slowConsumer
            consumer.name = "old till"
            $0.keepJournal(FakeSystem.journal(bytes: 48 * 1_048_576, consumers: [consumer]))
        },
        DoctorScenario("taps that were lost", "journal", .warning, "3 taps were deleted", fix: "journalctl") {
            $0.keepJournal(FakeSystem.journal(dropped: 3))
        },
        DoctorScenario("a damaged journal", "journal", .warning, "1 damaged journals", fix: "journalctl") {
            $0.keepJournal(FakeSystem.journal(movedAside: 1))
        },
        DoctorScenario("a wrong clock", "journal", .warning, "clock is not synchronised", fix: "set-ntp true") {
            $0.keepJournal(FakeSystem.journal())
            $0.programs.insert("/usr/bin/timedatectl")
            $0.answers["timedatectl"] = CommandResult(status: 0, output: "no\n")
        },
        DoctorScenario(
            "a journal that does not record after a reboot", "journal", .warning, "does not start at boot",
            fix: "sudo systemctl enable nfcd.service"
        ) {
            $0.keepJournal(FakeSystem.journal())
            $0.files["/usr/lib/systemd/system-generators/nfcd-generator"] = nil
        },
        DoctorScenario("a journal whose nfcd is enabled", "journal", .ok, "stores taps", fix: nil) {
            $0.keepJournal(FakeSystem.journal())
            $0.files["/usr/lib/systemd/system-generators/nfcd-generator"] = nil
            let enabled = FakeSystem.systemd().replacing("UnitFileState=static", with: "UnitFileState=enabled")
            $0.answers["systemctl"] = CommandResult(status: 0, output: enabled)
        },
        DoctorScenario("a journal that may not be read", "journal", .ok, "was not checked", fix: nil) {
            $0.daemon = .answered(FakeSystem.state([FakeSystem.reader("A")], journal: nil))
        },
        DoctorScenario(
            "a relay without a journal", "journal", .warning, "keeps no journal", fix: "restart nfcd.service"
        ) { $0.configureRelay() },
    ]

    private static let relay = [
        DoctorScenario(
            "a relay that does not run", "relay", .warning, "is not running", fix: "systemctl enable --now nfcd-relay"
        ) {
            $0.keepJournal(FakeSystem.journal())
            $0.configureRelay()
        },
        DoctorScenario(
            "a relay with a drop-in file that does not run", "relay", .warning, "is not running",
            fix: "systemctl enable --now nfcd-relay"
        ) {
            $0.keepJournal(FakeSystem.journal())
            $0.configureRelay(file: "relay.d/50-fleet.toml")
        },
        DoctorScenario(
            "a relay with an invalid configuration", "relay", .warning, "relay.toml is invalid",
            fix: "sudo nfcd-relay --check --config"
        ) {
            $0.configureRelay()
            $0.answers["nfcd-relay"] = CommandResult(
                status: 78, output: "nfcd-relay: /etc/nfcd/relay.toml:1: mqtt[0]: host is missing\n")
        },
        DoctorScenario(
            "a relay whose secrets the user may not read", "relay", .ok, "delivers to till", fix: nil
        ) {
            $0.configureRelay()
            $0.runRelay(.connected)
            $0.answers["nfcd-relay"] = CommandResult(status: 78, output: "nfcd-relay: /x cannot be read: denied\n")
        },
        DoctorScenario("a relay without nfcd", "relay", .warning, "not connected to nfcd", fix: "journalctl") {
            $0.runRelay(.connected, daemonError: "you may not open it")
        },
        DoctorScenario(
            "a receiver that is out of reach", "relay", .warning, "out of reach, with 7 taps waiting.",
            fix: "sudo nfcctl relay test till"
        ) { $0.runRelay(.waiting, backlog: 7, error: "connection refused") },
        DoctorScenario(
            "one tap for such a receiver", "relay", .warning, "out of reach, with 1 tap waiting.",
            fix: "sudo nfcctl relay test till"
        ) { $0.runRelay(.waiting, backlog: 1, error: "connection refused") },
        DoctorScenario(
            "a receiver that refuses everything", "relay", .warning, "refuses everything",
            fix: "sudo nfcctl relay test till"
        ) { $0.runRelay(.held, backlog: 7, error: "401") },
        DoctorScenario("a paused consumer", "relay", .note, "till is paused", fix: "sudo nfcctl relay resume till") {
            $0.runRelay(.paused)
        },
        DoctorScenario(
            "a consumer that is late", "relay", .warning, "the oldest for 11 minutes", fix: "nfcctl relay status"
        ) {
            $0.runRelay(.connected, backlog: 7, oldest: "2023-11-14T22:13:20.000Z")
            $0.clocks.wall = 1_700_000_000 + 11 * 60
        },
        DoctorScenario("parked taps", "relay", .warning, "2 taps permanently", fix: "nfcctl relay parked list") {
            $0.runRelay(.connected, parked: 2)
        },
        DoctorScenario("a relay of others", "relay", .note, "may not open", fix: "sudo nfcctl doctor") {
            $0.relay = .notPermitted
        },
        DoctorScenario("a relay that hangs", "relay", .warning, "does not answer", fix: "restart nfcd-relay") {
            $0.relay = .failed("it does not answer within 5 s")
        },
    ]
}

extension FakeSystem {
    /// Describes a consumer in relay.toml, and installs the relay.
    fileprivate mutating func configureRelay(file: String = "relay.toml") {
        files["/etc/nfcd/\(file)"] = "[[mqtt]]\nname = \"till\"\n"
        files["/usr/lib/systemd/system/nfcd-relay.service"] = "[Service]\n"
        programs.insert("/usr/bin/nfcd-relay")
    }
}
