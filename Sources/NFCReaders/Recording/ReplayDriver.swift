public import NFCTags
import Synchronization
public import TagRecordings
import VirtualTags

/// Readers that replay a recording.
///
/// The tags of the recording come one after another, the first when nfcd starts. A tag that left in the recording leaves once everything
/// that was recorded with it was used and no client is connected to it; then the next one comes. The last one leaves as well, if it did.
public final class ReplayDriver: ReaderDriver {
    private struct State {
        /// The visits that have not begun, by reader.
        var waiting: [ReaderID: [RecordedVisit]]
    }

    private let simulated: SimulatedDriver
    private let state: Mutex<State>
    private let onUnrecorded: @Sendable (UnrecordedCommand, ReaderID) -> Void

    /// Creates the readers of a recording.
    ///
    /// - Parameter onUnrecorded: called for a command that was not recorded; the client gets an error that names it.
    /// - Throws: ``ReplayError`` for a recording without tags, or with a reader family that this version does not know.
    public init(
        _ recording: Recording, clock: any Clock<Duration> = ContinuousClock(),
        onUnrecorded: @escaping @Sendable (UnrecordedCommand, ReaderID) -> Void = { _, _ in }
    ) throws(ReplayError) {
        let visits = recording.visits.filter { !$0.exchanges.isEmpty || !$0.connections.isEmpty }
        guard !visits.isEmpty else { throw ReplayError.noTag }
        var readers: [ReaderDescription] = []
        for reader in recording.readers { readers.append(try ReaderDescription(recorded: reader)) }
        simulated = SimulatedDriver(descriptions: readers, clock: clock)
        state = Mutex(State(waiting: Dictionary(grouping: visits) { ReaderID(rawValue: $0.reader) }))
        self.onUnrecorded = onUnrecorded
    }

    /// Reports the readers and the first tags, until the task is cancelled.
    public func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {
        for reader in state.withLock({ $0.waiting.keys }) { presentNext(on: reader) }
        await simulated.run(report: report)
    }

    /// Returns when the readers have been reported.
    public func refresh() async { await simulated.refresh() }

    /// Connects to the tag on a reader.
    public func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        try await simulated.connect(to: reader)
    }

    /// Does nothing: the recording has the family.
    public func cache(_ profile: ReaderProfile, of reader: ReaderID) {}

    /// Does nothing: answers of readers themselves are not recorded.
    public func escape(_ command: [UInt8], to reader: ReaderID) async {}

    /// Readers that nfcd still waits for long after the deadline of a call.
    public var hungReaders: [ReaderID] { simulated.hungReaders }

    private func presentNext(on reader: ReaderID) {
        let visit = state.withLock { state -> RecordedVisit? in
            guard let first = state.waiting[reader]?.first else { return nil }
            state.waiting[reader]?.removeFirst()
            return first
        }
        guard let visit else { return }
        let card = RecordedCard(visit)
        card.onUnrecorded { [onUnrecorded] command in onUnrecorded(command, reader) }
        guard let presentation = try? simulated.present(card, on: reader.rawValue), visit.hasLeft else { return }
        card.onUsedUp { [weak self] in
            guard let self else { return }
            // A tag that was lost in an exchange has left already.
            simulated.remove(presentation)
            presentNext(on: reader)
        }
    }
}

/// Why a recording cannot be replayed.
public enum ReplayError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No tag came to a reader.
    case noTag
    /// The family of a reader is not known.
    case unknownProfile(String, reader: String)

    /// The reason.
    public var description: String {
        switch self {
        case .noTag: "the recording has no exchange with a tag; record a session with one"
        case .unknownProfile(let profile, let reader):
            "this version does not know the family \"\(profile)\" of the reader \(reader); known are "
                + ReaderProfile.all.map(\.slug).joined(separator: ", ")
        }
    }
}

extension ReaderDescription {
    fileprivate init(recorded reader: Recording.Reader) throws(ReplayError) {
        guard let profile = ReaderProfile.named(reader.profile) else {
            throw .unknownProfile(reader.profile, reader: reader.id)
        }
        let technologies = reader.technologies.compactMap { PollingTechnology(rawValue: $0) }
        self.init(
            id: ReaderID(rawValue: reader.id), name: reader.name, profile: profile,
            isProfileKnown: reader.profileIsKnown, technologies: technologies.isEmpty ? nil : technologies)
    }
}
