import Synchronization
import Testing
import TestSupport

@testable import VirtualTags

/// Faults at the n-th exchange.
@Suite struct FaultTests {
    static let read = hex("FF B0 00 04 04")
    static let write = hex("FF D6 00 04 04 01 02 03 04")

    /// A faulty card and the reader inside it, powered.
    static func card(_ plan: FaultPlan) throws -> (card: FaultInjectingCard, reader: VirtualReader) {
        let reader = VirtualReader(tag: try VirtualType2Tag.selected(.ntag215))
        let card = FaultInjectingCard(reader, plan: plan)
        card.powerOn()
        return (card, reader)
    }

    static func page4(_ reader: VirtualReader) -> String {
        let tag = reader.tag as? VirtualType2Tag
        return hex(tag?.memory.dropFirst(16).prefix(4) ?? [])
    }

    @Test func `without faults the card is the card inside`() throws {
        let (card, reader) = try Self.card(.none)
        #expect(card.answerToReset == reader.answerToReset)
        #expect(hex(card.transmit(Self.read)) == "0300FE009000")
        card.reset()
        #expect(hex(card.transmit(Self.write)) == "9000")
        card.powerOff()
        #expect(hex(card.transmit(Self.read)) == "6F00")
        #expect(card.isPresent)
    }

    struct Removal: Sendable {
        let fault: Fault
        let response: String
        let page4: String
    }

    static let removals: [Removal] = [
        Removal(fault: .removeBefore, response: "", page4: "0300FE00"),
        Removal(fault: .removeAmid(frames: 1), response: "", page4: "0300FE00"),
        Removal(fault: .removeDuring, response: "", page4: "01020304"),
        Removal(fault: .removeAfter, response: "9000", page4: "01020304"),
    ]

    @Test(arguments: removals) func `a tag is removed at its exchange and stays away`(row: Removal) throws {
        let (card, reader) = try Self.card(FaultPlan(row.fault, at: 2))
        #expect(hex(card.transmit(Self.read)) == "0300FE009000")
        #expect(card.isPresent)
        #expect(hex(card.transmit(Self.write)) == row.response)
        #expect(!card.isPresent)
        #expect(Self.page4(reader) == row.page4)
        card.powerOn()
        card.reset()
        #expect(card.transmit(Self.read) == [])
        #expect(!card.isPresent)
        // The reader inside lost its power with the removal and never got it back.
        #expect(hex(reader.transmit(Self.read)) == "6F00")
    }

    @Test(arguments: ["", "90", "6F 00", "00 01 02 03 90 00", "FF FF FF FF FF FF"])
    func `an answer is replaced by any bytes`(answer: String) throws {
        let (card, reader) = try Self.card(FaultPlan(.answer(hex(answer)), at: 1))
        #expect(card.transmit(Self.write) == hex(answer))
        #expect(card.isPresent)
        #expect(Self.page4(reader) == "01020304")
        #expect(hex(card.transmit(Self.read)) == "010203049000")
    }

    @Test func `a delay is waited for`() throws {
        let waited = Mutex<[Duration]>([])
        let plan = FaultPlan(.delay(.milliseconds(7)), at: 2).adding(.delay(.seconds(1)), at: 3)
        let card = FaultInjectingCard(VirtualReader(tag: try VirtualType2Tag(product: .ntag215)), plan: plan) {
            duration in
            waited.withLock { $0.append(duration) }
        }
        card.powerOn()
        for _ in 1...4 { _ = card.transmit(Self.read) }
        #expect(waited.withLock { $0 } == [.milliseconds(7), .seconds(1)])
    }

    @Test func `a recurring fault happens at every exchange, before those of that exchange`() {
        var plan = FaultPlan(.removeAfter, at: 2)
        plan.addToEveryExchange(.delay(.milliseconds(3)))
        #expect(plan.faults(at: 1) == [.delay(.milliseconds(3))])
        #expect(plan.faults(at: 2) == [.delay(.milliseconds(3)), .removeAfter])
    }

    @Test func `a delay takes real time`() throws {
        let (card, _) = try Self.card(FaultPlan(.delay(.milliseconds(30)), at: 1))
        let duration = ContinuousClock().measure { _ = card.transmit(Self.read) }
        #expect(duration >= .milliseconds(30))
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .nanoseconds(-1)]) func `a delay that is not positive has no effect`(
        delay: Duration
    ) throws {
        let (card, _) = try Self.card(FaultPlan(.delay(delay), at: 1))
        #expect(hex(card.transmit(Self.read)) == "0300FE009000")
    }

    @Test func `several faults at one exchange all happen`() throws {
        let plan = FaultPlan(.answer(hex("6A 82")), at: 1).adding(.removeAfter, at: 1)
        let (card, _) = try Self.card(plan)
        #expect(plan.faults(at: 1).count == 2)
        #expect(plan.faults(at: 2).isEmpty)
        #expect(hex(card.transmit(Self.read)) == "6A82")
        #expect(!card.isPresent)
    }

    @Test func `removal takes the field from the tag`() throws {
        let reader = VirtualReader(tag: try VirtualType2Tag(product: .ntag215), settings: .init(traceLimit: 8))
        let card = FaultInjectingCard(reader, plan: FaultPlan(.removeAfter, at: 1))
        card.powerOn()
        _ = card.transmit(Self.read)
        #expect(reader.trace.last == .fieldOff)
    }
}
