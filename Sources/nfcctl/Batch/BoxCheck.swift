import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

/// The tags of a box, compared with the report of the batch that wrote them.
struct BoxCheck: Sendable {
    /// What is known of a tag.
    enum Finding: Equatable, Sendable {
        case right(number: Int)
        /// It holds another message, or none.
        case different(number: Int)
        case unknown
        /// It was right before.
        case seen(number: Int)
    }

    private let entries: [[UInt8]: BatchReport.Entry]
    private var seen: Set<[UInt8]> = []
    /// The UIDs of tags that are not in the report.
    private(set) var strangers: Set<[UInt8]> = []

    /// A later line about a tag replaces an earlier one.
    init(_ entries: [BatchReport.Entry]) {
        self.entries = Dictionary(entries.map { ($0.tag, $0) }) { $1 }
    }

    /// The number of tags in the report.
    var total: Int { entries.count }
    /// The number of tags that were right.
    var rightCount: Int { seen.count }
    /// Whether all tags of the report were right.
    var isComplete: Bool { seen.count == entries.count }
    /// The numbers of the tags that were not right yet.
    var missing: [Int] { entries.values.filter { !seen.contains($0.tag) }.map(\.number).sorted() }

    /// Whether a tag need not be read.
    func knows(_ tag: [UInt8]) -> Finding? {
        guard let entry = entries[tag] else { return .unknown }
        return seen.contains(tag) ? .seen(number: entry.number) : nil
    }

    /// Compares a tag with its line.
    ///
    /// - Parameter content: the encoded message on the tag; nil if it has none.
    mutating func compare(_ tag: [UInt8], holding content: [UInt8]?) -> Finding {
        guard let entry = entries[tag] else {
            strangers.insert(tag)
            return .unknown
        }
        guard content ?? [] == entry.message else { return .different(number: entry.number) }
        return seen.insert(tag).inserted ? .right(number: entry.number) : .seen(number: entry.number)
    }
}

/// Reads one tag after another and compares each with a report.
struct BoxCheckRun: Sendable {
    private struct Checked: Encodable {
        let result: String
        let number: Int?
        let seen: Int
        let total: Int
    }

    private struct End: Encodable {
        let event = "check"
        let seen: Int
        let total: Int
        let missing: [Int]
        let unknown: Int
    }

    private let options: TagOptions
    private let passwords: TagPasswords
    private var check: BoxCheck

    /// - Throws: `ExitCode`, after printing the reason.
    init(report: String, options: TagOptions) throws {
        self.options = options
        passwords = try options.password.read()
        check = BoxCheck(try BatchReport.entries(of: report))
        guard check.total > 0 else {
            Terminal.error("nfcctl: \(report.escaped) has no tags")
            throw ExitCode.badData
        }
    }

    /// Reads tags until all of the report were seen.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 65 if there were other tags, 130 after Ctrl-C.
    func run() async throws {
        let stop = StopRequest()
        let check = try await Interruption().handling(with: stop.request) { [self] in
            var run = self
            return try await options.session.connection.reportingErrors {
                try await run.sessions(stop)
                return run.check
            }
        }
        end(check)
        if stop.isRequested, !check.isComplete { throw ExitCode.interrupted }
        if !check.strangers.isEmpty { throw ExitCode.badData }
    }

    private mutating func sessions(_ stop: StopRequest) async throws {
        try await NFCClient.answering(at: options.session.connection.path) { try await sessions($0, stop) }
    }

    private mutating func sessions(_ client: NFCClient, _ stop: StopRequest) async throws {
        let info = try await client.call(ServerInfo.self)
        if let refusal = try await info.entitlements.refusal(of: [TagReadNDEF.requirement], by: client) {
            throw refusal
        }
        var parameters = options.session.parameters(.ndef, detection: .tags)
        while !check.isComplete, !stop.isRequested {
            let session = try await client.beginSession(parameters)
            if parameters.whenBusy != .queue {
                Terminal.error("Hold one tag after another to the reader. Press Ctrl-C to stop.")
            }
            (parameters.whenBusy, parameters.waitForReader) = (.queue, true)
            do {
                try await tags(session, stop)
            } catch {
                try? await session.invalidate()
                throw error
            }
            try await session.invalidate()
        }
    }

    /// Reads tags until the session ends or nothing is left.
    private mutating func tags(_ session: ReaderSession, _ stop: StopRequest) async throws {
        while !check.isComplete {
            let events = session.events
            let event = try await stop.unlessRequested { await events.makeAsyncIterator().next() } ?? nil
            guard !stop.isRequested else { return }
            switch event {
            case .didDetectTags(let tags):
                for tag in tags { try await use(tag) }
            case .tagFailed(let failure): failure.report()
            case .didInvalidate(let end):
                guard end.code == .sessionTimeout else { throw NFCClientError.sessionEnded(end) }
                return
            case .didBecomeActive, .didDetectNDEFs, .tagRemoved, .tagIgnored: break
            case nil: throw NFCClientError.connectionLost
            }
        }
    }

    private mutating func use(_ tag: RemoteTag) async throws {
        // The last tag of a session that timed out may still lie there.
        if tag.facts.wasPresent == true, check.knows(tag.identifier) != nil { return }
        do {
            try await tag.connect()
            try await passwords.give(to: tag)
            // As an argument it would change the counts after they were read.
            let finding = check.compare(tag.identifier, holding: try await tag.encodedMessage())
            show(finding, tag)
        } catch let error as NFCClientError {
            guard let code = error.nfcCode, code != .securityViolation else { throw error }
            Terminal.error(
                "UID \(TagSummary(tag.facts).uid): \("\(error)".printable). \(error.passwordAdvice ?? "Hold it again.")"
            )
        }
    }

    private func show(_ finding: BoxCheck.Finding, _ tag: RemoteTag) {
        let (result, number, words): (String, Int?, String) =
            switch finding {
            case .right(let number): ("right", number, "number \(number): as in the report")
            case .seen(let number): ("seen", number, "number \(number): seen before")
            case .different(let number): ("different", number, "number \(number): NOT the message of the report")
            case .unknown: ("unknown", nil, "NOT in the report")
            }
        if options.json {
            let extra = Checked(result: result, number: number, seen: check.rightCount, total: check.total)
            Terminal.print(json: TagEvent(event: "checked", tag: tag.facts, extra: extra))
        } else {
            Terminal.print("\(check.rightCount) of \(check.total)  UID \(TagSummary(tag.facts).uid)  \(words)")
        }
    }

    private func end(_ check: BoxCheck) {
        let others = check.strangers.count
        let more =
            others == 0 ? "" : others == 1 ? " 1 tag is not in the report." : " \(others) tags are not in the report."
        if check.isComplete {
            let found =
                check.total == 1
                ? "The tag of the report is here, with its message."
                : "All \(check.total) tags of the report are here, with their messages."
            Terminal.error("\(found)\(more)")
        } else {
            let numbers = check.missing.prefix(20).map { "\($0)" }.joined(separator: ", ")
            let rest = check.missing.count > 20 ? " and \(check.missing.count - 20) more" : ""
            Terminal.error(
                "Stopped: \(check.rightCount) of \(check.total) were right. Missing: number \(numbers)\(rest).\(more)")
        }
        guard options.json else { return }
        Terminal.print(
            json: End(seen: check.rightCount, total: check.total, missing: check.missing, unknown: others))
    }
}
