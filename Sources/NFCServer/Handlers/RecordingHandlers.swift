import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags
import TagRecordings

extension MethodTable {
    /// `recording.*`. Where nothing can be recorded, each of them is refused with error 1.
    mutating func addRecordingMethods(_ recorder: ReaderRecorder?) {
        on(RecordingStart.self) { parameters, peer in
            let recorder = try required(recorder)
            let withContent = parameters.withContent ?? false
            if withContent, let error = peer.permissions.objection(to: RecordingLines.contentCapabilities, on: nil) {
                throw error
            }
            let lines = RecordingLines(peer, withContent: withContent)
            let request = ReaderRecorder.Request(reader: parameters.reader, withContent: withContent)
            let program = "nfcd \(NFCDVersion.release)"
            guard let id = recorder.start(request, program: program, output: { lines.add($0, $1) }) else {
                throw RPCError(
                    .systemIsBusy,
                    detail: "\(ReaderRecorder.mostRecordings) recordings run already; end one of them first")
            }
            let name = "recording-\(id.number)"
            peer.own(name) {
                let time = recorder.time(of: id)
                recorder.stop(id)
                lines.finish(.end(time: time ?? 0))
            }
            return Reply(RecordingStart.Result(recording: name), afterwards: { lines.begin(name) })
        }
        on(RecordingStop.self) { parameters, peer in
            _ = try required(recorder)
            guard parameters.recording.hasPrefix("recording-"), peer.release(parameters.recording) else {
                throw RPCError.invalidParameters("this client has no recording of this name", path: "params.recording")
            }
            return Reply(Empty())
        }
    }
}

private func required(_ recorder: ReaderRecorder?) throws(RPCError) -> ReaderRecorder {
    guard let recorder else {
        throw RPCError(.unsupportedFeature, detail: "this nfcd cannot record")
    }
    return recorder
}

/// The lines of a recording on their way to its client: readers never wait for them.
private struct RecordingLines: Sendable {
    private typealias Line = (line: RecordingLine, reader: ReaderDescription?)

    /// What seeing the contents of tags needs besides `manage`.
    static let contentCapabilities: [Capability] = [.manage, .read, .raw]
    /// The lines that may wait to be encoded. One more, and the client is disconnected.
    private static let room = 1024

    private let peer: Peer
    private let withContent: Bool
    private let lines: AsyncStream<Line>
    private let queue: AsyncStream<Line>.Continuation

    init(_ peer: Peer, withContent: Bool) {
        (self.peer, self.withContent) = (peer, withContent)
        (lines, queue) = AsyncStream.makeStream(of: Line.self, bufferingPolicy: .bufferingOldest(Self.room))
    }

    /// Adds a line, without waiting.
    func add(_ line: RecordingLine, _ reader: ReaderDescription?) {
        if case .dropped = queue.yield((line, reader)) { peer.close() }
    }

    /// Adds the last line.
    func finish(_ line: RecordingLine) {
        queue.yield((line, nil))
        queue.finish()
    }

    /// Sends the lines, until the last one.
    func begin(_ name: String) {
        Task {
            for await (line, reader) in lines {
                if withContent, !peer.permissions.allow(Self.contentCapabilities, on: reader) { continue }
                guard let json = try? Recording.encoded(line) else { continue }
                let text = String(decoding: json.dropLast(), as: UTF8.self)
                peer.notify(RecordingDidRecord(recording: name, line: text), on: reader)
            }
        }
    }
}
