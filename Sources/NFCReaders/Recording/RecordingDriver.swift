public import NFCTags
import Synchronization
import TagRecordings

/// A driver whose events and exchanges are passed to a recorder: the only place where recordings come from.
public struct RecordingDriver: ReaderDriver {
    private let driver: any ReaderDriver
    private let recorder: ReaderRecorder

    /// Records what a driver does.
    public init(_ driver: any ReaderDriver, recorder: ReaderRecorder) {
        (self.driver, self.recorder) = (driver, recorder)
    }

    /// Monitors readers and tags until the task is cancelled.
    public func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {
        await driver.run { [recorder] event in
            recorder.take(event)
            report(event)
        }
    }

    /// Returns when the reported readers are up to date.
    public func refresh() async { await driver.refresh() }

    /// Connects to the tag on a reader.
    public func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        let start = recorder.now
        do throws(CardChannelError) {
            let connection = try await driver.connect(to: reader)
            let tap = ConnectionTap(recorder, reader, connection.answerToReset)
            tap.connected(since: start)
            return RecordedConnection(connection: connection, tap: tap)
        } catch {
            recorder.takeIfRecording(reader) { RecordingLine(.connect, failed: error, after: recorder.now - start) }
            throw error
        }
    }

    /// Caches the family that a probe found.
    public func cache(_ profile: ReaderProfile, of reader: ReaderID) { driver.cache(profile, of: reader) }

    /// Sends a command to the reader itself.
    public func escape(_ command: [UInt8], to reader: ReaderID) async {
        recorder.takeIfRecording(reader) {
            var line = RecordingLine(.control)
            line.command = MaskedBytes(command)
            return line
        }
        await driver.escape(command, to: reader)
    }

    /// Readers that nfcd still waits for long after the deadline of a call.
    public var hungReaders: [ReaderID] { driver.hungReaders }
}

extension ReaderRecorder {
    fileprivate func takeIfRecording(_ reader: ReaderID, _ line: () -> RecordingLine) {
        guard isRecording else { return }
        let line = line()
        take(reader) { _ in line }
    }
}

/// Passes the exchanges of a connection to the recorder, masked.
private final class ConnectionTap: Sendable {
    private let recorder: ReaderRecorder
    private let reader: ReaderID
    private let answerToReset: [UInt8]
    /// Nil while no recording runs.
    private let mask: Mutex<RecordingMask?>
    /// Whether an exchange since the last reset was not seen by the mask.
    private let hasMissed = Atomic<Bool>(false)

    init(_ recorder: ReaderRecorder, _ reader: ReaderID, _ answerToReset: [UInt8]) {
        self.recorder = recorder
        self.reader = reader
        self.answerToReset = answerToReset
        mask = Mutex(nil)
    }

    /// Whether exchanges are recorded; if not, the mask misses one.
    func isActive() -> Bool {
        guard recorder.isRecording else {
            hasMissed.store(true, ordering: .relaxed)
            return false
        }
        return true
    }

    var now: Duration { recorder.now }

    func connected(since start: Duration) {
        recorder.takeIfRecording(reader) {
            var line = RecordingLine(.connect)
            line.atr = HexBytes(answerToReset)
            line.took = (recorder.now - start).microseconds
            return line
        }
    }

    func took(
        _ command: [UInt8], _ result: Result<[UInt8], CardChannelError>, since start: Duration
    ) {
        let exchange = masked(command, try? result.get())
        let took = (recorder.now - start).microseconds
        recorder.take(reader) { withContent in
            let exchange = withContent ? exchange.withContent : exchange.withoutContent
            var line = RecordingLine(.transmit)
            line.command = exchange.command
            line.answer = exchange.answer
            line.masked = exchange.isMasked ? true : nil
            line.took = took
            if case .failure(let error) = result { line.failure = RecordedFailure(error) }
            return line
        }
    }

    private func masked(
        _ command: [UInt8], _ answer: [UInt8]?
    ) -> (withoutContent: RecordingMask.Exchange, withContent: RecordingMask.Exchange) {
        mask.withLock { mask in
            let isNew = !hasMissed.exchange(false, ordering: .relaxed)
            var current =
                isNew
                ? mask ?? RecordingMask(answerToReset: answerToReset, isNew: true)
                : RecordingMask(answerToReset: answerToReset, isNew: false)
            defer { mask = current }
            return current.take(command, answer)
        }
    }

    func wasReset(_ error: CardChannelError?, since start: Duration) {
        if error == nil {
            hasMissed.store(false, ordering: .relaxed)
            mask.withLock { $0?.wasReset() }
        }
        recorder.takeIfRecording(reader) {
            let took = recorder.now - start
            if let error { return RecordingLine(.reset, failed: error, after: took) }
            var line = RecordingLine(.reset)
            line.took = took.microseconds
            return line
        }
    }

    func closed() { recorder.takeIfRecording(reader) { RecordingLine(.disconnect) } }
}

/// A connection whose exchanges are recorded.
private struct RecordedConnection: CardConnection {
    let connection: any CardConnection
    let tap: ConnectionTap

    var answerToReset: [UInt8] { connection.answerToReset }
    var sharing: (any TagSharing)? { connection.sharing }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        guard tap.isActive() else { return try await connection.transmit(command) }
        let start = tap.now
        let result: Result<[UInt8], CardChannelError>
        do throws(CardChannelError) {
            result = .success(try await connection.transmit(command))
        } catch {
            result = .failure(error)
        }
        tap.took(command, result, since: start)
        return try result.get()
    }

    func reconnect() async throws(CardChannelError) {
        let start = tap.now
        do throws(CardChannelError) {
            try await connection.reconnect()
        } catch {
            tap.wasReset(error, since: start)
            throw error
        }
        tap.wasReset(nil, since: start)
    }

    func limited(to limit: Duration) -> any CardConnection {
        RecordedConnection(connection: connection.limited(to: limit), tap: tap)
    }

    func close() async {
        await connection.close()
        tap.closed()
    }
}

extension RecordingLine {
    fileprivate init(_ event: Event, failed error: CardChannelError, after time: Duration) {
        self.init(event)
        failure = RecordedFailure(error)
        took = time.microseconds
    }
}

extension RecordedFailure {
    /// An error of a connection.
    init(_ error: CardChannelError) {
        switch error {
        case .tagLost: self.init(name: Name.tagLost.rawValue)
        case .timedOut: self.init(name: Name.timedOut.rawValue)
        case .readerFailed: self.init(name: Name.readerFailed.rawValue)
        case .busy: self.init(name: Name.busy.rawValue)
        case .transport(let code, let message):
            self.init(name: Name.transport.rawValue, code: code, reason: message)
        }
    }
}

extension CardChannelError {
    /// An error of a recording. A name that is not known is an error of the transport.
    init(_ failure: RecordedFailure) {
        switch RecordedFailure.Name(rawValue: failure.name) {
        case .tagLost: self = .tagLost
        case .timedOut: self = .timedOut
        case .readerFailed: self = .readerFailed
        case .busy: self = .busy
        case .transport, nil:
            self = .transport(code: failure.code ?? 0, message: failure.reason ?? "an error of the recording")
        }
    }
}
