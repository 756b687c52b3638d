import NFCTags
import Synchronization
import Testing
import VirtualTags

/// A virtual card as the drivers see it. The card is powered on when the channel is made.
struct ModelChannel: CardChannel {
    let card: any VirtualCard

    init(_ card: any VirtualCard) {
        self.card = card
        card.powerOn()
    }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let response = card.transmit(command)
        guard card.isPresent || !response.isEmpty else { throw .tagLost }
        return response
    }
}

/// Interrupts a write before and after every exchange it makes, and reads what is on the tag then.
struct TearTest {
    /// A card with the old message on it, the same one each time.
    let makeCard: () throws -> any VirtualCard
    /// The driver for the card behind a channel.
    let makeTag: (ModelChannel) -> any NDEFTag
    let old: [UInt8]
    let new: [UInt8]

    /// Runs all cases and says how many there were.
    func run() async throws -> Int {
        var cases = 0
        var exchange = 1
        while true {
            var hasHappened = false
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let card = try makeCard()
                let torn = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
                let error = await failure { try await makeTag(ModelChannel(torn)).writeNDEF(new, verifying: false) }
                if torn.isPresent { continue }
                hasHappened = true
                cases += 1
                let found = try await makeTag(ModelChannel(card)).readNDEF()
                #expect(found.status != .notSupported, "torn by \(fault) at exchange \(exchange)")
                let message = found.message ?? []
                #expect([old, [], new].contains(message), "torn by \(fault) at exchange \(exchange)")
                if let leaves = error?.leaves { #expect(holds(leaves, message), "\(leaves) at exchange \(exchange)") }
            }
            guard hasHappened else {
                print("torn in \(cases) ways: \(old.count) to \(new.count) bytes")
                return cases
            }
            exchange += 1
        }
    }

    private func holds(_ state: WrittenState, _ message: [UInt8]) -> Bool {
        switch state {
        case .old: message == old
        case .oldOrEmpty: message == old || message.isEmpty
        case .empty: message.isEmpty
        case .emptyOrNew: message.isEmpty || message == new
        case .oldOrNew: message == old || message == new
        case .new: message == new
        case .partial: false
        }
    }
}

/// What a driver said about its progress.
final class ProgressLog: Sendable {
    private let entries = Mutex<[(done: Int, total: Int)]>([])

    var listener: TagProgress {
        { done, total in self.entries.withLock { $0.append((done, total)) } }
    }

    /// How often it spoke; the numbers have to rise to the total, which stays the same.
    func count() -> Int {
        let entries = entries.withLock { $0 }
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.done < $1.done && $0.total == $1.total })
        #expect(entries.last.map { $0.done == $0.total } == true)
        return entries.count
    }
}

/// The error that a call ends with.
func failure(_ body: () async throws -> Void) async -> TagError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TagError
    }
}

extension TagError {
    /// Whether the error says that the message before may still be there, whole.
    var mayHaveKeptMessage: Bool { [.old, .oldOrEmpty, .oldOrNew].contains(leaves) }
}
