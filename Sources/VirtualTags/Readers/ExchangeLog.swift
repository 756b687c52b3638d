/// How much was exchanged with a card and the tag behind it.
public struct ExchangeCount: Sendable, Hashable {
    /// The APDUs the host sent to the reader.
    public var apdus = 0
    /// The command frames the reader sent to the tag; activations are not counted.
    public var frames = 0

    /// Counts from zero.
    public init() {}
}

/// One step in the trace of a reader model.
public enum TraceEntry: Sendable, Hashable {
    /// The field came on and the tag was selected.
    case activation
    /// The field went off.
    case fieldOff
    /// A command APDU and the response the host got.
    case apdu(command: [UInt8], response: [UInt8])
    /// A command frame and the tag's answer. It stands before the APDU that caused it.
    case frame(command: [UInt8], answer: TagAnswer)
}

/// Counts exchanges and keeps the latest of them.
struct ExchangeLog {
    private(set) var count = ExchangeCount()
    private(set) var trace: [TraceEntry] = []
    /// How many trace entries are kept, the oldest being dropped.
    let limit: Int

    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    mutating func note(_ entry: TraceEntry) {
        switch entry {
        case .apdu: count.apdus += 1
        case .frame: count.frames += 1
        case .activation, .fieldOff: break
        }
        guard limit > 0 else { return }
        if trace.count >= limit { trace.removeFirst(trace.count - limit + 1) }
        trace.append(entry)
    }
}
