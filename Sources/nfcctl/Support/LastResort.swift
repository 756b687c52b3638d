import NFCClient
import NFCProtocol
import Synchronization
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The end of a program that was asked to end by SIGINT or SIGTERM and still waits for something.
///
/// A command that handles these signals ends its session or its write first. What it waits for then may never come: a daemon that
/// hangs, a connection that is not accepted. The program dies of the signal if it has not ended soon and nfcd does not answer.
enum LastResort {
    /// How long a command has to end by itself.
    private static let patience = Duration.seconds(2)
    private static let client = Mutex<NFCClient?>(nil)
    private static let isArmed = Atomic(false)

    /// The connection over which nfcd is asked whether it answers.
    static func watch(_ connected: NFCClient) { client.withLock { $0 = connected } }

    /// Begins to observe the signals.
    static func arm() async {
        guard !isArmed.exchange(true, ordering: .relaxed) else { return }
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        Task.detached {
            for await signal in signals {
                await expire()
                end(signal == .sigterm ? SIGTERM : SIGINT)
            }
        }
    }

    /// Returns when the program should have ended, and nfcd does not answer.
    private static func expire() async {
        repeat { try? await Task.sleep(for: patience) } while await isAnswered()
    }

    private static func isAnswered() async -> Bool {
        guard let client = client.withLock({ $0 }) else { return false }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await client.call(ServerInfo.self)) != nil }
            group.addTask {
                try? await Task.sleep(for: .seconds(1))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    private static func end(_ signal: Int32) {
        // Not exit(3): what runs at the exit may wait as well.
        #if canImport(Glibc)
            _ = Glibc.signal(signal, SIG_DFL)
        #else
            _ = Musl.signal(signal, SIG_DFL)
        #endif
        allowSignals()
        kill(getpid(), signal)
    }

    /// Lets SIGINT and SIGTERM reach this thread: a program that starts nfcctl may have blocked them, and a new program keeps that.
    private static func allowSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
