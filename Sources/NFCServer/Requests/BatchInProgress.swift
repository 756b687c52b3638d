import FoundationEssentials
import NFCProtocol

/// The answers to the requests of a batch, which share one line. An answer that no longer fits is replaced by error 105.
struct BatchInProgress: Sendable {
    private enum Slot {
        /// Nil: the request is not answered.
        case answered(Data?)
        case pending(RequestID?, PendingCall)
    }

    /// The room for an error instead of an answer.
    private static let roomForError = 400

    private var slots: [Slot] = []
    private var afterwards: [@Sendable () async -> Void] = []
    private var room: Int
    /// Whether an answer did not fit. Requests that have not started by then are not carried out.
    private(set) var isFull = false

    init(count: Int) {
        room = JSONLine.maximumLength - count * Self.roomForError
    }

    /// Whether it contains a command that waits for a tag or communicates with it.
    var isPending: Bool {
        slots.contains { if case .pending = $0 { true } else { false } }
    }

    /// Adds a request that was started.
    mutating func add(_ id: RequestID?, _ outcome: Result<Outcome, RPCError>, _ peer: Peer) {
        switch outcome {
        case .success(.pending(let pending)): slots.append(.pending(id, pending))
        case .success(.done(let reply)):
            if let next = reply.afterwards { afterwards.append(next) }
            slots.append(.answered(encoded(id, .success(reply.value), peer)))
        case .failure(let error): slots.append(.answered(encoded(id, .failure(error), peer)))
        }
    }

    /// Adds a request that is not carried out, because its answer would not fit.
    mutating func refuse(_ id: RequestID?, _ peer: Peer) {
        let error = RPCError(
            .packetTooLong, detail: "not carried out: the answers before it fill the line; send it in another batch")
        slots.append(.answered(id.flatMap { peer.encoded(.failure($0, error)) }))
    }

    /// Waits for all results, answers, and then carries out the actions for afterwards. Results are awaited in the order in which
    /// the commands were queued, so that no command waits for a later one.
    consuming func answer(_ peer: Peer) async {
        var answers: [Data] = []
        for slot in slots {
            switch slot {
            case .answered(let answer): if let answer { answers.append(answer) }
            case .pending(let id, let pending):
                let result: Result<any Encodable & Sendable, RPCError> =
                    switch await pending.end() {
                    case .ended(let result): result
                    case .dropped(let error): .failure(error)
                    }
                if let answer = encoded(id, result, peer) { answers.append(answer) }
            }
        }
        if !answers.isEmpty { peer.answer(batch: answers) }
        for next in afterwards { await next() }
    }

    /// The encoded answer, or an error if it does not fit; nil for a request without an id.
    private mutating func encoded(
        _ id: RequestID?, _ result: Result<any Encodable & Sendable, RPCError>, _ peer: Peer
    ) -> Data? {
        guard let id, let answer = peer.encoded(Response(id, result)) else { return nil }
        guard answer.count > room else {
            room -= answer.count
            return answer
        }
        isFull = true
        let error = RPCError(
            .packetTooLong,
            detail: "carried out, but its answer of \(answer.count) bytes does not fit beside the others")
        return peer.encoded(.failure(id, error))
    }
}
