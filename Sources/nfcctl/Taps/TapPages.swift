import ArgumentParser
import NFCClient
import NFCProtocol

/// The taps of a journal, page by page: any number of them, without holding them in memory.
struct TapPages {
    /// The most taps of a page.
    static let size = 1000

    private let client: NFCClient
    private let readers: [String]?
    private let isNewestFirst: Bool
    /// The sequence number below which the newest taps end.
    private let end: Int64
    private var position: Int64?
    private var remaining: Int
    private var epoch: String?
    private var isOver = false

    /// - Parameters:
    ///   - after: the sequence number after which the taps begin, or with `isNewestFirst`, before which they end.
    ///   - limit: the most taps; nil for all.
    init(
        _ client: NFCClient, after: Int64 = 0, readers: [String]? = nil, limit: Int? = nil, isNewestFirst: Bool = false
    ) {
        (self.client, self.readers, self.isNewestFirst) = (client, readers, isNewestFirst)
        end = isNewestFirst ? after : 0
        position = isNewestFirst ? nil : after
        remaining = limit ?? .max
    }

    /// The next taps; nil at the end.
    ///
    /// - Throws: `NFCClientError`; `ExitCode` 75 if the journal was replaced in the meantime, after printing that.
    mutating func next() async throws -> [RecordedTap]? {
        guard !isOver, remaining > 0 else { return nil }
        let page = try await client.call(
            TapsList.self,
            .init(
                after: position, readers: readers, limit: min(remaining, Self.size),
                newestFirst: isNewestFirst ? true : nil))
        if let epoch, epoch != page.epoch {
            Terminal.error("nfcctl: the journal was replaced while it was read. Run the command again.")
            throw ExitCode.temporary
        }
        epoch = page.epoch
        let taps = isNewestFirst ? Array(page.taps.prefix { $0.sequence > end }) : page.taps
        position = taps.last?.sequence
        remaining -= taps.count
        isOver = !page.hasMore || taps.count < page.taps.count
        return taps.isEmpty ? nil : taps
    }
}

extension NFCClient {
    /// The tap with a sequence number; nil if there is none.
    func tap(_ sequence: Int64) async throws -> RecordedTap? {
        guard sequence > 0 else { return nil }
        let page = try await call(TapsList.self, .init(after: sequence - 1, limit: 1))
        return page.taps.first { $0.sequence == sequence }
    }

    /// The tap with an id; nil if there is none. The newest are searched first.
    ///
    /// - Parameter onProgress: called with the number of taps searched so far.
    func tap(id: String, onProgress: (Int) -> Void) async throws -> RecordedTap? {
        var pages = TapPages(self, isNewestFirst: true)
        var count = 0
        while let taps = try await pages.next() {
            if let found = taps.first(where: { $0.id == id }) { return found }
            count += taps.count
            onProgress(count)
        }
        return nil
    }
}
