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

    private let model: VirtualReaderModel?

    /// `readers` simulated readers of one model, named `Simulated Reader 0` and so on; without a model they see every tag.
    public init(
        readers: Int, model: VirtualReaderModel? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) {
        let descriptions = (0..<readers).map { ReaderDescription(simulated: $0, model) }
        self.model = model
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

    /// Simulated readers take no commands of their own.
    public func escape(_ command: [UInt8], to reader: ReaderID) async {}

    /// Connects to the tag on a reader, through its worker.
    public func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        guard let worker = workers[reader] else { throw .readerFailed }
        return try await worker.connect()
    }

    /// Puts a tag on a reader, by id or name (nil: the first that is empty), as readers of the model show it.
    public func present(_ tag: any VirtualTag, on reader: String?) throws(SimulatorError) -> Presentation {
        guard let model else { return try present(tag.inReader(), on: reader) }
        guard let card = model.card(tag) else {
            let others = VirtualReaderModel.all.filter { $0.card(tag) != nil }
            throw .unseen(model: model.name, seenBy: others.map(\.name))
        }
        return try present(card, on: reader)
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

    /// Nothing to remember: the profile of a simulated reader is known.
    public func learn(_ profile: ReaderProfile, of reader: ReaderID) {}

    /// Readers whose calls were not given up long after their deadlines.
    public var hungReaders: [ReaderID] { workers.filter { $0.value.isHung }.map(\.key) }

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

extension SimulatedDriver {
    /// The names of the models there are.
    public static var modelNames: [String] { VirtualReaderModel.all.map(\.name) }

    /// Simulated readers of the model with this name; nil where there is none.
    public convenience init?(readers: Int, modelNamed name: String, clock: any Clock<Duration>) {
        guard let model = VirtualReaderModel.named(name) else { return nil }
        self.init(readers: readers, model: model, clock: clock)
    }
}

extension ReaderDescription {
    /// A simulated reader of a model, which nfcd treats as that hardware; one of no special model sees every tag.
    fileprivate init(simulated number: Int, _ model: VirtualReaderModel?) {
        let profile = model.map { ReaderProfile.profile(reader: $0.readerName) } ?? .generic
        let kind = profile == .generic ? "Reader" : model?.name.uppercased() ?? "Reader"
        self.init(
            id: ReaderID(rawValue: "simulated-\(number)"), name: "Simulated \(kind) \(number)", profile: profile,
            technologies: profile == .generic ? ["iso14443", "iso15693", "iso18092"] : nil)
    }
}

/// Why a virtual tag could not be put on a simulated reader.
public enum SimulatorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No simulated reader of that name.
    case unknownReader(String, known: [ReaderID])
    /// A tag lies there already.
    case readerTaken(ReaderID)
    /// A tag lies on every simulated reader.
    case allReadersTaken
    /// Readers of this model do not see such a tag; others do.
    case unseen(model: String, seenBy: [String])

    /// The reason in words.
    public var description: String {
        switch self {
        case .unknownReader(let reader, let known):
            "no simulated reader is called \(reader); there are \(known.map(\.rawValue).joined(separator: ", "))"
        case .readerTaken(let reader): "a virtual tag lies on \(reader) already"
        case .allReadersTaken: "a virtual tag lies on every simulated reader already"
        case .unseen(let model, let others):
            "a reader of model \(model) does not see such a tag; start nfcd with --simulator-model "
                + others.joined(separator: " or ")
        }
    }
}
