public import NFCTags
public import VirtualTags

/// Readers that exist in nfcd alone: no PC/SC service, no hardware. Virtual tags are put on them and taken away.
public final class SimulatedDriver: ReaderDriver {
    /// A virtual tag on a simulated reader.
    public struct Presentation: Sendable, Hashable {
        /// Where it lies.
        public let reader: ReaderID
        /// Different for every presentation.
        public let number: UInt64
    }

    private let clock: any Clock<Duration>
    private let field: SimulatedField
    private let workers: [ReaderID: ReaderWorker]

    /// `readers` simulated readers, named `Simulated Reader 0` and so on.
    public init(readers: Int, clock: any Clock<Duration> = ContinuousClock()) {
        let descriptions = (0..<readers).map { number in
            ReaderDescription(
                id: ReaderID(rawValue: "simulated-\(number)"), name: "Simulated Reader \(number)",
                profile: "simulated", technologies: ["iso14443"])
        }
        self.clock = clock
        let field = SimulatedField(readers: descriptions)
        self.field = field
        workers = descriptions.reduce(into: [:]) { workers, description in
            let id = description.id
            workers[id] = ReaderWorker(id: id, clock: clock, report: { field.tell($0) }) {
                SimulatedReader(id: id, field: field)
            }
        }
    }

    /// Follows the readers until the task is cancelled.
    public func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {
        field.report(to: report)
        await untilCancelled()
        field.report(to: nil)
    }

    /// Returns when the readers have been told of.
    public func refresh() async {
        _ = await withDeadline(refreshLimit, clock: clock) { [field] in await field.waitForReport() }
    }

    /// Connects to the tag on a reader, through its worker.
    public func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        guard let worker = workers[reader] else { throw .readerFailed }
        return try await worker.connect()
    }

    /// Puts a card on a reader, by id or name (nil: the first that is empty).
    public func present(_ card: any VirtualCard, on reader: String?) throws(SimulatorError) -> Presentation {
        try field.present(card, on: reader)
    }

    /// Takes a card away. False if it was gone already.
    @discardableResult
    public func remove(_ presentation: Presentation) -> Bool {
        field.remove(presentation)
    }

    /// The cards on readers, in the order of the readers.
    public var presentations: [Presentation] { field.presentations }

    private func untilCancelled() async {
        let (nothing, end) = AsyncStream<Never>.makeStream()
        await withTaskCancellationHandler {
            for await _ in nothing {}
        } onCancel: {
            end.finish()
        }
    }
}
