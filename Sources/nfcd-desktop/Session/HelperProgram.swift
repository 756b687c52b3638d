import CommandSupport
import ServiceSupport
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program of the desktop that does one thing, such as `wl-copy`: found in PATH, started without a shell, with its input on standard
/// input, where other users do not see it, and with a limit of time and output.
struct HelperProgram: Sendable {
    /// Why it did not do its work.
    struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        let description: String
    }

    private static let usualPath = "/usr/local/bin:/usr/bin:/bin"

    let name: String
    let path: String
    private let environment: [String: String]

    /// Nil where no folder of PATH has the program.
    init?(_ name: String, _ environment: [String: String]) {
        let folders = (environment["PATH"] ?? Self.usualPath).split(separator: ":").filter { $0.hasPrefix("/") }
        guard let path = folders.map({ "\($0)/\(name)" }).first(where: { (path: String) in access(path, X_OK) == 0 })
        else { return nil }
        self.name = name
        self.path = path
        self.environment = environment
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - leaves: whether it leaves a process that stays, such as the owner of a clipboard or a browser.
    ///   - variables: added to the environment.
    /// - Returns: the first 64 KiB of its output.
    @discardableResult func run(
        _ arguments: [String], input: String = "", leaves: Bool = false, variables: [String: String] = [:],
        timeout: Duration = .seconds(10)
    ) async throws(Failure) -> String {
        let thread = ThreadExecutor()
        let result: Result<String, Failure> = await withCheckedContinuation { continuation in
            thread.run {
                do throws(Failure) {
                    let run = try start(arguments, Array(input.utf8), leaves, variables)
                    run.follow(until: SystemClock.monotonic.now + timeout, leaves: leaves) { end in
                        continuation.resume(returning: self.result(end, timeout))
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private func start(
        _ arguments: [String], _ input: [UInt8], _ leaves: Bool, _ variables: [String: String]
    ) throws(Failure) -> HelperRun {
        // What is left behind must not keep the pipe of its output.
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { if null >= 0 { close(null) } }
        do throws(KeptProgram.StartError) {
            let pipes = try ProgramPipes()
            let program = try KeptProgram.start(
                [path] + arguments, environment: environment.merging(variables) { $1 }.map { "\($0)=\($1)" }.sorted(),
                streams: pipes.streams(output: leaves ? null : nil), background: leaves ? .goesOn : .ends)
            pipes.keepOwnEnds()
            return HelperRun(program, input, pipes)
        } catch {
            throw Failure(description: "\(name) cannot be started: \(String(cString: strerror(error.code)))")
        }
    }

    private func result(_ end: HelperRun.End, _ timeout: Duration) -> Result<String, Failure> {
        switch end {
        case .ended(0, let output): return .success(String(decoding: output, as: UTF8.self))
        case .stays: return .success("")
        case .ended(let status, let output):
            let words = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).first
            let reason = words.map { ": \(ShownText(String($0)).plain)" } ?? " with status \((status >> 8) & 0xFF)"
            return .failure(Failure(description: "\(name) failed\(reason)"))
        case .late:
            return .failure(
                Failure(description: "\(name) did not end within \(timeout.components.seconds) s, and was ended"))
        }
    }
}

/// One run of a program.
private struct HelperRun: ~Copyable {
    enum End {
        /// With the status of waitpid(2), and the first bytes of its output.
        case ended(Int32, [UInt8])
        /// It runs on, as programs do that it has started a browser with.
        case stays
        case late
    }

    private static let mostOutput = 65_536

    private var program: KeptProgram
    private var rest: ArraySlice<UInt8>
    private let pipes: ProgramPipes

    init(_ program: consuming KeptProgram, _ input: [UInt8], _ pipes: ProgramPipes) {
        self.program = program
        rest = input[...]
        self.pipes = pipes
    }

    /// Feeds its input and collects its output, reports its end or that it is late, and waits until it has ended.
    consuming func follow(until deadline: Duration, leaves: Bool, _ report: (End) -> Void) {
        var output: [UInt8] = []
        var isLate = false
        while !program.hasEnded {
            pipes.feed(&rest)
            drain(&output)
            if !isLate, SystemClock.monotonic.now >= deadline {
                isLate = true
                if leaves { report(.stays) } else { program.end() }
            }
            pipes.wait(for: program.ended, hasInput: !rest.isEmpty)
        }
        drain(&output)
        let status = program.status()
        _ = program.reap(waits: true)
        if !isLate { report(.ended(status, output)) } else if !leaves { report(.late) }
    }

    /// Keeps the first bytes of what it has written.
    private func drain(_ output: inout [UInt8]) {
        pipes.drain { output += $0.prefix(Self.mostOutput - output.count) }
    }
}
