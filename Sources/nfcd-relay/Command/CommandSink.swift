import CommandSupport
import FoundationEssentials
import Logging
import NFCProtocol
import Threading

/// Delivers taps to a program: the tap on standard input and in the environment, the exit status as acknowledgement.
final class CommandSink: Sink {
    private static let runsAtOnce = 4

    private let settings: CommandSettings
    private let logger: Logger
    private let name: String
    private let threads = ThreadPool(size: runsAtOnce)

    init(_ settings: CommandSettings, logger: Logger, name: String) {
        self.settings = settings
        self.logger = logger
        self.name = name
    }

    /// There is no connection to keep up.
    func run(_ consumer: any SinkObserver) async {
        await Task.untilCancelled()
    }

    func deliver(_ event: TapEvent) async -> Delivery {
        let tap = event.tap
        var variables = [
            "NFCD_EVENT": tap.error == nil ? "org.nfcd.tap.read" : "org.nfcd.tap.failed", "NFCD_TAP_ID": tap.id,
            "NFCD_READER": tap.reader, "NFCD_TAG": tap.tag.identifier.description,
            "NFCD_SEQUENCE": "\(tap.sequence)", "NFCD_SEQ": "\(tap.sequence)", "NFCD_ATTEMPT": "\(event.attempt)",
        ]
        variables.merge(ProofVariables(tap.proof, prefix: "NFCD_").values) { $1 }
        if event.isReplay { variables["NFCD_REPLAY"] = "true" }
        guard let input = try? JSONLine.encode(tap) else { return .unacceptable("the tap cannot be encoded") }
        return await run(variables, input, id: tap.id)
    }

    func deliver(_ notice: RelayNotice) async -> Delivery {
        let variables = [
            "NFCD_EVENT": notice.subject.rawValue, "NFCD_TAP_ID": notice.id, "NFCD_READER": notice.reader ?? "",
            "NFCD_TAG": "", "NFCD_SEQUENCE": "0", "NFCD_SEQ": "0", "NFCD_ATTEMPT": "0",
        ]
        return await run(variables, JSONLine.line(notice.cloudEvent), id: notice.id)
    }

    private func run(_ variables: [String: String], _ input: Data, id: String) async -> Delivery {
        let run = CommandRun(
            arguments: settings.run, variables: variables, input: Array(input), timeout: settings.timeout
        ) { [logger, name] line in
            logger.info("\(name): \(line)", metadata: ["tap": "\(id)"])
        }
        let stop = StopFlag()
        let end = await withTaskCancellationHandler {
            await threads.run { run.run(until: stop) }
        } onCancel: {
            stop.set()
        }
        return end.delivery
    }
}

extension CommandRun.End {
    /// What the end of a command means for the tap (sysexits.h).
    var delivery: Delivery {
        switch self {
        case .exited(0): .delivered("exit status 0")
        case .exited(let status): Self.delivery(status)
        case .signalled(let signal): .retry("the command was ended by signal \(signal)")
        case .timedOut(let time): .retry("the command took longer than \(time.wholeSeconds) s and was ended")
        case .stopped: .retry("the relay stops")
        case .notStarted(let code, let words):
            Self.isTransient(code)
                ? .retry("the command cannot be started: \(words)") : .held("the command cannot be started: \(words)")
        }
    }

    private static func delivery(_ status: Int32) -> Delivery {
        let words = "exit status \(status)"
        return switch status {
        case 69, 71, 74, 75: .retry("\(words): again later")
        case 64, 65, 66, 67, 68, 76: .unacceptable("\(words): the command does not take this tap")
        case 77, 78, 126, 127: .held("\(words): the command or its configuration needs a person")
        default: .refused(words)
        }
    }
}

/// A few threads for calls that block; further calls wait for a free one.
actor ThreadPool {
    private let size: Int
    private var free: [ThreadExecutor] = []
    private var made = 0
    private var waiting: [CheckedContinuation<ThreadExecutor, Never>] = []

    init(size: Int) {
        self.size = size
    }

    /// Runs a function on a thread of the pool.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        let thread = await take()
        defer { putBack(thread) }
        return await withCheckedContinuation { continuation in
            thread.run { continuation.resume(returning: body()) }
        }
    }

    private func take() async -> ThreadExecutor {
        if let thread = free.popLast() { return thread }
        if made < size {
            made += 1
            return ThreadExecutor()
        }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func putBack(_ thread: ThreadExecutor) {
        if waiting.isEmpty { free.append(thread) } else { waiting.removeFirst().resume(returning: thread) }
    }
}
