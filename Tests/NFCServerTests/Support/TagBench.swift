import Dispatch
import NFCReaders
import Synchronization
import Testing
import TestSupport
import VirtualTags

/// A client whose session is connected to `tag-1` of `session-1`, a tag on a reader of the server.
enum TagBench {
    static let tag = #""session":"session-1","tag":"tag-1""#
    /// `https://a.b`.
    static let url: [UInt8] = [0xD1, 0x01, 0x04, 0x55, 0x04, 0x61, 0x2E, 0x62]

    static func connected(
        _ server: TestServer, _ tag: any VirtualTag, on reader: String? = nil
    ) async throws -> RawClient {
        _ = try server.simulated.present(tag, on: reader)
        return try await connected(server)
    }

    /// A client that is connected to a card which blocks every exchange from now on.
    static func blocked(_ server: TestServer) async throws -> (client: RawClient, card: BlockingCard) {
        let card = BlockingCard(try VirtualTagModel.named("type4").makeTag(ndefMessage: url).inReader())
        _ = try server.simulated.present(card, on: nil)
        let client = try await connected(server)
        card.block()
        return (client, card)
    }

    /// Sends an APDU that selects the application with a number, as request `id`.
    static func send(_ number: UInt8, as id: String, to client: RawClient, _ more: String = "") async {
        let hex = String(number, radix: 16, uppercase: true)
        await client.send(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"iso7816.sendCommand","#
                + #""params":{\#(tag),"apdu":"00A40000\#(hex.count < 2 ? "0" : "")\#(hex)"\#(more)}}"#)
    }

    private static func connected(_ server: TestServer) async throws -> RawClient {
        let client = try server.client()
        _ = try await client.call("session.begin", #"{"kind":"tag"}"#)
        for _ in 0..<2 { _ = try await client.json() }
        try #require(try await client.call("session.connect", "{\(Self.tag)}")["result"] == .object([:]))
        return client
    }

    static func connected(
        _ server: TestServer, model: String, message: [UInt8]? = url
    ) async throws -> RawClient {
        try await connected(server, try VirtualTagModel.named(model).makeTag(ndefMessage: message))
    }

    /// NTAG213 with password 01020304 and PACK A1A2, both to read and to write from page 4 on.
    static func lockedTag() throws -> any VirtualTag {
        let tag = try #require(try VirtualTagModel.named("ntag213").makeTag(ndefMessage: url) as? VirtualType2Tag)
        var memory = tag.memory
        memory[41 * 4 + 3] = 4
        memory[42 * 4] = 0x80
        memory.replaceSubrange(43 * 4..<45 * 4, with: [1, 2, 3, 4, 0xA1, 0xA2, 0, 0])
        return try VirtualType2Tag(product: tag.product, memory: memory)
    }
}

/// A clock that advances by 50 ms each time it is read.
final class AdvancingClock: Clock {
    private let clock = TestClock()

    var now: TestClock.Instant {
        clock.advance(by: .milliseconds(50))
        return clock.now
    }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: deadline, tolerance: tolerance)
    }
}

/// A card that blocks its exchanges until each is released, and records the commands.
final class BlockingCard: VirtualCard {
    let answerToReset: [UInt8]
    private let card: any VirtualCard
    private let isBlocking = Atomic<Bool>(false)
    private let exit = DispatchSemaphore(value: 0)
    private let log = Mutex<[[UInt8]]>([])
    private let entries: AsyncStream<Void>
    private let entry: AsyncStream<Void>.Continuation

    init(_ card: any VirtualCard) {
        self.card = card
        answerToReset = card.answerToReset
        (entries, entry) = AsyncStream.makeStream()
    }

    /// The commands that were sent since it blocks.
    var sent: [[UInt8]] { log.withLock { $0 } }
    var isPresent: Bool { card.isPresent }

    /// Blocks all exchanges from now on.
    func block() { isBlocking.store(true, ordering: .sequentiallyConsistent) }

    /// Returns when the next exchange is blocked.
    func entered() async {
        for await _ in entries { return }
    }

    /// Releases exchanges, by default all.
    func release(_ count: Int = 10_000) {
        for _ in 0..<count { exit.signal() }
    }

    func transmit(_ command: [UInt8]) -> [UInt8] {
        if isBlocking.load(ordering: .sequentiallyConsistent) {
            log.withLock { $0.append(command) }
            entry.yield()
            exit.wait()
        }
        return card.transmit(command)
    }

    func powerOn() { card.powerOn() }
    func powerOff() { card.powerOff() }
    func reset() { card.reset() }
}
