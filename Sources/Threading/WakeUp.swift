import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Ends the wait of a thread in poll(2).
package final class WakeUp: Sendable {
    /// The process may open no more files.
    package struct Failure: Error {
        /// The code of errno(3).
        package let code: CInt
    }

    /// Readable after a signal, until it is reset.
    package let descriptor: CInt

    /// No signal was given.
    package init() throws(Failure) {
        descriptor = cevent_open()
        guard descriptor >= 0 else { throw Failure(code: errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends the wait, or the next one if no thread waits.
    package func signal() {
        var count: UInt64 = 1
        _ = write(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Takes back all signals.
    package func reset() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
