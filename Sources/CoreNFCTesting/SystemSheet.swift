import NFCSessions

/// The sheet that an iPhone shows while a session is active: what a person reads there, and how a session ends from outside.
///
/// Linux shows no sheet; a test sees its texts and does what a person or the system would do. For use within
/// ``withVirtualReaders(_:_:)``.
///
/// ```swift
/// try await withVirtualReaders { _ in
///     scanner.begin()
///     try await SystemSheet.cancel()
///     #expect(await scanner.error?.code == .readerSessionInvalidationErrorUserCanceled)
/// }
/// ```
public enum SystemSheet {
    /// The alert message of the active session; nil where none is active.
    ///
    /// A session sends its text without waiting: use ``waitUntil(_:)`` for a text that was set just before.
    ///
    /// - Throws: ``TestTagError`` outside of virtual readers.
    public static var message: String? {
        get async throws { try await VirtualReaders.daemon.activeSession?.alertMessage }
    }

    /// The text that the last session showed when it ended, of `invalidate(errorMessage:)`; nil where it had none, or none has ended.
    ///
    /// - Throws: ``TestTagError`` outside of virtual readers.
    public static var errorMessage: String? {
        get async throws { try await VirtualReaders.daemon.lastErrorMessage }
    }

    /// Waits until a session is active.
    ///
    /// - Throws: ``TestTagError`` outside of virtual readers; `CancellationError`, for example at the end of a test's time limit.
    public static func appears() async throws {
        _ = try await VirtualReaders.daemon.waitForSession()
    }

    /// Waits until a session is active whose alert message is what a test waits for.
    ///
    /// - Throws: as ``appears()`` does.
    public static func waitUntil(_ isExpected: (_ message: String) -> Bool) async throws {
        while true {
            try Task.checkCancellation()
            if let message = try await message, isExpected(message) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Taps Cancel, once a session is active: it ends with 200.
    ///
    /// - Throws: as ``appears()`` does.
    public static func cancel() async throws {
        let daemon = try VirtualReaders.daemon
        try? await daemon.coordinator.cancel(daemon.waitForSession(), errorMessage: "")
    }

    /// Lets the 60 seconds of a session pass at once, when it is active: it ends with 201.
    ///
    /// - Throws: as ``appears()`` does.
    public static func timeOut() async throws {
        let daemon = try VirtualReaders.daemon
        let session = try await daemon.waitForSession()
        // The time of a session that has just become active may begin a moment later.
        while await daemon.activeSession?.id == session {
            daemon.clock.skip(await daemon.coordinator.limits.timeout)
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Moves the app to the background, once a session is active: it ends with 202.
    ///
    /// - Throws: as ``appears()`` does.
    public static func moveAppToBackground() async throws {
        let daemon = try VirtualReaders.daemon
        _ = try await daemon.waitForSession()
        await daemon.coordinator.systemWasSuspended(for: .zero)
    }
}
