import NFCReaders
import NFCTags
import Testing
import VirtualTags

@testable import NFCSessions

@Suite(.timeLimit(.minutes(5))) struct `A held tag` {
    @Test func `says what it is and what is on it`() async throws {
        let (tag, _) = try await HeldTag.on(model: "ntag215", message: Fixtures.message)
        let description = try await tag.describe()
        #expect(description.productName == "NTAG215" && description.lockState == .unlocked)
        #expect(description.fields.contains { $0.label == "Originality signature" })
        let dump = try await tag.dump()
        #expect(dump.layout == .type2 && dump.blocks.count == 135)
        #expect(dump.blocks[4].bytes == [0x03, 0x10] + Fixtures.message.prefix(2))
    }

    @Test func `tells each step of a write`() async throws {
        let (tag, _) = try await HeldTag.on(model: "ntag213")
        try await tag.formatNDEF()
        let steps = StepLog()
        try await tag.writeNDEF(Fixtures.message, verifying: false) { steps.add($0, $1) }
        let log = steps.all
        #expect(log.count > 2 && log.last.map { $0.done == $0.total } == true)
        #expect(log.map(\.done) == Array(1...log.count))
    }

    @Test func `takes its password, and tells a wrong one from one of another length`() async throws {
        let (tag, _) = try await HeldTag.on(try LockedTag.card(Fixtures.message))
        #expect(await failure { _ = try await tag.authenticate(password: [1, 2, 3]) }?.code == .unsupportedFeature)
        #expect(await failure { _ = try await tag.authenticate(password: [9, 9, 9, 9]) }?.code == .tagResponseError)
        #expect(await failure { _ = try await tag.readNDEF() }?.code == .tagResponseError)
        #expect(try await tag.authenticate(password: LockedTag.password) == [0xA1, 0xA2])
        #expect(try await tag.readNDEF().message == Fixtures.message)
        try await tag.writeNDEF([0xD0, 0, 0], verifying: true)
    }

    @Test(arguments: [Fault.removeBefore, .removeDuring])
    func `never shows its password in an error`(fault: Fault) async throws {
        let card = FaultInjectingCard(try LockedTag.card(Fixtures.message), plan: FaultPlan(fault, at: 2))
        let (tag, connection) = try await HeldTag.on(card)
        let error = await failure { _ = try await tag.authenticate(password: LockedTag.password) }
        #expect(error?.code == .tagConnectionLost)
        #expect(error.map { "\($0)" }?.contains("01020304") == false)
        #expect(connection.log.last?.suffix(4) == [1, 2, 3, 4])
    }

    @Test func `of no known layout is not described, dumped or written`() async throws {
        let (_, connection) = try await HeldTag.on(model: "ntag213")
        let identity = TagIdentity(technology: .iso14443Part3(.a), identifier: [], atr: [])
        let tag = HeldTag(TagContact(identity: identity, connection: connection, profile: .generic))
        #expect(await failure { _ = try await tag.describe() }?.code == .unsupportedFeature)
        #expect(await failure { _ = try await tag.dump() }?.code == .unsupportedFeature)
        #expect(await failure { try await tag.formatNDEF() }?.code == .unsupportedFeature)
        #expect(try await tag.readNDEF().status == .notSupported)
    }
}
