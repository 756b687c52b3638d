import FoundationEssentials
import NDEF
import NFCProtocol
import NFCTypes
import RelayProtocol

/// Checks the journal of taps.
enum JournalCheck: Check {
    static let name = "journal"

    /// The fill level, in percent, from which on it is worth a warning.
    private static let highLevel = 70

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        guard let daemon = snapshot.daemon.state else { return [] }
        guard let journal = daemon.journal else {
            return [ok("The journal of taps was not checked: it needs the capability taps.")]
        }
        if journal.state == .disabled { return [disabled(snapshot)] }
        let found = [
            state(of: journal, snapshot), losses(of: journal, snapshot), boot(snapshot), clock(snapshot),
        ].compactMap(\.self)
        return found.isEmpty
            ? [ok("The journal stores taps: \(journal.taps) of \(journal.tapLimit), \(journal.fillLevel) % full.")]
            : found
    }

    private static func disabled(_ snapshot: SystemSnapshot) -> Finding {
        guard snapshot.relay.hasConsumers else { return ok("nfcd keeps no journal of taps.") }
        return finding(
            .warning, "nfcd keeps no journal, so nfcd-relay has nothing to deliver.",
            "Write enabled = true into the section [journal] of nfcd.toml, and restart nfcd.",
            fix: snapshot.restartDaemon, code: .configuration)
    }

    private static func state(of journal: TapsStatus.Result, _ snapshot: SystemSnapshot) -> Finding? {
        let reason = journal.reason?.printable ?? ""
        let level = journal.fillLevel
        switch journal.state {
        case .failed:
            return finding(
                .problem, "The journal cannot store taps; each is reported as failed.", reason,
                fix: [snapshot.showJournal].compactMap(\.self) + snapshot.restartDaemon)
        case .full:
            return finding(
                .problem, "The journal is full; taps are reported as failed.", "\(reason). \(holder(of: journal))",
                fix: fixes(of: journal, snapshot))
        case .ready where level >= highLevel:
            return finding(
                .warning, "The journal is \(level) % full.", holder(of: journal), fix: fixes(of: journal, snapshot))
        case .ready, .disabled: return nil
        }
    }

    /// Which consumer keeps the taps in the journal.
    private static func holder(of journal: TapsStatus.Result) -> String {
        guard let slowest = journal.slowest else {
            return "Every consumer has its taps; the journal deletes the oldest by itself."
        }
        let oldest = slowest.oldest.map { ", the oldest of \($0.printable)" } ?? ""
        return "\(slowest.name.printable) has not acknowledged \(counted(slowest.backlog, "tap"))\(oldest)."
    }

    private static func fixes(of journal: TapsStatus.Result, _ snapshot: SystemSnapshot) -> [String] {
        guard let slowest = journal.slowest else { return ["nfcctl taps status"] }
        return slowest.name.hasPrefix("relay:")
            ? ["nfcctl relay status"]
            : [snapshot.asRoot("nfcctl taps remove-consumer \(slowest.name.shellQuoted)")]
    }

    private static func losses(of journal: TapsStatus.Result, _ snapshot: SystemSnapshot) -> Finding? {
        let lost = [
            journal.dropped > 0 ? "\(journal.dropped) taps were deleted before a consumer had them" : nil,
            journal.movedAside > 0 ? "\(journal.movedAside) damaged journals were moved aside" : nil,
        ].compactMap(\.self)
        guard !lost.isEmpty else { return nil }
        return finding(
            .warning, "\(lost.joined(separator: "; ")).",
            "A file that was moved aside is next to the journal; Docs/taps.md shows how to recover taps from it.",
            fix: [snapshot.showJournal ?? "nfcctl taps status"])
    }

    /// Taps are lost after a reboot until a first client starts nfcd.
    private static func boot(_ snapshot: SystemSnapshot) -> Finding? {
        guard snapshot.instance == .system, snapshot.units.isBooted, snapshot.units.installed.contains("nfcd.service"),
            !snapshot.units.startsJournalAtBoot
        else { return nil }
        return finding(
            .warning, "nfcd does not start at boot: after a reboot, no tap is recorded until a first client connects.",
            "The package starts it with nfcd-generator, which is not installed.",
            fix: [snapshot.asRoot("systemctl enable nfcd.service")])
    }

    private static func clock(_ snapshot: SystemSnapshot) -> Finding? {
        guard snapshot.clockIsSynchronised == false else { return nil }
        return finding(
            .warning, "The clock is not synchronised: the times of taps may be wrong, and webhooks may be refused.",
            fix: [snapshot.asRoot("timedatectl set-ntp true")])
    }
}

/// Checks nfcd-relay and its consumers, if it is configured.
enum RelayCheck: Check {
    static let name = "relay"

    /// The age of an undelivered tap, in seconds, from which on a connected consumer is worth a warning.
    private static let highAge = 600.0

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let relay = snapshot.relay
        let path = relay.configuration.path.printable
        if let problem = relay.configuration.problem {
            return [
                finding(
                    .warning, "\(path) is invalid; nfcd-relay does not start with it.", problem.printable,
                    fix: [
                        snapshot.asRoot("${EDITOR:-nano} \(relay.configuration.path.shellQuoted)"),
                        snapshot.asRoot("nfcd-relay --check --config \(relay.configuration.path.shellQuoted)"),
                        snapshot.asRoot("systemctl restart nfcd-relay"),
                    ], code: .configuration)
            ]
        }
        switch relay.answer {
        case .answered(let status): return findings(status, snapshot)
        case .notRunning where !relay.configuration.hasConsumers: return []
        case .notRunning:
            return [
                finding(
                    .warning, "nfcd-relay is not running, although \(path) describes consumers.",
                    fix: [relay.start.command])
            ]
        case .notPermitted:
            return [
                finding(
                    .note, "nfcd-relay was not checked: you may not open \(relay.path.printable).",
                    fix: ["sudo nfcctl doctor"])
            ]
        case .failed(let reason):
            return [
                finding(
                    .warning, "The request to nfcd-relay failed: \(reason.printable)",
                    fix: [snapshot.asRoot("systemctl restart nfcd-relay")])
            ]
        }
    }

    private static func findings(_ status: RelayStatus.Result, _ snapshot: SystemSnapshot) -> [Finding] {
        var found = status.consumers.flatMap { findings($0, snapshot) }
        if !status.daemonConnected {
            found.insert(
                finding(
                    .warning, "nfcd-relay is not connected to nfcd.", status.daemonError?.printable ?? "",
                    fix: [snapshot.asRoot("journalctl --unit nfcd-relay --boot --lines 20")]), at: 0)
        }
        guard found.isEmpty else { return found }
        let names = status.consumers.map(\.name.printable).joined(separator: ", ")
        return [ok(names.isEmpty ? "nfcd-relay runs; it has no consumers." : "nfcd-relay delivers to \(names).")]
    }

    private static func findings(_ consumer: RelayStatus.Consumer, _ snapshot: SystemSnapshot) -> [Finding] {
        let name = consumer.name.printable
        let error = consumer.lastError?.printable ?? ""
        let test = snapshot.asRoot("nfcctl relay test \(consumer.name.shellQuoted)")
        let backlog = counted(consumer.backlog, "tap")
        var found: [Finding] = []
        switch consumer.state {
        case .waiting:
            found.append(
                finding(
                    .warning, "The receiver of \(name) is out of reach, with \(backlog) waiting.", error,
                    fix: [test]))
        case .held:
            found.append(
                finding(
                    .warning, "The receiver of \(name) refuses everything, with \(backlog) waiting.", error,
                    fix: [test]))
        case .paused:
            found.append(
                finding(
                    .note, "\(name) is paused, with \(backlog) waiting.",
                    fix: [snapshot.asRoot("nfcctl relay resume \(consumer.name.shellQuoted)")]))
        case .connected:
            if let age = age(of: consumer, snapshot), age >= highAge {
                let minutes = Int(age / 60)
                found.append(
                    finding(
                        .warning,
                        "\(name) is late, with \(backlog) waiting, the oldest for \(counted(minutes, "minute")).",
                        error, fix: ["nfcctl relay status"]))
            }
        }
        if consumer.parked > 0 {
            found.append(
                finding(
                    .warning, "The receiver of \(name) refused \(counted(consumer.parked, "tap")) permanently.",
                    "Retry or discard what is parked.",
                    fix: ["nfcctl relay parked list --consumer \(consumer.name.shellQuoted)"])
            )
        }
        return found
    }

    /// The age of the oldest undelivered tap, in seconds.
    private static func age(of consumer: RelayStatus.Consumer, _ snapshot: SystemSnapshot) -> Double? {
        guard let text = consumer.oldest, let now = snapshot.host.clocks.wall else { return nil }
        let styles = [Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle()]
        let date = styles.lazy.compactMap { try? Date(text, strategy: $0) }.first
        return date.map { now - $0.timeIntervalSince1970 }
    }
}
