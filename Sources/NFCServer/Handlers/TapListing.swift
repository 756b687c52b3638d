import FoundationEssentials
import LocalSocket
import NFCProtocol
import NFCTags
import TapJournal

/// The answer to `taps.list` while it grows: taps are read and encoded a few at a time, so that those who list at the same time take
/// turns.
struct TapListing: Sendable {
    /// The most taps, and bytes of messages, that are read at a time.
    private static let (partTaps, partBytes) = (100, 32 * 1024)
    /// The bytes that the answer needs in addition to its taps.
    private static let envelope = 4_096

    private var query: TapQuery
    private let isGranted: @Sendable (JournalTap) -> Bool
    private var epoch: String?
    private var taps: [Data] = []
    private var length = TapListing.envelope
    private var hasMore = true
    private var isComplete = false

    /// - Parameters:
    ///   - query: for all taps of the answer.
    ///   - isGranted: whether the client may receive a tap; others are left out.
    init(_ query: TapQuery, isGranted: @escaping @Sendable (JournalTap) -> Bool) {
        self.query = query
        self.isGranted = isGranted
    }

    /// The listing with all its taps. They are encoded apart from the requests of other clients, which must not wait for it.
    func completed(
        from store: any TapStore, for client: PeerCredentials, _ schedule: any RequestSchedule
    ) async throws -> TapListing {
        var listing = self
        while let next = listing.next {
            let (page, before) = (try await store.taps(next), listing)
            listing = try await schedule.decode(page.encodedSize, for: client) {
                Result { try before.adding(page) }
            }.get()
        }
        return listing
    }

    /// The query for the next taps; nil where the answer is complete.
    private var next: TapQuery? {
        guard !isComplete else { return nil }
        var part = query
        part.limit = min(query.limit, Self.partTaps)
        part.byteLimit = min(query.byteLimit, Self.partBytes)
        return part
    }

    /// The listing with the taps of a page, as many as fit into a line.
    private func adding(_ page: TapPage) throws -> TapListing {
        var listing = self
        try listing.add(page)
        return listing
    }

    private mutating func add(_ page: TapPage) throws {
        // The journal was lost meanwhile: its numbers begin again.
        guard epoch == nil || epoch == page.epoch else { return isComplete = true }
        epoch = page.epoch
        for tap in page.taps {
            guard isGranted(tap) else {
                query.after = tap.sequence
                continue
            }
            guard let json = try encoded(RecordedTap(tap, epoch: page.epoch)) else { return isComplete = true }
            taps.append(json)
            length += json.count + 1
            query.after = tap.sequence
            query.limit -= 1
            query.byteLimit -= tap.listedBytes
        }
        hasMore = page.hasMore
        isComplete = !page.hasMore || page.taps.isEmpty || query.limit <= 0 || query.byteLimit <= 0
    }

    /// A tap as JSON; nil where it does not fit behind those before it.
    private func encoded(_ tap: RecordedTap) throws -> Data? {
        if let json = try JSONLine.json(tap, upTo: JSONLine.maximumLength - length) { return json }
        guard taps.isEmpty else { return nil }
        return try JSONLine.json(
            tap.withoutMessage(TagError(.packetTooLong, "the message is too long for a line")),
            upTo: JSONLine.maximumLength - length)
    }

    /// The result of `taps.list`.
    func result() throws -> EncodedResult {
        var json = Data(#"{"epoch":"#.utf8)
        json.append(try JSONLine.json(epoch ?? "", upTo: Self.envelope) ?? Data(#""""#.utf8))
        json.append(contentsOf: #","hasMore":\#(hasMore),"taps":["#.utf8)
        for (index, tap) in taps.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json.append(tap)
        }
        json.append(contentsOf: "]}".utf8)
        return EncodedResult(encoded: json)
    }
}

extension JournalTap {
    /// About its bytes of a list.
    fileprivate var listedBytes: Int { 160 + (record.message?.count ?? 0) }
}

extension TapPage {
    /// About the length of the page in JSON.
    var encodedSize: Int { taps.reduce(0) { $0 + 768 + 4 * ($1.record.message?.count ?? 0) } }
}
