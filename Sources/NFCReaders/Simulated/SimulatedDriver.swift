public import NFCTags
import TagRecordings
public import VirtualTags

/// Which virtual tag of a profile to make.
public struct SiteTagRequest: Sendable {
    /// The name of the profile.
    public var profile: String
    /// Its UID; nil for a made-up one.
    public var identifier: [UInt8]?
    /// Its message; nil for that of the profile, or none.
    public var message: [UInt8]?
    /// Whether it has all that can be copied, and other keys.
    public var isCopy: Bool

    /// A request.
    public init(profile: String, identifier: [UInt8]? = nil, message: [UInt8]? = nil, isCopy: Bool = false) {
        self.profile = profile
        self.identifier = identifier
        self.message = message
        self.isCopy = isCopy
    }
}

/// Simulated readers, without PC/SC service and hardware. Virtual tags are presented on them and removed.
public final class SimulatedDriver: ReaderDriver {
    /// A virtual tag on a simulated reader.
    public struct Presentation: Sendable, Hashable {
        /// The reader.
        public let reader: ReaderID
        /// Unique among all presentations.
        public let number: UInt64
    }

    private let timer: DeadlineTimer
    private let field: SimulatedField
    private let workers: [ReaderID: ReaderWorker]
    private let model: VirtualReaderModel?
    /// Makes a tag of a profile.
    private let siteTag: (@Sendable (SiteTagRequest) async throws -> any VirtualTag)?

    /// Creates simulated readers.
    ///
    /// - Parameters:
    ///   - readers: the number of readers, named `Simulated Reader 0` and so on.
    ///   - model: the model of all readers; readers without a model support every tag.
    ///   - clock: the clock for deadlines.
    ///   - siteTag: makes a tag that is set up by a profile; nil without profiles.
    public convenience init(
        readers: Int, model: VirtualReaderModel? = nil, clock: any Clock<Duration> = ContinuousClock(),
        siteTag: (@Sendable (SiteTagRequest) async throws -> any VirtualTag)? = nil
    ) {
        self.init(
            descriptions: (0..<readers).map { ReaderDescription(simulated: $0, model) }, model: model, clock: clock,
            siteTag: siteTag)
    }

    /// Creates simulated readers with these properties.
    init(
        descriptions: [ReaderDescription], model: VirtualReaderModel? = nil, clock: any Clock<Duration>,
        siteTag: (@Sendable (SiteTagRequest) async throws -> any VirtualTag)? = nil
    ) {
        self.model = model
        self.siteTag = siteTag
        timer = DeadlineTimer(clock)
        let field = SimulatedField(readers: descriptions)
        self.field = field
        workers = descriptions.reduce(into: [:]) { workers, description in
            let id = description.id
            workers[id] = ReaderWorker(id: id, clock: clock, report: { field.report($0) }) {
                SimulatedReader(id: id, field: field)
            }
        }
    }

    /// Reports the readers until the task is cancelled.
    public func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {
        field.report(to: report)
        await untilCancelled()
        field.report(to: nil)
    }

    /// Returns when the readers have been reported.
    public func refresh() async {
        _ = await timer.result(within: refreshLimit) { [field] in await field.waitForReport() }
    }

    /// Does nothing: simulated readers have no escape commands.
    public func escape(_ command: [UInt8], to reader: ReaderID) async {}

    /// Connects to the tag on a reader, through its worker.
    public func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        guard let worker = workers[reader] else { throw .readerFailed }
        return try await worker.connect()
    }

    /// A tag that is set up by a profile.
    ///
    /// - Returns: nil without profiles.
    public func tag(_ request: SiteTagRequest) async throws -> (any VirtualTag)? { try await siteTag?(request) }

    /// Presents a tag on a reader of the model.
    ///
    /// - Parameters:
    ///   - reader: the reader's id or name; nil selects the first empty reader.
    ///   - faults: what goes wrong with it.
    public func present(
        _ tag: any VirtualTag, on reader: String?, faults: FaultPlan = .none
    ) throws(SimulatorError) -> Presentation {
        let card = try card(tag)
        return try present(faults == .none ? card : FaultInjectingCard(card, plan: faults), on: reader)
    }

    private func card(_ tag: any VirtualTag) throws(SimulatorError) -> any VirtualCard {
        if let recorded = tag as? RecordedTag {
            // Another reader would be sent other commands than those that were recorded.
            guard recorded.profile == model?.name ?? ReaderProfile.generic.slug else {
                throw .recordedElsewhere(model: model?.name ?? "generic", recorded: recorded.profile)
            }
            return recorded.inReader()
        }
        guard let model else { return tag.inReader() }
        guard let card = model.card(tag) else {
            let others = VirtualReaderModel.all.filter { $0.card(tag) != nil }
            throw .unsupported(model: model.name, supportedBy: others.map(\.name))
        }
        return card
    }

    /// Presents a card on a reader.
    ///
    /// - Parameter reader: the reader's id or name; nil selects the first empty reader.
    public func present(_ card: any VirtualCard, on reader: String?) throws(SimulatorError) -> Presentation {
        try field.present(card, on: reader)
    }

    /// Removes a card.
    ///
    /// - Returns: false if it was not in the field.
    @discardableResult
    public func remove(_ presentation: Presentation) -> Bool {
        field.remove(presentation)
    }

    /// Unplugs a reader; the tag on it is removed.
    ///
    /// - Returns: false if there is no such reader, or it is unplugged already.
    @discardableResult
    public func unplug(_ reader: ReaderID) -> Bool { field.plug(reader, isIn: false) }

    /// Plugs in a reader that was unplugged.
    ///
    /// - Returns: false if there is no such reader, or it is plugged in already.
    @discardableResult
    public func plugIn(_ reader: ReaderID) -> Bool { field.plug(reader, isIn: true) }

    /// Does nothing: the family of a simulated reader is known.
    public func cache(_ profile: ReaderProfile, of reader: ReaderID) {}

    /// Readers that nfcd still waits for long after the deadline of a call.
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
    /// The names of all models.
    public static var modelNames: [String] { VirtualReaderModel.all.map(\.name) }

    /// Creates simulated readers of the model with this name; nil if there is none.
    public convenience init?(
        readers: Int, modelNamed name: String, clock: any Clock<Duration>,
        siteTag: (@Sendable (SiteTagRequest) async throws -> any VirtualTag)? = nil
    ) {
        guard let model = VirtualReaderModel.named(name) else { return nil }
        self.init(readers: readers, model: model, clock: clock, siteTag: siteTag)
    }
}

extension ReaderDescription {
    /// A simulated reader of a model, which nfcd treats as that hardware. A reader without a model supports every tag.
    fileprivate init(simulated number: Int, _ model: VirtualReaderModel?) {
        let profile = model.map { ReaderProfile.profile(reader: $0.readerName) } ?? .generic
        let kind = profile == .generic ? "Reader" : model?.name.uppercased() ?? "Reader"
        self.init(
            id: ReaderID(rawValue: "simulated-\(number)"), name: "Simulated \(kind) \(number)", profile: profile,
            technologies: profile == .generic ? [.iso14443, .iso15693, .iso18092] : nil)
    }
}

/// Why a virtual tag could not be presented on a simulated reader.
public enum SimulatorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No simulated reader has that name.
    case unknownReader(String, known: [ReaderID])
    /// The reader already has a tag.
    case readerTaken(ReaderID)
    /// Every simulated reader has a tag.
    case allReadersTaken
    /// Readers of this model do not support the tag; other models do.
    case unsupported(model: String, supportedBy: [String])
    /// The tag was recorded on a reader of another family.
    case recordedElsewhere(model: String, recorded: String)

    /// The reason.
    public var description: String {
        switch self {
        case .unknownReader(let reader, let known):
            "no simulated reader is named \(reader); available: \(known.map(\.rawValue).joined(separator: ", "))"
        case .readerTaken(let reader): "\(reader) already has a virtual tag; remove it first"
        case .allReadersTaken: "every simulated reader already has a virtual tag; remove one first"
        case .unsupported(let model, let others):
            "readers of model \(model) do not support this tag; start nfcd with --simulator-model "
                + others.joined(separator: " or ")
        case .recordedElsewhere(let model, let recorded):
            "the recording was made on a reader of the family \(recorded), and the simulated readers are of model "
                + "\(model), which nfcd sends other commands; start nfcd with --simulator-model \(recorded), or with --replay"
        }
    }
}
