/// What is known of nfcd's journal.
struct JournalScan: Sendable, Hashable {
    /// The journal.
    let epoch: String
    /// Every tap up to this one was seen.
    private(set) var through: Int64
    private var readers: [String: KnownTap] = [:]

    init(epoch: String, through: Int64) {
        self.epoch = epoch
        self.through = through
    }

    /// The newest tap of each reader.
    var newest: [KnownTap] { readers.values.sorted { $0.reader < $1.reader } }

    /// A tap was seen.
    mutating func note(_ tap: KnownTap) {
        if tap.sequence > readers[tap.reader]?.sequence ?? 0 { readers[tap.reader] = tap }
    }

    /// Every tap up to this one was seen.
    mutating func reach(_ sequence: Int64) { through = max(through, sequence) }

    /// Taps after this one are to be looked at again.
    mutating func goBack(to sequence: Int64) { through = min(through, sequence) }
}

/// A tap that the journal is known to have.
struct KnownTap: Sendable, Hashable {
    var reader: String
    var sequence: Int64
    var readerSequence: Int64
}
