import FoundationEssentials
import NFCTypes

/// The lines of a recording, checked: which readers there were, and what happened each time a tag came.
public struct Recording: Sendable, Hashable {
    /// The version of the format.
    public static let version = 1

    /// What a file may have at most. A file of a stranger is input as any other.
    public struct Limits: Sendable {
        /// The bytes of a line.
        public var line = 1024 * 1024
        /// The bytes of the file.
        public var file = 64 * 1024 * 1024
        /// The lines of the file.
        public var lines = 200_000
        /// The bytes of a command or an answer: those of an extended APDU in PC/SC (MAX_BUFFER_SIZE_EXTENDED).
        public var exchange = 65_548

        /// The defaults.
        public init() {}
    }

    /// A reader of the recording.
    public struct Reader: Sendable, Hashable {
        /// Its id.
        public let id: String
        /// Its display name.
        public fileprivate(set) var name: String
        /// Its family, as in `readers.list`.
        public fileprivate(set) var profile: String
        /// Whether the family is known, so that it is not probed.
        public fileprivate(set) var profileIsKnown: Bool
        /// The supported technologies.
        public fileprivate(set) var technologies: [String]
    }

    /// Whether it has the contents of tags.
    public let hasContent: Bool
    /// The program that recorded it.
    public let program: String
    /// The readers, in the order of their first lines.
    public private(set) var readers: [Reader] = []
    /// What happened each time a tag came, in order.
    public private(set) var visits: [RecordedVisit] = []
    /// The lines, the first and the last one included.
    public let lines: [RecordingLine]
    /// Whether lines are missing: the recording reached a limit, or the file was cut off.
    public private(set) var isIncomplete = false

    /// Reads the bytes of a recording.
    ///
    /// A last line that is cut off, as after a power failure, is left out.
    ///
    /// - Throws: ``RecordingError`` for a file over a limit, a line that is invalid, or a file that is not a recording.
    public init(_ bytes: [UInt8], limits: Limits = Limits()) throws(RecordingError) {
        let (lines, isCut) = try Self.lines(bytes, limits)
        guard let header = lines.first, header.event == .recording, let version = header.version else {
            throw RecordingError(line: 1, "a recording begins with {\"event\":\"recording\",\"version\":1}")
        }
        guard version == Self.version else {
            throw RecordingError(
                line: 1, "version \(version) of the format is not known; this program knows version \(Self.version)")
        }
        self.lines = lines
        hasContent = header.content ?? false
        program = header.program ?? ""
        isIncomplete = isCut || lines.last?.event != .end || lines.contains { $0.event == .dropped }
        var builder = RecordingBuilder(longestExchange: limits.exchange)
        for (number, line) in lines.enumerated().dropFirst() {
            do throws(RecordingError) { try builder.take(line) } catch { throw error.at(number + 1) }
        }
        readers = builder.readers
        visits = builder.finished
    }

    /// The JSON of a line, with its newline.
    public static func encoded(_ line: RecordingLine) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(line)) + [UInt8(ascii: "\n")]
    }

    private static func lines(_ bytes: [UInt8], _ limits: Limits) throws(RecordingError) -> ([RecordingLine], Bool) {
        guard bytes.count <= limits.file else {
            throw RecordingError(
                line: nil, "it has \(bytes.count) bytes; a recording may have at most \(limits.file); record less")
        }
        let decoder = JSONDecoder()
        var lines: [RecordingLine] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let line = rest[..<(end ?? rest.endIndex)]
            rest = end.map { rest[($0 + 1)...] } ?? []
            guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { continue }
            guard lines.count < limits.lines else {
                throw RecordingError(line: nil, "it has more than \(limits.lines) lines; record less")
            }
            guard line.count <= limits.line else {
                throw RecordingError(line: lines.count + 1, "it has \(line.count) bytes, more than \(limits.line)")
            }
            do {
                lines.append(try decoder.decode(RecordingLine.self, from: Data(line)))
            } catch {
                if end == nil, !lines.isEmpty { return (lines, true) }
                throw RecordingError(line: lines.count + 1, reason(error))
            }
        }
        return (lines, false)
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "the member \(key.stringValue) is missing"
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            context.codingPath.last.map { "the member \($0.stringValue) is not valid: \(context.debugDescription)" }
                ?? "it is not a JSON object"
        default: "it is not a JSON object of a recording"
        }
    }
}

/// Why a recording cannot be used.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, counted from 1; nil for the file as a whole.
    public let line: Int?
    private let reason: String

    init(line: Int?, _ reason: String) {
        (self.line, self.reason) = (line, reason)
    }

    func at(_ line: Int) -> RecordingError { RecordingError(line: line, reason) }

    /// The line and the reason.
    public var description: String {
        line.map { "line \($0) of the recording: \(reason)" } ?? "the recording: \(reason)"
    }
}

/// What happened while a tag was on a reader.
public struct RecordedVisit: Sendable, Hashable {
    /// The reader.
    public let reader: String
    /// The answer to reset.
    public fileprivate(set) var answerToReset: [UInt8]
    /// The exchanges in their order, with the state of the card in which each was made.
    public fileprivate(set) var exchanges: [RecordedExchange] = []
    /// The results of connecting, nil for a connection.
    public fileprivate(set) var connections: [RecordedFailure?] = []
    /// The results of resets on request, nil for success.
    public fileprivate(set) var resets: [RecordedFailure?] = []
    /// Whether the tag left before the recording ended.
    public fileprivate(set) var hasLeft = false
}

/// A command and what came back.
public struct RecordedExchange: Sendable, Hashable {
    /// The state of the card before the command, as far as it decides the answer.
    public let state: RecordedCardState
    /// The command.
    public let command: MaskedBytes
    /// The response, or the error.
    public let outcome: Result<MaskedBytes, RecordedFailure>
}

/// Collects the visits of the readers from the lines.
private struct RecordingBuilder {
    private(set) var readers: [Recording.Reader] = []
    private var visits: [RecordedVisit] = []
    /// The visit on each reader that has not ended, as an index, and the state of its card.
    private var open: [String: (visit: Int, state: RecordedCardState)] = [:]
    /// Equal commands with one storage, so that states which have them are compared without looking at their bytes.
    private var commands: Set<MaskedBytes> = []
    private let longestExchange: Int
    private static let mostReaders = 64
    /// Enough for the ids that nfcd makes of the names of PC/SC, which have up to 127 bytes.
    private static let longestID = 160

    init(longestExchange: Int) { self.longestExchange = longestExchange }

    /// The visits in which something can be replayed.
    var finished: [RecordedVisit] { visits }

    mutating func take(_ line: RecordingLine) throws(RecordingError) {
        try check(line)
        switch line.event {
        case .recording: throw RecordingError(line: nil, "a second beginning; a file holds one recording")
        case .service, .dropped, .end: return
        case .reader: try describe(line)
        case .detach, .leave: leave(try id(line), hasLeft: true)
        case .arrive: try arrive(line)
        case .connect: try connect(line)
        case .reset:
            try change(line) { visit, state in
                visit.resets.append(line.failure)
                if line.failure == nil { state = RecordedCardState() }
            }
        case .transmit: try transmit(line)
        case .control, .disconnect, .mute, .failed, .recovered, .blocked: _ = try id(line)
        }
    }

    /// The bounds of what any line may have.
    private func check(_ line: RecordingLine) throws(RecordingError) {
        for (name, bytes) in [("command", line.command), ("answer", line.answer)] {
            guard let count = bytes?.bytes.count, count > longestExchange else { continue }
            throw RecordingError(
                line: nil, "the member \(name) has \(count) bytes; PC/SC allows at most \(longestExchange)")
        }
        guard let reader = line.reader, !reader.isEmpty else { return }
        guard reader.utf8.count <= Self.longestID, reader.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw RecordingError(
                line: nil,
                "the member reader is not an id of up to \(Self.longestID) printable ASCII characters without blanks")
        }
    }

    private func id(_ line: RecordingLine) throws(RecordingError) -> String {
        guard let reader = line.reader, !reader.isEmpty else {
            throw RecordingError(line: nil, "the event \(line.event.rawValue) needs the member reader")
        }
        return reader
    }

    private mutating func describe(_ line: RecordingLine) throws(RecordingError) {
        let id = try id(line)
        let reader = Recording.Reader(
            id: id, name: line.name ?? id, profile: line.profile ?? "generic",
            profileIsKnown: line.profileIsKnown ?? true, technologies: line.technologies ?? [])
        if let index = readers.firstIndex(where: { $0.id == id }) {
            readers[index] = reader
        } else {
            guard readers.count < Self.mostReaders else {
                throw RecordingError(line: nil, "more than \(Self.mostReaders) readers")
            }
            readers.append(reader)
        }
    }

    private mutating func leave(_ reader: String, hasLeft: Bool) {
        guard let visit = open.removeValue(forKey: reader)?.visit else { return }
        visits[visit].hasLeft = hasLeft
    }

    private mutating func arrive(_ line: RecordingLine) throws(RecordingError) {
        let reader = try known(line)
        leave(reader, hasLeft: true)
        guard line.atr.map({ $0.bytes.count <= 33 }) ?? true else {
            throw RecordingError(line: nil, "an answer to reset has at most 33 bytes")
        }
        open[reader] = (visits.count, RecordedCardState())
        visits.append(RecordedVisit(reader: reader, answerToReset: line.atr?.bytes ?? []))
    }

    /// A reader that no line described is one of no known family.
    private mutating func known(_ line: RecordingLine) throws(RecordingError) -> String {
        let id = try id(line)
        if !readers.contains(where: { $0.id == id }) { try describe(RecordingLine(.reader, reader: id)) }
        return id
    }

    /// The visit that a line belongs to, also where the recording began when the tag was there.
    private mutating func change(
        _ line: RecordingLine, _ body: (inout RecordedVisit, inout RecordedCardState) -> Void
    ) throws(RecordingError) {
        let reader = try known(line)
        if open[reader] == nil { try arrive(line) }
        guard let (visit, before) = open[reader] else { return }
        var state = before
        body(&visits[visit], &state)
        open[reader] = (visit, state)
    }

    private mutating func connect(_ line: RecordingLine) throws(RecordingError) {
        guard line.atr.map({ $0.bytes.count <= 33 }) ?? true else {
            throw RecordingError(line: nil, "an answer to reset has at most 33 bytes")
        }
        try change(line) { visit, state in
            visit.connections.append(line.failure)
            guard line.failure == nil else { return }
            if let atr = line.atr { visit.answerToReset = atr.bytes }
            state = RecordedCardState()
        }
    }

    private mutating func transmit(_ line: RecordingLine) throws(RecordingError) {
        guard let member = line.command, !member.bytes.isEmpty else {
            throw RecordingError(line: nil, "the event transmit needs the member command")
        }
        let command = commands.insert(member).memberAfterInsert
        let outcome: Result<MaskedBytes, RecordedFailure>
        switch (line.answer, line.failure) {
        case (let answer?, nil): outcome = .success(answer)
        case (nil, let failure?): outcome = .failure(failure)
        default: throw RecordingError(line: nil, "the event transmit needs either answer or error")
        }
        try change(line) { visit, state in
            visit.exchanges.append(
                RecordedExchange(state: state.relevant(to: command), command: command, outcome: outcome))
            if case .success(let answer) = outcome { state.take(command, answer.filled) }
        }
    }
}
