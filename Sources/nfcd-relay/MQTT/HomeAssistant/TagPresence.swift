import NFCProtocol

/// Which tags lie on the readers, and whose removal is to be published: after its tap, and with the tag that left. A value: no I/O.
///
/// nfcd's events and its taps come apart: a tag may leave before its tap was published, or before it was even read, and taps that wait
/// for the broker come long after the tag has left. So each contact of a tag with a reader is kept until its tap and its end are known.
struct TagPresence: Sendable {
    /// The end of a contact.
    enum Departure: Sendable {
        /// The removal of this tag is to be published now.
        case published(RecordedTap)
        /// It is to be published after the tap, if there is one.
        case later
        /// The tag was there before the relay followed the reader.
        case unknown
    }

    /// A tag on a reader, from its arrival until it leaves. Times are seconds since the start of the machine.
    private struct Contact: Sendable {
        /// Nil: before the relay followed the reader.
        var arrival: Double?
        var departure: Double?
        var tap: RecordedTap?
        var isAnnounced = false

        /// Whether the tag is there, and came before the relay followed the reader.
        var hasUnknownArrival: Bool { arrival == nil && departure == nil }
    }

    /// The most contacts of a reader whose tap is not published yet.
    private static let mostContacts = 64

    private let bootID: String
    private var readers: [String: [Contact]] = [:]

    /// - Parameter bootID: the present run of the machine: times of taps of others say nothing.
    init(bootID: String) { self.bootID = bootID }

    /// A tag came to a reader.
    mutating func arrived(on reader: String, at time: Double) {
        // The tap of this contact came first.
        if let last = readers[reader]?.indices.last, readers[reader]?[last].hasUnknownArrival == true {
            readers[reader]?[last].arrival = time
        } else {
            add(Contact(arrival: time), on: reader)
        }
    }

    /// The tag of a reader left.
    mutating func left(_ reader: String, at time: Double) -> Departure {
        guard let contacts = readers[reader], let last = contacts.indices.last, contacts[last].departure == nil else {
            add(Contact(departure: time), on: reader)
            return .unknown
        }
        readers[reader]?[last].departure = time
        return removal(on: reader, last).map { .published($0) } ?? .later
    }

    /// A tap is going to be published.
    mutating func seen(_ tap: RecordedTap) {
        guard !has(tap) else { return }
        if contact(of: tap) == nil { readers[tap.reader, default: []].insert(Contact(), at: 0) }
        guard let index = contact(of: tap) else { return }
        readers[tap.reader]?[index].tap = tap
        readers[tap.reader]?[index].isAnnounced = false
    }

    /// A tap was published.
    ///
    /// - Returns: whether the tag has left since: then its removal is to be published now.
    mutating func announced(_ tap: RecordedTap) -> Bool {
        guard let index = readers[tap.reader]?.firstIndex(where: { $0.tap?.id == tap.id }) else { return false }
        readers[tap.reader]?[index].isAnnounced = true
        return removal(on: tap.reader, index) != nil
    }

    /// The tag of a contact that is over and whose tap was published; such a contact is forgotten.
    private mutating func removal(on reader: String, _ index: Int) -> RecordedTap? {
        guard let contact = readers[reader]?[index], contact.departure != nil, contact.isAnnounced else { return nil }
        readers[reader]?.remove(at: index)
        return contact.tap
    }

    private func has(_ tap: RecordedTap) -> Bool { readers[tap.reader]?.contains { $0.tap?.id == tap.id } ?? false }

    /// The contact that a tap is of: the last one that began before the tap was read. The event of an arrival may come a moment after
    /// the tap; then the contact before it has its tap, or was over.
    private func contact(of tap: RecordedTap) -> Int? {
        let contacts = readers[tap.reader] ?? []
        let time = tap.bootID == bootID ? tap.bootTime : -.infinity
        guard let index = contacts.lastIndex(where: { ($0.arrival ?? -.infinity) <= time }) else { return nil }
        let hasTap = contacts[index].tap != nil && contacts[index].departure != nil
        let next = contacts.index(after: index)
        return hasTap && next < contacts.endIndex && contacts[next].tap == nil ? next : index
    }

    private mutating func add(_ contact: Contact, on reader: String) {
        readers[reader] = Array(((readers[reader] ?? []) + [contact]).suffix(Self.mostContacts))
    }
}
