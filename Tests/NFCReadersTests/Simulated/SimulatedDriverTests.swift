import NFCReaders
import NFCTags
import TestSupport
import Testing
import VirtualTags

@Suite(.timeLimit(.minutes(20))) struct `The simulated readers` {
    static let first = ReaderID(rawValue: "simulated-0")
    static let second = ReaderID(rawValue: "simulated-1")
    static let readBinary = hex("FFB0000410")
    /// `https://example.com`.
    static let message = hex("D1010C55046578616D706C652E636F6D")

    static func ntag215() throws -> VirtualReader {
        VirtualReader(tag: try VirtualTagModel.named("ntag215").makeTag(ndefMessage: message))
    }

    /// Runs a driver for as long as the body takes; the log starts behind the first listing.
    static func run(
        readers: Int = 1, _ body: @Sendable (SimulatedDriver, EventLog) async throws -> Void
    ) async throws {
        let (driver, log) = (SimulatedDriver(readers: readers, clock: TestClock()), EventLog())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await driver.run { log.add($0) } }
            defer { group.cancelAll() }
            _ = await log.next(1 + readers)
            try await body(driver, log)
        }
    }

    @Test func `are listed with their tags`() async throws {
        let (driver, log) = (SimulatedDriver(readers: 2), EventLog())
        _ = try driver.present(try Self.ntag215(), on: "simulated-1")
        let running = Task { await driver.run { log.add($0) } }
        #expect(
            await log.next(4) == ["attached simulated-0", "attached simulated-1", "available", "arrived simulated-1 1"])
        running.cancel()
        await running.value
        _ = try driver.present(try Self.ntag215(), on: nil)
        #expect(log.all.count == 4)
    }

    @Test func `have numbered names and ids`() async throws {
        let (driver, log) = (SimulatedDriver(readers: 1), EventLog())
        let running = Task { await driver.run { log.add($0) } }
        let description = ReaderDescription(
            id: Self.first, name: "Simulated Reader 0",
            technologies: [.iso14443, .iso15693, .iso18092])
        #expect(await log.next() == .attached(description))
        running.cancel()
    }

    @Test func `report arriving and leaving tags`() async throws {
        try await Self.run(readers: 2) { driver, log in
            let card = try Self.ntag215()
            let one = try driver.present(card, on: nil)
            let arrival = TagArrival(reader: Self.first, number: one.number, answerToReset: card.answerToReset)
            #expect(await log.next() == .tagArrived(arrival))
            let two = try driver.present(try Self.ntag215(), on: nil)
            #expect(two.reader == Self.second)
            #expect(driver.presentations == [one, two])
            #expect(driver.remove(one))
            #expect(!driver.remove(one))
            let three = try driver.present(try Self.ntag215(), on: "Simulated Reader 0")
            #expect(Set([one.number, two.number, three.number]).count == 3)
            #expect(await log.next(3) == ["arrived simulated-1 2", "left simulated-0", "arrived simulated-0 3"])
            #expect(driver.presentations == [three, two])
        }
    }

    static let refusals: [(taken: [String], wanted: String?, error: SimulatorError)] = [
        ([], "desk", .unknownReader("desk", known: [first, second])),
        ([], "", .unknownReader("", known: [first, second])),
        (["simulated-0"], "simulated-0", .readerTaken(first)),
        (["simulated-1"], "Simulated Reader 1", .readerTaken(second)),
        (["simulated-0", "simulated-1"], nil, .allReadersTaken),
    ]

    @Test(arguments: refusals)
    func `hold one tag each`(taken: [String], wanted: String?, error: SimulatorError) async throws {
        try await Self.run(readers: 2) { driver, log in
            for reader in taken { _ = try driver.present(try Self.ntag215(), on: reader) }
            let card = try Self.ntag215()
            #expect(throws: error) { try driver.present(card, on: wanted) }
            #expect(driver.presentations.count == taken.count)
        }
    }

    @Test func `are unplugged with their tag, and plugged in again`() async throws {
        try await Self.run(readers: 2) { driver, log in
            _ = try driver.present(try Self.ntag215(), on: "simulated-0")
            #expect(driver.unplug(Self.first) && !driver.unplug(Self.first))
            #expect(driver.presentations.isEmpty)
            #expect(throws: SimulatorError.unknownReader("simulated-0", known: [Self.second])) {
                try driver.present(try Self.ntag215(), on: "simulated-0")
            }
            #expect(try driver.present(try Self.ntag215(), on: nil).reader == Self.second)
            #expect(driver.plugIn(Self.first) && !driver.plugIn(Self.first))
            let expected = [
                "arrived simulated-0 1", "detached simulated-0", "arrived simulated-1 2", "attached simulated-0",
            ]
            #expect(await log.next(4) == expected)
        }
    }

    static let words: [(SimulatorError, String)] = [
        (
            .unknownReader("desk", known: [first, second]),
            "no simulated reader is named desk; available: simulated-0, simulated-1"
        ),
        (
            .unsupported(model: "acr122u", supportedBy: ["acr1552u", "generic"]),
            "readers of model acr122u do not support this tag; start nfcd with --simulator-model acr1552u or generic"
        ),
        (.readerTaken(first), "simulated-0 already has a virtual tag; remove it first"),
        (.allReadersTaken, "every simulated reader already has a virtual tag; remove one first"),
    ]

    @Test(arguments: words) func `describe errors`(error: SimulatorError, words: String) {
        #expect("\(error)" == words)
    }

    @Test func `connect, exchange and disconnect`() async throws {
        try await Self.run { driver, _ in
            let card = try Self.ntag215()
            _ = try driver.present(card, on: nil)
            let connection = try await driver.connect(to: Self.first)
            #expect(connection.answerToReset == card.answerToReset)
            #expect(try await connection.transmit(Self.readBinary).suffix(2) == hex("9000"))
            #expect(try await connection.transmit(hex("0000")).count == 2)
            await connection.close()
            // Without power.
            #expect(card.transmit(Self.readBinary) == hex("6F00"))
            await #expect(throws: CardChannelError.tagLost) { try await connection.transmit(Self.readBinary) }
        }
    }

    @Test func `reset a tag and stay connected`() async throws {
        try await Self.run { driver, _ in
            let card = VirtualReader(
                tag: try VirtualTagModel.named("ntag215").makeTag(), settings: .init(reactivatesAfterRefusal: false))
            let presentation = try driver.present(card, on: nil)
            let connection = try await driver.connect(to: Self.first)
            // There is no page FF: the tag refuses and is mute.
            #expect(try await connection.transmit(hex("FFB000FF10")) == hex("6300"))
            #expect(try await connection.transmit(Self.readBinary) == hex("6300"))
            try await connection.reconnect()
            #expect(try await connection.transmit(Self.readBinary).suffix(2) == hex("9000"))
            driver.remove(presentation)
            await #expect(throws: CardChannelError.tagLost) { try await connection.reconnect() }
            await connection.close()
        }
    }

    @Test func `behave like a model if configured`() async throws {
        for name in SimulatedDriver.modelNames {
            let driver = try #require(SimulatedDriver(readers: 1, modelNamed: name, clock: TestClock()))
            let log = EventLog()
            let running = Task { await driver.run { log.add($0) } }
            guard case .attached(let reader) = await log.next() else {
                Issue.record("no reader")
                return
            }
            #expect(await log.next() == .serviceAvailable)
            #expect(reader.name == (name == "generic" ? "Simulated Reader 0" : "Simulated \(name.uppercased()) 0"))
            #expect(name == "generic" || reader.profile != .generic)
            #expect(reader.isProfileKnown)
            let presentation = try driver.present(try VirtualTagModel.named("ntag216").makeTag(), on: nil)
            #expect(
                await log.next()
                    == .tagArrived(
                        TagArrival(
                            reader: Self.first, number: presentation.number,
                            answerToReset: hex("3B8F8001804F0CA0000003060300030000000068"))))
            running.cancel()
        }
        #expect(SimulatedDriver(readers: 1, modelNamed: "acr", clock: TestClock()) == nil)
    }

    @Test func `refuse a connection without a tag`() async throws {
        try await Self.run { driver, _ in
            await #expect(throws: CardChannelError.tagLost) { try await driver.connect(to: Self.first) }
            await #expect(throws: CardChannelError.readerFailed) { try await driver.connect(to: Self.second) }
        }
    }

    @Test func `lose a tag that is removed between two exchanges, even if another one arrives`() async throws {
        try await Self.run { driver, _ in
            let presentation = try driver.present(try Self.ntag215(), on: nil)
            let connection = try await driver.connect(to: Self.first)
            driver.remove(presentation)
            await #expect(throws: CardChannelError.tagLost) { try await connection.transmit(Self.readBinary) }
            _ = try driver.present(try Self.ntag215(), on: nil)
            await #expect(throws: CardChannelError.tagLost) { try await connection.transmit(Self.readBinary) }
            await connection.close()
            let again = try await driver.connect(to: Self.first)
            #expect(try await again.transmit(Self.readBinary).suffix(2) == hex("9000"))
            await again.close()
        }
    }

    /// A tag that leaves after an exchange has answered it.
    @Test(arguments: [(Fault.removeBefore, 2), (.removeDuring, 2), (.removeAfter, 1)])
    func `lose a tag that leaves before, during or after an exchange`(fault: Fault, exchange: Int) async throws {
        try await Self.run { driver, log in
            let card = FaultInjectingCard(try Self.ntag215(), plan: FaultPlan(fault, at: exchange))
            let presentation = try driver.present(card, on: nil)
            let connection = try await driver.connect(to: Self.first)
            #expect(try await connection.transmit(Self.readBinary).suffix(2) == hex("9000"))
            await #expect(throws: CardChannelError.tagLost) { try await connection.transmit(Self.readBinary) }
            await connection.close()
            #expect(await log.next(2) == ["arrived simulated-0 1", "left simulated-0"])
            #expect(driver.presentations == [])
            #expect(!driver.remove(presentation))
        }
    }

    @Test func `read the message of a tag`() async throws {
        try await Self.run { driver, log in
            _ = try driver.present(try Self.ntag215(), on: nil)
            guard case .tagArrived(let arrival) = await log.next() else {
                Issue.record("no arrival")
                return
            }
            let connection = try await driver.connect(to: arrival.reader)
            let identity = try await NFCTags.identify(atr: connection.answerToReset, channel: connection)
            #expect(identity.technology == .type2)
            #expect(identity.identifier.count == 7)
            let result = try await NFCTags.readNDEF(from: identity, channel: connection)
            #expect(result.status == .readWrite)
            #expect(result.message == Self.message)
            await connection.close()
        }
    }
}
