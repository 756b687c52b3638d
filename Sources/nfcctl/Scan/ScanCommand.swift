public import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
public import NFCTypes
import Synchronization

/// `nfcctl scan`: reads tags in a reader session.
struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Read tags that are held to a reader.",
        discussion: """
            Begins a reader session and shows each tag. The session ends with Ctrl-C, after --count tags, or when its time \
            limit is reached; nfcd ends it after 60 seconds at the latest, and 'nfcctl watch' reads tags without a limit. While it is active, no other session can use the reader. With --kind tag, tags are detected \
            but not read, and the message is null. A tag that could not be read, because it was removed too early for \
            example, does not count; if there was no other, the exit code is 74. With --require proven, the same holds for a \
            tag that has not proven itself: standard error has the reason.

            With --json, prints one line per tag:
              {"event":"tag","reader":…,"tag":{"type":…,"identifier":…},
               "message":{"records":[…]}|null,"proof":{"status":…,…}}
            and at the end of the session:
              {"event":"invalidated","code":…,"name":…,"message":…}

            Examples:
              nfcctl scan
              nfcctl scan --json --count 1 |
                jq -r 'select(.event == "tag").message.records[]?.decoded.uri'
            """)

    @Flag(help: "Print one line of JSON per tag, and one at the end.")
    var json = false

    @Option(help: ArgumentHelp("End the session after this many tags.", valueName: "n"))
    var count: Int?

    @Option(help: "The kind of session: ndef reads messages, tag only detects tags.")
    var kind = SessionKind.ndef

    @OptionGroup var proof: ProofOption
    @OptionGroup var session: SessionOptions

    func validate() throws {
        if proof.require != nil, kind == .tag {
            throw ValidationError("--require needs --kind ndef: a tag that is only detected proves nothing")
        }
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
    }

    func run() async throws {
        let output: any ScanOutput = json ? ScanJSONOutput() : ScanTextOutput()
        let (request, count, proof) = (session.parameters(kind), count, proof)
        let code = try await session.connection.withClient { client in
            let info = try await client.call(ServerInfo.self)
            session.reportCutTimeout(kind, info, advice: "Use 'nfcctl watch' to read tags for longer.")
            return try await Scan(
                client: client, request: request, count: count, requires: proof.require, output: output
            )
            .run()
        }
        if code != .success { throw code }
    }
}

extension SessionKind: ExpressibleByArgument {}

/// A reader session, shown from its beginning to its end.
struct Scan: Sendable {
    /// The end of a session, and what was shown before.
    private struct Result {
        let end: SessionEnd
        let tags: Int
        /// The tags that could not be read.
        let failures: Int
        /// Whether this program ended the session.
        let isOwnEnd: Bool
    }

    private let client: NFCClient
    private let request: SessionBegin.Parameters
    private let count: Int?
    private let requirement: ProofRequirement?
    private let output: any ScanOutput

    /// - Parameters:
    ///   - count: the number of tags after which the session ends.
    ///   - requirement: which tags count; nil: all.
    init(
        client: NFCClient, request: SessionBegin.Parameters, count: Int?, requires requirement: ProofRequirement? = nil,
        output: any ScanOutput
    ) {
        (self.client, self.request, self.count, self.output) = (client, request, count, output)
        self.requirement = requirement
    }

    /// Runs the session and returns the exit code.
    func run() async throws -> ExitCode {
        let interruption = await Interruption()
        let info = try await client.call(ServerInfo.self)
        let countdown = Countdown(limit: info.sessionTime(request.kind, requested: request.timeout))
        return try await client.withSession(request) { session in
            let result = try await interruption.handling {
                countdown.stop()
                try? await session.invalidate()
            } _: {
                try await show(session, countdown)
            }
            if result.end.code == .userCanceled, !result.isOwnEnd {
                Terminal.error("nfcctl: the session was cancelled: \(result.end.detail.escaped)")
            }
            output.end(result.end)
            return exitCode(result)
        }
    }

    /// The working readers of the session; none if the session ends meanwhile, which its last event reports.
    private func readers() async -> [ReadersList.Reader] {
        let all = (try? await client.call(ReadersList.self)) ?? []
        return all.filter { reader in
            reader.state != .failed && request.readers?.contains { [reader.reader, reader.name].contains($0) } ?? true
        }
    }

    /// Shows the session while the countdown is updated every second.
    private func show(_ session: ReaderSession, _ countdown: Countdown) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if Terminal.showsStatus {
                group.addTask {
                    while (try? await Task.sleep(for: .seconds(1))) != nil { output.waiting(countdown.secondsLeft) }
                }
            }
            defer { group.cancelAll() }
            return try await follow(session, countdown)
        }
    }

    private func follow(_ session: ReaderSession, _ countdown: Countdown) async throws -> Result {
        var (tags, failures) = (0, 0)
        for await event in session.events {
            switch event {
            case .didBecomeActive:
                countdown.start()
                output.begin(readers: await readers())
            case .didDetectNDEFs(let tag) where tag.error?.isOfReading == true:
                failures += 1
                output.failed(tag)
            case .didDetectNDEFs(let tag) where requirement == .proven && tag.proof?.isProven != true:
                failures += 1
                output.unproven(tag)
            case .didDetectNDEFs(let tag): await show([tag], &tags, session, countdown)
            case .didDetectTags(let found):
                await show(found.map { .init(notRead: $0) }, &tags, session, countdown)
            case .tagFailed(let failure):
                failures += 1
                output.failed(failure)
            case .tagRemoved, .tagIgnored: break
            case .didInvalidate(let end):
                return Result(end: end, tags: tags, failures: failures, isOwnEnd: countdown.isStopped)
            }
            output.waiting(countdown.secondsLeft)
        }
        throw CancellationError()
    }

    private func show(
        _ found: [SessionDidDetectNDEFs], _ tags: inout Int, _ session: ReaderSession, _ countdown: Countdown
    ) async {
        for tag in found where tags < count ?? .max {
            tags += 1
            output.tag(tag)
            guard tags == count else { continue }
            countdown.stop()
            // A session that has ended already reports why.
            try? await session.invalidate()
        }
    }

    private func exitCode(_ result: Result) -> ExitCode {
        if result.end.code == .userCanceled, !result.isOwnEnd { return .temporary }
        let isExpected = [.userCanceled, .sessionTimeout].contains(result.end.code)
        if isExpected, result.tags == 0, result.failures > 0 { return .tagError }
        // Without --count, it is a success if tags were read before the time limit was reached.
        let isSuccess = result.end.code == .sessionTimeout && count == nil && result.tags > 0
        return isSuccess ? .success : ExitCode(result.end.code)
    }
}

/// The time until a session ends, unless this program ends it earlier.
private final class Countdown: Sendable {
    private let limit: Double
    private let end = Mutex<ContinuousClock.Instant?>(nil)
    private let hasStopped = Atomic(false)

    /// Whether this program ends the session.
    var isStopped: Bool { hasStopped.load(ordering: .relaxed) }

    init(limit: Double) {
        self.limit = limit
    }

    /// Starts when the session becomes active.
    func start() {
        end.withLock { $0 = .now + .seconds(limit) }
    }

    /// This program ends the session.
    func stop() {
        hasStopped.store(true, ordering: .relaxed)
    }

    /// Nil before the start.
    var secondsLeft: Double? { end.withLock { $0.map { ContinuousClock.now.duration(to: $0) / .seconds(1) } } }
}

extension SessionDidDetectNDEFs {
    /// A tag that was not read.
    fileprivate init(notRead tag: RemoteTag) {
        let facts = tag.facts
        self.init(
            session: tag.session.id, reader: facts.reader, readerName: facts.readerName, tag: facts.tag,
            type: facts.type, technology: facts.technology, identifier: facts.identifier, messages: [], error: nil)
    }
}
