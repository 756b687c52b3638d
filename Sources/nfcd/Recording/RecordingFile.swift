import FoundationEssentials
import Logging
import NFCProtocol
import NFCReaders
import ServiceSupport
import Synchronization
import TagRecordings
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of `nfcd --record`: everything from the start on, up to a limit. Readers never wait for it.
actor RecordingFile {
    /// The lines that may wait for the disk; further ones are left out, and counted.
    private static let room = 4096

    private let executor = ThreadExecutor()
    private let path: String
    private let descriptor: Int32
    private let limit: Int
    private let logger: Logger
    private let isKept = Atomic(false)
    private var length = 0
    /// Why it ends before the task is cancelled.
    private var ending: Ending?

    private enum Ending {
        case limit
        /// A write failed, which was logged.
        case failure
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the file, for its owner alone. A file that exists is not replaced.
    ///
    /// - Throws: ``RecordingFileError``.
    init(path: String, limit: Int = Recording.Limits().file, logger: Logger) throws(RecordingFileError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw RecordingFileError(
                path: path, reason: String(cString: strerror(errno)), exists: errno == EEXIST)
        }
        (self.path, self.limit, self.logger) = (path, limit, logger)
    }

    deinit { close(descriptor) }

    /// Keeps the file whatever happens.
    nonisolated func keep() { isKept.store(true, ordering: .relaxed) }

    /// Removes the file unless ``keep()`` was called. Another file that has its name now stays.
    nonisolated func removeUnlessKept() {
        var (mine, named) = (stat(), stat())
        guard !isKept.load(ordering: .relaxed), fstat(descriptor, &mine) == 0, lstat(path, &named) == 0,
            mine.st_dev == named.st_dev,
            mine.st_ino == named.st_ino
        else { return }
        unlink(path)
    }

    /// Records until the task is cancelled, or the file has reached its limit.
    nonisolated func run(_ recorder: ReaderRecorder, withContent: Bool) async {
        let (lines, queue) = AsyncStream.makeStream(
            of: RecordingLine.self, bufferingPolicy: .bufferingOldest(Self.room))
        let dropped = Mutex(0)
        let request = ReaderRecorder.Request(withContent: withContent)
        let program = "nfcd \(NFCDVersion.release)"
        let id = recorder.start(request, program: program) { line, _ in
            dropped.withLock { count in
                if count > 0 {
                    var gap = RecordingLine(.dropped, time: line.time)
                    gap.count = count
                    guard case .enqueued = queue.yield(gap) else {
                        count += 1
                        return
                    }
                    count = 0
                }
                if case .dropped = queue.yield(line) { count += 1 }
            }
        }
        guard let id else { return }
        await withTaskCancellationHandler {
            for await line in lines {
                guard await write(line) else { break }
            }
        } onCancel: {
            queue.finish()
        }
        let time = recorder.time(of: id) ?? 0
        recorder.stop(id)
        await end(at: time)
    }

    /// - Returns: whether there is room for more.
    private func write(_ line: RecordingLine) -> Bool {
        guard let bytes = try? Recording.encoded(line), length + bytes.count <= limit - 1024 else {
            ending = .limit
            logger.warning("the recording \(path) has reached its limit of \(limit) bytes, and ends")
            return false
        }
        return put(bytes)
    }

    private func end(at time: UInt64) {
        guard ending != .failure else { return }
        let line = RecordingLine.end(time: time, reason: ending == .limit ? "the limit of \(limit) bytes" : nil)
        if let bytes = try? Recording.encoded(line) { _ = put(bytes) }
    }

    private func put(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = String(cString: strerror(errno))
                logger.error("the recording \(path) cannot be written: \(reason); it ends after \(length) bytes")
                ending = .failure
                return false
            }
            rest = rest.dropFirst(count)
        }
        length += bytes.count
        return true
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

/// Why a file for a recording cannot be created.
struct RecordingFileError: Error, CustomStringConvertible {
    let path: String
    let reason: String
    let exists: Bool

    var description: String {
        "--record: \(path) cannot be created: \(reason); "
            + (exists ? "remove it, or name another file" : "name a file in a folder that nfcd may write to")
    }
}

/// The recording of `nfcd --replay`.
struct ReplayFile {
    private let path: String

    init(path: String) { self.path = path }

    /// Reads the file, and makes readers of it. Commands that it does not have are logged as errors.
    ///
    /// - Throws: ``ReplayFileError``.
    func driver(clock: any Clock<Duration>, logger: Logger) throws(ReplayFileError) -> ReplayDriver {
        let bytes = try read()
        do {
            return try ReplayDriver(try Recording(bytes), clock: clock) { [path] command, reader in
                logger.error("\(reader.rawValue) replays \(path), and \(command)")
            }
        } catch {
            throw ReplayFileError(path: path, reason: "\(error)")
        }
    }

    /// The bytes of the file; no more are read than a recording may have.
    private func read(limit: Int = Recording.Limits().file) throws(ReplayFileError) -> [UInt8] {
        do throws(FileBytes.Failure) {
            if let bytes = try FileBytes.read(path, atMost: limit) { return bytes }
        } catch {
            throw ReplayFileError(path: path, reason: "it cannot be read: \(error.reason)")
        }
        throw ReplayFileError(
            path: path, reason: "it has more than \(limit) bytes, the limit of recordings; record less")
    }
}

/// Why a recording cannot be replayed.
struct ReplayFileError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "--replay: \(path): \(reason)" }
}

/// What nfcd records and replays.
struct DaemonRecordings: Sendable {
    /// Records for clients and for ``run()``.
    let recorder: ReaderRecorder
    /// The readers of a recording; nil for real or simulated ones.
    let replay: ReplayDriver?
    private let file: RecordingFile?
    private let withContent: Bool

    /// Opens the files of the command line.
    ///
    /// - Throws: ``RecordingFileError``, ``ReplayFileError``.
    init(
        record: String?, withContent: Bool, replay: String?, clock: any Clock<Duration>, logger: Logger
    ) throws {
        recorder = ReaderRecorder(clock: clock)
        self.replay = try replay.map { try ReplayFile(path: $0).driver(clock: clock, logger: logger) }
        file = try record.map { try RecordingFile(path: $0, logger: logger) }
        self.withContent = withContent
    }

    /// Keeps the file of the recording: clients can connect.
    func keep() { file?.keep() }

    /// Removes the file of the recording if nfcd ends before clients could connect. Otherwise the next start would fail because of it.
    func removeUnlessKept() { file?.removeUnlessKept() }

    /// Records until the task is cancelled.
    func run() async {
        if let file { await file.run(recorder, withContent: withContent) }
        // A service that returns ends nfcd.
        let (nothing, end) = AsyncStream<Never>.makeStream()
        await withTaskCancellationHandler {
            for await _ in nothing {}
        } onCancel: {
            end.finish()
        }
    }
}
