import NDEF
import NFCProtocol

/// How far a lane is in the taps of its reader.
struct LanePosition: Sendable, Hashable {
    /// The place of the last finished tap among those of all readers; 0 before the first.
    var sequence: Int64
    /// Its place among the taps of its reader; nil where it is not known, and then a gap before the next tap is not noticed.
    var readerSequence: Int64?
}

/// A position and when it was reached, so that taps of the recent past can be delivered again.
struct LaneMilestone: Sendable, Hashable {
    var position: LanePosition
    /// In the time of the lane.
    var time: Duration
}

/// What the state file keeps of a lane.
struct SavedLane: Sendable, Hashable {
    var reader: String
    var position: LanePosition
    /// How often the delivery of the next tap was attempted, and how often it was refused.
    var attempts = 0
    var refusals = 0
    /// Taps up to this one are delivered again on request.
    var replayThrough: Int64 = 0
    /// Where the lane was in the time of the replay window, oldest first.
    var milestones: [LaneMilestone] = []
}

/// Taps that are missing in the journal.
struct LostTaps: Sendable, Hashable {
    /// Taps of one reader.
    struct Range: Sendable, Hashable {
        let reader: String
        /// Their places among the taps of the reader.
        let numbers: ClosedRange<Int64>
    }

    /// The journal that they were in.
    let epoch: String
    /// Nil: all of it, because there is a new journal.
    var range: Range?

    /// What happened, for people.
    var text: String {
        guard let range else {
            return "nfcd has a new journal; taps of the old one (\(epoch)) that were not delivered are lost"
        }
        let (first, last) = (range.numbers.lowerBound, range.numbers.upperBound)
        let taps = "\(counted(range.numbers.count, "tap")) of reader \(range.reader)"
        guard first < last else { return "\(taps) is missing in the journal: number \(first)" }
        return "\(taps) are missing in the journal: numbers \(first) to \(last)"
    }
}

/// Why a page of the journal cannot be used: nfcd does not keep its promises.
struct InvalidPage: Error, Hashable, CustomStringConvertible {
    let description: String
}

extension TapsList.Result {
    /// Checks that a page has the taps of one reader in order, after a sequence number, and no more than asked for.
    func validate(reader: String, after sequence: Int64, limit: Int) throws(InvalidPage) {
        guard taps.count <= limit else {
            throw InvalidPage(description: "nfcd sent \(taps.count) taps instead of \(limit)")
        }
        var last = (sequence: sequence, reader: Int64(0))
        for tap in taps {
            guard tap.reader == reader else {
                throw InvalidPage(description: "nfcd sent a tap of reader \(tap.reader) instead of \(reader)")
            }
            guard tap.sequence > last.sequence, tap.readerSequence > last.reader else {
                throw InvalidPage(description: "nfcd sent tap \(tap.sequence) out of order, after tap \(last.sequence)")
            }
            last = (tap.sequence, tap.readerSequence)
        }
    }
}
