import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program that was started for a tap, with everything that it starts in turn: all of it can be ended, also what has changed its
/// session, its process group or its parent. It is ended with the program that has started it, too.
package struct KeptProgram: ~Copyable, Sendable {
    /// A code of errno(3).
    package struct StartError: Error {
        package let code: Int32

        package init(code: Int32) { self.code = code }
    }

    /// The descriptors of the standard streams.
    package struct Streams {
        let input: Int32
        let output: Int32
        let errors: Int32

        package init(input: Int32, output: Int32, errors: Int32) {
            (self.input, self.output, self.errors) = (input, output, errors)
        }
    }

    /// What becomes of processes that the program leaves in the background.
    package enum Background: Sendable {
        /// They are killed when the program ends. It runs in a new session, in the directory `/`.
        case ends
        /// They run until ``end()``, or until the program that has started it ends.
        case stays
        /// Neither they nor the program are ended.
        case goesOn

        fileprivate var form: cspawn_background {
            switch self {
            case .ends: cspawn_ends
            case .stays: cspawn_stays
            case .goesOn: cspawn_goes_on
            }
        }
    }

    private let keeper: cspawn_keeper
    private var isOpen = true

    /// Starts a program with default signals.
    ///
    /// - Parameters:
    ///   - arguments: the path of the program, and its arguments.
    ///   - environment: `NAME=value`.
    package static func start(
        _ arguments: [String], environment: [String], streams: Streams, background: Background
    ) throws(StartError) -> KeptProgram {
        var keeper = cspawn_keeper()
        let code = withStrings([arguments.first ?? ""]) { path in
            withStrings(arguments) { arguments in
                withStrings(environment) { environment in
                    var command = cspawn_command(
                        path: path?.pointee, arguments: arguments, environment: environment, input: streams.input,
                        output: streams.output, errors: streams.errors, background: background.form)
                    return cspawn_start(&command, &keeper)
                }
            }
        }
        guard code == 0 else { throw StartError(code: code) }
        return KeptProgram(keeper: keeper)
    }

    private init(keeper: cspawn_keeper) { self.keeper = keeper }

    /// Can be read when the program has ended.
    package var ended: Int32 { keeper.end }

    /// Whether the program has ended.
    package var hasEnded: Bool {
        var place = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
        return poll(&place, 1, 0) > 0
    }

    /// Ends the program and all that it has left: SIGTERM, and SIGKILL after 2 s.
    package mutating func end() {
        if isOpen { close(keeper.control) }
        isOpen = false
    }

    /// Waits for the end of the program.
    ///
    /// - Returns: the status of waitpid(2).
    package func status() -> Int32 { Self.status(from: keeper.end) }

    /// The same for its descriptor ``ended``, which another thread may wait for.
    package static func status(from ended: Int32) -> Int32 {
        var status: Int32 = 0
        var count = 0
        repeat { count = read(ended, &status, MemoryLayout<Int32>.size) } while count < 0 && errno == EINTR
        // Without a status, the keeper itself was killed.
        return count == MemoryLayout<Int32>.size ? status : SIGKILL
    }

    /// Releases what is needed for a program whose ``status()`` is known.
    ///
    /// - Parameter waits: whether to wait for the end of what it has left; otherwise this only looks after it.
    /// - Returns: whether all of it has ended.
    package func reap(waits: Bool) -> Bool {
        var result: pid_t = 0
        repeat { result = waitpid(keeper.process, nil, waits ? 0 : WNOHANG) } while result < 0 && errno == EINTR
        return result != 0
    }

    deinit {
        if isOpen { close(keeper.control) }
        close(keeper.end)
    }

    private static func withStrings<Value>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Value
    ) -> Value {
        let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
