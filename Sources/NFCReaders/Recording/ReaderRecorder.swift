import NFCTags
import NFCTypes
import Synchronization
public import TagRecordings

/// Passes what happens on readers to those who record it, with secrets masked.
///
/// While no recording runs, an exchange costs one atomic load.
public final class ReaderRecorder: Sendable {
    /// What a recording has.
    public struct Request: Sendable {
        /// The id or the name of a reader; nil for all.
        public var reader: String?
        /// Whether the contents of tags are recorded.
        public var withContent: Bool

        /// A request.
        public init(reader: String? = nil, withContent: Bool = false) {
            (self.reader, self.withContent) = (reader, withContent)
        }
    }

    /// Names a recording.
    public struct ID: Hashable, Sendable {
        /// Unique among the recordings of the recorder.
        public let number: UInt64
    }

    /// Receives the lines of a recording in their order, each with the reader it is about. Must not block.
    public typealias Output = @Sendable (RecordingLine, ReaderDescription?) -> Void

    fileprivate struct Sink {
        let request: Request
        let start: Duration
        let output: Output
    }

    private struct State {
        var table = ReaderTable()
        var sinks: [ID: Sink] = [:]
        var count: UInt64 = 0
    }

    /// How many recordings may run at a time.
    public static let mostRecordings = 16

    private let clock: Stopwatch
    private let active = Atomic<Bool>(false)
    private let state = Mutex(State())

    /// A recorder without recordings.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = Stopwatch(clock)
    }

    /// Whether a recording runs.
    var isRecording: Bool { active.load(ordering: .relaxed) }
    /// The time, for how long an exchange took.
    var now: Duration { clock.elapsed }

    /// Begins a recording. The first lines are a header and what is known: the readers and their tags.
    ///
    /// - Parameter program: the name and version for the header.
    /// - Returns: nil where ``mostRecordings`` run already.
    public func start(_ request: Request, program: String, output: @escaping Output) -> ID? {
        state.withLock { state -> ID? in
            guard state.sinks.count < Self.mostRecordings else { return nil }
            state.count += 1
            let id = ID(number: state.count)
            let sink = Sink(request: request, start: clock.elapsed, output: output)
            state.sinks[id] = sink
            active.store(true, ordering: .relaxed)
            output(.header(program: program, hasContent: request.withContent), nil)
            for entry in state.table.entries { Self.pass(entry, to: sink) }
            return id
        }
    }

    /// Ends a recording: no line follows.
    public func stop(_ id: ID) {
        // What the output holds is released without the lock.
        let sink = state.withLock { state in
            let sink = state.sinks.removeValue(forKey: id)
            active.store(!state.sinks.isEmpty, ordering: .relaxed)
            return sink
        }
        withExtendedLifetime(sink) {}
    }

    /// The time since a recording began, in microseconds; nil where it has ended.
    public func time(of id: ID) -> UInt64? {
        state.withLock { state in state.sinks[id].map { (clock.elapsed - $0.start).microseconds } }
    }

    /// Takes an event of the driver.
    func take(_ event: ReaderEvent) {
        state.withLock { state in
            // A reader that is unplugged is looked up before the event, one that is plugged in after it.
            let before = event.reader.flatMap { state.table[$0]?.description }
            state.table.apply(event)
            guard !state.sinks.isEmpty, let line = RecordingLine(event) else { return }
            let reader = event.reader.flatMap { state.table[$0]?.description } ?? before
            for sink in state.sinks.values { pass(line, reader, to: sink) }
        }
    }

    /// Takes a line about a reader, in both forms of what it shows.
    func take(_ reader: ReaderID, _ line: (_ withContent: Bool) -> RecordingLine) {
        state.withLock { state in
            let description = state.table[reader]?.description
            for sink in state.sinks.values {
                var line = line(sink.request.withContent)
                line.reader = reader.rawValue
                pass(line, description, to: sink)
            }
        }
    }

    private func pass(_ line: RecordingLine, _ reader: ReaderDescription?, to sink: Sink) {
        guard sink.wants(line, reader) else { return }
        var line = line
        line.time = (clock.elapsed - sink.start).microseconds
        sink.output(line, reader)
    }

    /// What is known about a reader when a recording begins.
    private static func pass(_ entry: ReaderTable.Entry, to sink: Sink) {
        let events = [ReaderEvent.attached(entry.description)] + (entry.tag.map { [.tagArrived($0)] } ?? [])
        for line in events.compactMap({ RecordingLine($0) }) where sink.wants(line, entry.description) {
            sink.output(line, entry.description)
        }
    }
}

extension ReaderRecorder.Sink {
    fileprivate func wants(_ line: RecordingLine, _ reader: ReaderDescription?) -> Bool {
        guard let wanted = request.reader, let id = line.reader else { return true }
        return reader?.matches(wanted) ?? (id == wanted)
    }
}

extension Duration {
    /// Whole microseconds, at least 0.
    var microseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(clamping: seconds) * 1_000_000 + UInt64(clamping: attoseconds / 1_000_000_000_000)
    }
}

extension ReaderEvent {
    /// The reader it is about.
    fileprivate var reader: ReaderID? {
        switch self {
        case .serviceStarting, .serviceAvailable, .serviceUnavailable: nil
        case .attached(let reader), .described(let reader): reader.id
        case .detached(let id), .tagLeft(let id), .tagMute(let id), .recovered(let id): id
        case .failed(let id, _), .blocked(let id, _): id
        case .tagArrived(let arrival): arrival.reader
        }
    }
}

extension RecordingLine {
    /// The line of an event.
    fileprivate init?(_ event: ReaderEvent) {
        switch event {
        case .serviceStarting: self.init(service: "starting")
        case .serviceAvailable: self.init(service: "available")
        case .serviceUnavailable(let reason): self.init(service: "unavailable: \(reason)")
        case .attached(let reader), .described(let reader):
            self.init(.reader, reader: reader.id.rawValue)
            name = reader.name
            profile = reader.profile.slug
            profileIsKnown = reader.isProfileKnown
            technologies = reader.technologies.map(\.rawValue)
        case .detached(let id): self.init(.detach, reader: id.rawValue)
        case .tagArrived(let arrival):
            self.init(.arrive, reader: arrival.reader.rawValue)
            atr = HexBytes(arrival.answerToReset)
        case .tagLeft(let id): self.init(.leave, reader: id.rawValue)
        case .tagMute(let id): self.init(.mute, reader: id.rawValue)
        case .failed(let id, let reason): self.init(.failed, reader: id.rawValue, reason: reason)
        case .blocked(let id, let reason): self.init(.blocked, reader: id.rawValue, reason: reason)
        case .recovered(let id): self.init(.recovered, reader: id.rawValue)
        }
    }

    private init(service state: String) {
        self.init(.service)
        reason = state
    }

    private init(_ event: Event, reader: String, reason: String) {
        self.init(event, reader: reader)
        self.reason = reason
    }
}
