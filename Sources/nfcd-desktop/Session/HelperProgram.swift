import CLinux
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
        let (toChild, fromChild) = (try HelperPipe(name), try HelperPipe(name))
        // What is left behind must not keep the pipe of its output.
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { if null >= 0 { close(null) } }
        let output = leaves ? null : fromChild.ends[1]
        do throws(KeptProgram.StartError) {
            let program = try KeptProgram.start(
                [path] + arguments, environment: environment.merging(variables) { $1 }.map { "\($0)=\($1)" }.sorted(),
                streams: KeptProgram.Streams(input: toChild.ends[0], output: output, errors: output),
                background: leaves ? .goesOn : .ends)
            return HelperRun(program, input, toChild, fromChild)
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
    private let toChild: HelperPipe
    private let fromChild: HelperPipe

    init(_ program: consuming KeptProgram, _ input: [UInt8], _ toChild: HelperPipe, _ fromChild: HelperPipe) {
        toChild.closeEnd(0)
        fromChild.closeEnd(1)
        self.program = program
        rest = input[...]
        self.toChild = toChild
        self.fromChild = fromChild
    }

    /// Feeds its input and collects its output, reports its end or that it is late, and waits until it has ended.
    consuming func follow(until deadline: Duration, leaves: Bool, _ report: (End) -> Void) {
        var output: [UInt8] = []
        var isLate = false
        while !canBeRead() {
            toChild.feed(&rest)
            fromChild.drain(&output, Self.mostOutput)
            if !isLate, SystemClock.monotonic.now >= deadline {
                isLate = true
                if leaves { report(.stays) } else { program.end() }
            }
            wait()
        }
        fromChild.drain(&output, Self.mostOutput)
        let status = program.status()
        _ = program.reap(waits: true)
        if !isLate { report(.ended(status, output)) } else if !leaves { report(.late) }
    }

    private func wait() {
        var places = [
            pollfd(fd: program.ended, events: Int16(POLLIN), revents: 0),
            pollfd(fd: fromChild.ends[0], events: Int16(POLLIN), revents: 0),
            pollfd(fd: rest.isEmpty ? -1 : toChild.ends[1], events: Int16(POLLOUT), revents: 0),
        ]
        _ = poll(&places, nfds_t(places.count), 250)
    }

    private func canBeRead() -> Bool {
        var place = pollfd(fd: program.ended, events: Int16(POLLIN), revents: 0)
        return poll(&place, 1, 0) > 0
    }
}

/// A pipe whose ends are not inherited, and do not block here.
private final class HelperPipe {
    private(set) var ends: [Int32] = [-1, -1]

    init(_ name: String) throws(HelperProgram.Failure) {
        guard cspawn_pipe(&ends) == 0 else {
            throw HelperProgram.Failure(description: "\(name) cannot be started: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        closeEnd(0)
        closeEnd(1)
    }

    func closeEnd(_ end: Int) {
        if ends[end] >= 0 { close(ends[end]) }
        ends[end] = -1
    }

    /// Writes what the pipe takes, and closes it after the last byte.
    func feed(_ rest: inout ArraySlice<UInt8>) {
        guard ends[1] >= 0 else { return }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            // A program that does not read all of it has its reasons; its status counts.
            rest = count > 0 ? rest.dropFirst(count) : []
        }
        closeEnd(1)
    }

    /// Reads what is there, and keeps the first bytes.
    func drain(_ output: inout [UInt8], _ most: Int) {
        guard ends[0] >= 0 else { return }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var buffer = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<16 {
            let count = read(ends[0], &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count == 0 { closeEnd(0) }
                return
            }
            output += buffer.prefix(min(count, most - output.count))
        }
    }
}
