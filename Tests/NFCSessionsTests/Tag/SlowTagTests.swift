import NFCReaders
import NFCTags
import Synchronization
import TestSupport
import Testing
import VirtualTags

@testable import NFCSessions

/// Tags that answer each command just before its time limit, or give as little as possible with each answer.
@Suite(.timeLimit(.minutes(20))) struct `A slow tag` {
    private static let answer = Duration.seconds(4.9)
    private static let most = ReadingBounds.timeLimit + answer

    @Test(arguments: VirtualTagModel.all)
    func `of every kind, on every reader, is read for 30 s at most`(model: VirtualTagModel) async throws {
        for reader in VirtualReaderModel.all {
            let tag = try model.makeTag(ndefMessage: Self.message(model.messageCapacity))
            guard let card = reader.card(tag), let again = reader.card(tag) else { continue }
            let hasMessage = await PacedDriver(card, .zero).read(on: reader)?.failure == nil
            let driver = PacedDriver(again, Self.answer)
            let reading = await driver.read(on: reader)
            #expect(driver.time <= Self.most && driver.isClosed, "\(reader.name)")
            guard hasMessage, let failure = reading?.failure else { continue }
            #expect(failure.code == .tagResponseError && failure.detail.contains("longer than 30 s"), "\(reader.name)")
            #expect(driver.exchanges == 7, "\(reader.name)")
        }
    }

    /// Without this, the table above might hold because each tag is read in time.
    @Test(arguments: ["topaz512", "ntag216", "type3", "type4-extended", "st25dv64k", "mifare-classic-1k"])
    func `of each type does not come to its end`(name: String) async throws {
        let model = try VirtualTagModel.named(name)
        var ends = 0
        for reader in VirtualReaderModel.all {
            let tag = try model.makeTag(ndefMessage: Self.message(model.messageCapacity))
            guard let card = reader.card(tag) else { continue }
            // Longer than an answer can take: some tags need three exchanges.
            let reading = await PacedDriver(card, .seconds(20)).read(on: reader)
            if reading?.failure?.detail.contains("longer than 30 s") == true { ends += 1 }
        }
        #expect(ends > 0)
    }

    @Test(arguments: [false, true])
    func `that gives one byte with each answer is read for 30 s at most`(isChained: Bool) async throws {
        var configuration = VirtualType4Card.Configuration()
        configuration.fileSize = 32_000
        if isChained { configuration.responsePiece = 1 }
        let tag = try VirtualType4Card(configuration, ndefMessage: Self.message(31_000))
        let card = isChained ? tag.inReader() : AlteredCard.oneByteReads(tag.inReader())
        let driver = PacedDriver(card, .milliseconds(20))
        let reading = await driver.read(on: try #require(VirtualReaderModel.all.first))
        #expect(reading?.failure?.detail.contains("longer than 30 s") == true, "\(String(describing: reading))")
        #expect(driver.time <= Self.most && driver.isClosed)
    }

    @Test func `whose response does not end is read for 30 s at most`() async throws {
        let driver = PacedDriver(EndlessCard(), .milliseconds(100))
        let reading = await driver.read(on: try #require(VirtualReaderModel.all.first))
        #expect(reading?.failure?.detail.contains("longer than 30 s") == true, "\(String(describing: reading))")
        #expect(driver.time <= Self.most && driver.isClosed)
    }

    @Test func `is searched for applications for 30 s at most`() async throws {
        let driver = PacedDriver(LoginCard([]).inReader(), Self.answer)
        let names = (0..<64).map { [0xA0, 0, 0, 0, UInt8($0)] }
        let error = await failure {
            _ = try await driver.hold(PollingOptions(selectIdentifiers: names))
        }
        #expect(error?.detail.contains("longer than 30 s") == true, "\(String(describing: error))")
        #expect(driver.time <= Self.most && driver.isClosed)
    }

    /// A reader is free for the next session at this time after the end of the last one.
    @Test(arguments: [(false, Duration.seconds(1)), (true, .seconds(30))])
    func `keeps a command only for a time after its session`(isChange: Bool, limit: Duration) async throws {
        let model = try VirtualTagModel.named("ntag216")
        let driver = PacedDriver(try model.makeTag(ndefMessage: Self.message(800)).inReader(), .seconds(3))
        let held = try #require(try await driver.hold(PollingOptions()))
        let end = Mutex<Duration?>(nil)
        let stop: @Sendable () -> Void = {
            end.withLock { $0 = $0 ?? driver.time }
            held.stop()
        }
        await #expect(throws: CommandFailure.self) {
            try await held.takePlace().run { tag throws(TagError) in
                if isChange {
                    try await tag.writeNDEF(Self.message(700, of: 0xA5), verifying: true) { _, _ in stop() }
                } else {
                    stop()
                    _ = try await tag.readNDEF()
                }
            }
        }
        await held.close(TagError(.sessionInvalidated, "over"))
        // The exchange that is in progress ends.
        #expect(driver.time - (end.withLock { $0 } ?? .zero) <= limit + .seconds(3))
        #expect(driver.isClosed)
    }

    @Test func `that is held has no bounds while its session lasts`() async throws {
        let model = try VirtualTagModel.named("ntag216")
        let driver = PacedDriver(try model.makeTag(ndefMessage: Self.message(800)).inReader(), .seconds(3))
        let held = try #require(try await driver.hold(PollingOptions()))
        let result = try await held.takePlace().run { tag throws(TagError) in try await tag.readNDEF() }
        #expect(result.message == Self.message(800))
        #expect(driver.time > Self.most)
        await held.close(TagError(.sessionInvalidated, "over"))
    }

    /// A message of one record of unknown type.
    private static func message(_ count: Int, of byte: UInt8 = 0x5A) -> [UInt8] {
        let header: [UInt8] =
            count <= 258
            ? [0xD5, 0, UInt8(count - 3)]
            : [0xC5, 0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (count - 6) >> $0) }
        return header + Array(repeating: byte, count: count - header.count)
    }
}

/// A driver of one reader with a card, each exchange with which takes a time of a clock that otherwise stands still.
final class PacedDriver: ReaderDriver {
    let clock = TestClock()
    private let start: TestClock.Instant
    private let connection: PacedConnection

    init(_ card: any VirtualCard, _ pace: Duration) {
        start = clock.now
        connection = PacedConnection(ModelConnection(card), pace, clock)
    }

    /// The time that has passed.
    var time: Duration { start.duration(to: clock.now) }
    /// How many exchanges there were.
    var exchanges: Int { connection.count.withLock { $0 } }
    /// Whether the connection was closed.
    var isClosed: Bool { connection.isClosed.withLock { $0 } }

    /// Reads the tag as the background does.
    func read(on reader: VirtualReaderModel) async -> NDEFReading? {
        let description = ReaderDescription(
            id: Fixtures.desk.id, name: reader.readerName, profile: .profile(reader: reader.readerName))
        return await TagReading.perform(
            arrival, on: description, driver: self, PollingOptions(technologies: [.iso14443, .iso15693, .iso18092]),
            within: bounds)?.reading
    }

    /// Reads the tag as the background does, as long as it is wanted, and has it prove itself.
    func tap(_ interest: ReadingInterest, _ prover: any TagProver) async -> TagReading? {
        await TagReading.perform(
            arrival, on: Fixtures.desk, driver: self, PollingOptions(technologies: [.iso14443, .iso15693, .iso18092]),
            within: ReadingBounds(interest, clock: Stopwatch(clock)), prover: prover)
    }

    /// Connects to the tag as a session of kind tag does.
    func hold(_ options: PollingOptions) async throws(TagError) -> HeldTag? {
        try await HeldTag.connect(
            arrival, on: Fixtures.desk, driver: self, kind: .tag, options, permissions: { .everything }, within: bounds)
    }

    private var bounds: ReadingBounds { ReadingBounds(ReadingInterest(), clock: Stopwatch(clock)) }
    private var arrival: TagArrival { Fixtures.arrival(Fixtures.desk, 1) }

    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {}
    func refresh() async {}
    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection { connection }
    func cache(_ profile: ReaderProfile, of reader: ReaderID) {}
    func escape(_ command: [UInt8], to reader: ReaderID) async {}
    let hungReaders: [ReaderID] = []
}

/// A connection on which each exchange takes some time.
final class PacedConnection: CardConnection {
    private let connection: ModelConnection
    private let pace: Duration
    private let clock: TestClock
    let count = Mutex(0)
    let isClosed = Mutex(false)

    init(_ connection: ModelConnection, _ pace: Duration, _ clock: TestClock) {
        self.connection = connection
        self.pace = pace
        self.clock = clock
    }

    var answerToReset: [UInt8] { connection.answerToReset }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        count.withLock { $0 += 1 }
        clock.advance(by: pace)
        return try await connection.transmit(command)
    }

    func reconnect() async throws(CardChannelError) {
        clock.advance(by: pace)
        try await connection.reconnect()
    }

    func limited(to limit: Duration) -> any CardConnection { self }

    var sharing: (any TagSharing)? { nil }

    func close() async {
        isClosed.withLock { $0 = true }
        await connection.close()
    }
}

/// A card that announces one more byte with each response.
private struct EndlessCard: VirtualCard {
    let answerToReset = hex("3B80800101")
    let isPresent = true

    func powerOn() {}
    func powerOff() {}
    func reset() {}

    func transmit(_ apdu: [UInt8]) -> [UInt8] {
        apdu.starts(with: [0xFF, 0xCA]) ? hex("04A1B2C3D4E5F69000") : hex("006101")
    }
}
