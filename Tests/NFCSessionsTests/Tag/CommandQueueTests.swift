import NFCReaders
import NFCTags
import Synchronization
import Testing

@testable import NFCSessions

@Suite(.timeLimit(.minutes(20))) struct `The queue of a tag` {
    private static let gone = TagError(.tagConnectionLost, "gone")

    /// The notifications in their order.
    private final class Notes: Sendable {
        private let notes = Mutex<[String]>([])
        var all: [String] { notes.withLock { $0 } }
        func add(_ note: String) { notes.withLock { $0.append(note) } }
    }

    private func take(_ queue: CommandQueue, _ notes: Notes) -> UInt64 {
        queue.take { notes.add("\($0)") }
    }

    /// Why a place got no turn; nil where it did.
    private func drop(_ queue: CommandQueue, _ place: UInt64) async -> CommandDrop? {
        do throws(CommandFailure) {
            try await queue.turn(of: place)
            return nil
        } catch {
            if case .dropped(let drop) = error { return drop }
            return nil
        }
    }

    @Test func `gives turns in the order of the places, not of the waiting`() async throws {
        let (queue, notes) = (CommandQueue(), Notes())
        let places = (0..<100).map { _ in take(queue, notes) }
        await withTaskGroup(of: Void.self) { group in
            for place in places.reversed() {
                group.addTask {
                    #expect(await drop(queue, place) == nil)
                    notes.add("\(place)")
                    queue.end()
                }
            }
        }
        #expect(notes.all == places.map { "\($0)" })
    }

    @Test func `skips places that were dropped, waited for or not`() async throws {
        let (queue, notes) = (CommandQueue(), Notes())
        let places = (0..<4).map { _ in take(queue, notes) }
        #expect(await drop(queue, places[0]) == nil)
        async let second = drop(queue, places[1])
        #expect(queue.drop(places[1], .cancelled) && queue.drop(places[2], .cancelled))
        #expect(await second == .cancelled)
        #expect(!queue.drop(places[0], .cancelled) && !queue.drop(places[1], .cancelled))
        queue.end()
        #expect(await drop(queue, places[3]) == nil)
        #expect(await drop(queue, places[2]) == .cancelled)
        #expect(notes.all == ["cancelled", "cancelled"])
    }

    @Test func `drops a place whose turn it would be`() async throws {
        let (queue, notes) = (CommandQueue(), Notes())
        let places = (0..<3).map { _ in take(queue, notes) }
        #expect(queue.dropAll(.cancelled) == 3 && notes.all.count == 3)
        for place in places { #expect(await drop(queue, place) == .cancelled) }
        #expect(await drop(queue, take(queue, notes)) == nil)
        #expect(queue.dropAll(.cancelled) == 0)
    }

    @Test func `notifies the commands it refuses before it returns, and refuses later ones`() async throws {
        let (queue, notes) = (CommandQueue(), Notes())
        let places = (0..<3).map { _ in take(queue, notes) }
        #expect(await drop(queue, places[0]) == nil)
        queue.refuse(Self.gone)
        #expect(notes.all.count == 2)
        queue.refuse(TagError(.sessionInvalidated, "later"))
        for place in [places[1], places[2], take(queue, notes)] {
            #expect(await drop(queue, place) == .refused(Self.gone))
        }
        #expect(notes.all.count == 3)
        async let idle: Void = queue.idle()
        queue.end()
        await idle
    }
}

@Suite(.timeLimit(.minutes(20))) struct `A command's time limit` {
    /// Answers every command with 9000, unless it was limited: then its time is over. Keeps what was asked of it.
    private final class SlowConnection: CardConnection {
        let answerToReset: [UInt8] = []
        let limits = Mutex<[Duration]>([])

        func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] { [0x90, 0x00] }
        func reconnect() async throws(CardChannelError) {}
        var sharing: (any TagSharing)? { nil }
        func close() async {}

        func limited(to limit: Duration) -> any CardConnection {
            limits.withLock { $0.append(limit) }
            return Late()
        }
    }

    private struct Late: CardConnection {
        let answerToReset: [UInt8] = []
        func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] { throw .timedOut }
        func reconnect() async throws(CardChannelError) { throw .timedOut }
        func limited(to limit: Duration) -> any CardConnection { self }
        var sharing: (any TagSharing)? { nil }
        func close() async {}
    }

    private func tag(_ connection: SlowConnection) -> HeldTag {
        HeldTag(
            TagContact(
                identity: TagIdentity(technology: .iso14443Part4(.a), identifier: [], atr: []), connection: connection,
                profile: .generic), on: Fixtures.desk)
    }

    @Test func `reaches the connection, ends the command with 102 and everything behind it with 100`() async throws {
        let connection = SlowConnection()
        let tag = tag(connection)
        _ = try await tag.takePlace().run { tag throws(TagError) in try await tag.sendCommand([0, 0xA4, 0, 0]).data }
        let (late, waiting) = (tag.takePlace(within: .milliseconds(2_500)), tag.takePlace())
        await #expect(throws: CommandFailure.failed(TagError(.tagResponseError, "the command timed out after 2.5 s"))) {
            try await late.run { tag throws(TagError) in try await tag.sendCommand([0, 0xA4, 0, 0]).data }
        }
        #expect(connection.limits.withLock { $0 } == [.milliseconds(2_500)])
        await #expect(throws: CommandFailure.self) { try await waiting.run { _ throws(TagError) in } }
        let next = tag.takePlace()
        let timedOut = TagError(.tagConnectionLost, "an earlier command on this tag timed out; restart polling")
        await #expect(throws: CommandFailure.dropped(.refused(timedOut))) {
            try await next.run { _ throws(TagError) in }
        }
    }
}
