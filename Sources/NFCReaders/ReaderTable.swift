/// The readers of the moment, kept up to date by their events. A value: no I/O.
public struct ReaderTable: Sendable {
    /// One reader and what lies on it.
    public struct Entry: Sendable, Hashable {
        /// The reader.
        public fileprivate(set) var description: ReaderDescription
        /// The tag in the field.
        public fileprivate(set) var tag: TagArrival?
        /// Why the reader does not work, if it does not.
        public fileprivate(set) var failure: String?
    }

    /// Whether readers can be seen at all; if not, why.
    public private(set) var unavailable: String? = "the readers have not been looked for yet"
    /// The readers in the order in which they were plugged in.
    public private(set) var entries: [Entry] = []

    /// An empty table.
    public init() {}

    /// The entry of a reader.
    public subscript(_ id: ReaderID) -> Entry? {
        entries.first { $0.description.id == id }
    }

    /// Takes in what happened. An event about a reader that is not there changes nothing.
    public mutating func apply(_ event: ReaderEvent) {
        switch event {
        case .serviceAvailable: unavailable = nil
        case .serviceUnavailable(let reason):
            unavailable = reason
            entries = []
        case .attached(let description):
            remove(description.id)
            entries.append(Entry(description: description))
        case .described(let description): update(description.id) { $0.description = description }
        case .detached(let id): remove(id)
        case .tagArrived(let arrival): update(arrival.reader) { $0.tag = arrival }
        case .tagLeft(let id), .tagMute(let id): update(id) { $0.tag = nil }
        case .failed(let id, let reason): update(id) { $0.failure = reason }
        case .recovered(let id): update(id) { $0.failure = nil }
        }
    }

    private mutating func remove(_ id: ReaderID) {
        entries.removeAll { $0.description.id == id }
    }

    private mutating func update(_ id: ReaderID, _ change: (inout Entry) -> Void) {
        guard let index = entries.firstIndex(where: { $0.description.id == id }) else { return }
        change(&entries[index])
    }
}
