#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import FoundationEssentials
import Synchronization

/// The places where a test ends the process as a power cut would: each time before and after something is stored on the disk or sent
/// to nfcd or a receiver. What is in memory then is lost, and the next start must not believe otherwise.
///
/// Debug builds only. `NFCD_RELAY_KILL_AT` is the number of the place, counted from 1 in the order in which they are reached.
enum KillPoint {
    #if DEBUG
        private static let wanted = ProcessInfo.processInfo.environment["NFCD_RELAY_KILL_AT"].flatMap { Int($0) }
        private static let reached = Mutex(0)
    #endif

    /// Ends the process here, if this is the place.
    static func pass() {
        #if DEBUG
            guard let wanted else { return }
            let number = reached.withLock { count in
                count += 1
                return count
            }
            if number == wanted { kill(getpid(), SIGKILL) }
        #endif
    }

    /// Runs something with a place before and behind it.
    static func around<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        pass()
        let value = try await body()
        pass()
        return value
    }
}
