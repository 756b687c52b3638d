import NFCReaders
import NFCTags
import NFCTypes

/// Decides whether a tag that was read is a new tap. A value: no clock, no I/O.
///
/// A tag makes one tap while it lies on a reader, however often it is read. Where it leaves and returns within the rest time, that is
/// still the same tap: its contact bounced. A failed reading does not hide a later successful one, and a proven tag does not hide one
/// that is not. Tags are compared by their UID; a random one (4 bytes that begin with 08, ISO/IEC 14443-3) never equals another.
struct TapDebounce: Sendable {
    /// What was last recorded of a reader.
    private struct Contact: Sendable {
        var arrival: UInt64
        let identifier: [UInt8]
        var isFailed: Bool
        let proof: TapProof.Status?
    }

    /// How an arrival follows the one before it on the reader.
    private struct Link: Sendable {
        let previous: UInt64
        let gap: Duration
    }

    private struct Reader: Sendable {
        var newest: UInt64?
        var emptySince: Duration?
        var links: [UInt64: Link] = [:]
        var contact: Contact?
    }

    /// The most arrivals of a reader that wait to be read.
    private static let mostLinks = 64

    private var readers: [ReaderID: Reader] = [:]

    /// A tag came into the field of a reader.
    mutating func tagArrived(_ arrival: TagArrival, at time: Duration) {
        var reader = readers[arrival.reader, default: Reader()]
        if let previous = reader.newest, let since = reader.emptySince {
            reader.links[arrival.number] = Link(previous: previous, gap: time - since)
            if reader.links.count > Self.mostLinks, let oldest = reader.links.keys.min() { reader.links[oldest] = nil }
        }
        (reader.newest, reader.emptySince) = (arrival.number, nil)
        readers[arrival.reader] = reader
    }

    /// The tag of a reader left.
    mutating func tagLeft(_ reader: ReaderID, at time: Duration) {
        if readers[reader]?.emptySince == nil { readers[reader]?.emptySince = time }
    }

    /// The reader was unplugged.
    mutating func forget(_ reader: ReaderID) { readers[reader] = nil }

    /// Whether a reading of a tag is a new tap. A repeated contact is from now on part of the tap that it repeats.
    ///
    /// - Parameters:
    ///   - identifier: the UID; empty where it is not known.
    ///   - isFailed: whether the tag could not be read.
    ///   - proof: what the tag has proven; nil if no profile fits it.
    ///   - rest: how long a tag has to be away for its return to be a new tap.
    mutating func isNew(
        _ arrival: TagArrival, _ identifier: [UInt8], isFailed: Bool, proof: TapProof.Status? = nil, rest: Duration
    ) -> Bool {
        guard let reader = readers[arrival.reader], let contact = reader.contact else { return true }
        if contact.arrival == arrival.number { return contact.isFailed && !isFailed }
        guard let link = reader.links[arrival.number], link.previous == contact.arrival, link.gap < rest else {
            return true
        }
        // A contact too short to identify the tag is a bounce.
        let isUnknown = isFailed && identifier.isEmpty
        guard isUnknown || Self.areEqual(identifier, contact.identifier) else { return true }
        guard isUnknown || proof == contact.proof else { return true }
        guard isFailed || !contact.isFailed else { return true }
        readers[arrival.reader]?.contact?.arrival = arrival.number
        return false
    }

    /// A reading was recorded as a tap, or recording it failed.
    mutating func record(
        _ arrival: TagArrival, _ identifier: [UInt8], isFailed: Bool, proof: TapProof.Status? = nil
    ) {
        var reader = readers[arrival.reader, default: Reader()]
        reader.contact = Contact(
            arrival: arrival.number, identifier: identifier, isFailed: isFailed, proof: proof)
        reader.links = reader.links.filter { $0.key > arrival.number }
        readers[arrival.reader] = reader
    }

    private static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let isRandom = one.count == 4 && one.first == 0x08
        return !one.isEmpty && !isRandom && one == other
    }
}

/// How long a tag has to be away from a reader for its return to be a new tap.
public struct RestTimes: Sendable, Hashable {
    /// For readers without their own time.
    public var general: Duration
    /// For readers whose name contains a text.
    private var own: [Own] = []

    private struct Own: Sendable, Hashable {
        let match: String
        let time: Duration
    }

    /// The times; by default 300 ms.
    public init(general: Duration = .milliseconds(300)) { self.general = general }

    /// Sets the time for readers whose name contains a text; case is ignored, and the first that matches applies.
    public mutating func set(_ time: Duration, forReadersMatching match: String) {
        own.append(Own(match: match, time: time))
    }

    /// The time for a reader.
    func time(for reader: ReaderDescription) -> Duration {
        let name = reader.name.lowercased()
        return own.first { name.contains($0.match.lowercased()) }?.time ?? general
    }
}
