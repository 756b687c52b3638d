import NFCReaders
import NFCTags
import TestSupport
import Testing

@testable import NFCSessions

/// Tags of sessions that yield, which other programs may use between commands.
@Suite(.timeLimit(.minutes(20))) struct `The tag of a session that yields` {
    private func card(_ log: SharingLog) -> FakeCard {
        var card = FakeCard.card(application: hex("A0000006472F0001"))
        card.sharing = log
        return card
    }

    private func held(_ card: FakeCard) -> HeldTag {
        let identity = TagIdentity(technology: .iso14443Part4(.a), identifier: [], atr: [])
        let contact = TagContact(identity: identity, connection: FakeConnection(card) {}, profile: .generic)
        return HeldTag(contact, on: Fixtures.desk)
    }

    private func run(_ tag: HeldTag) async throws(CommandFailure) {
        try await tag.takePlace().run { tag throws(TagError) in _ = try await tag.sendCommand(hex("00010000")) }
    }

    /// The error of a command.
    private func failure(_ tag: HeldTag) async -> TagError? {
        do throws(CommandFailure) {
            try await run(tag)
            return nil
        } catch {
            switch error {
            case .failed(let error), .dropped(.refused(let error)): return error
            case .dropped(.cancelled): return nil
            }
        }
    }

    @Test func `is shared when the session receives it, and as the session then wants`() async throws {
        try await Desk.open { desk in
            let log = SharingLog()
            let session = try await desk.begin(SessionRequest(kind: .tag, yields: true))
            desk.driver.tap(card(log))
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            #expect(log.all == ["shared"])
            try await desk.coordinator.setYielding(false, of: session, by: desk.client.id)
            #expect(log.all == ["shared", "exclusive"])
            try await desk.coordinator.setYielding(true, of: session, by: desk.client.id)
            #expect(log.all == ["shared", "exclusive", "shared"])
        }
    }

    @Test(arguments: [true, false])
    func `is not shared where the session does not yield at that time`(begins: Bool) async throws {
        try await Desk.open { desk in
            let log = SharingLog()
            let session = try await desk.begin(SessionRequest(kind: .tag, yields: begins))
            try await desk.coordinator.setYielding(false, of: session, by: desk.client.id)
            desk.driver.tap(card(log))
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            #expect(log.all == [])
        }
    }

    @Test func `is used from the beginning of each command to its end`() async throws {
        let log = SharingLog()
        let tag = held(card(log))
        try await run(tag)
        #expect(log.all == [])
        await tag.share(true)
        try await run(tag)
        await tag.share(false)
        try await run(tag)
        #expect(log.all == ["shared", "use", "end", "exclusive", "use", "end"])
    }

    @Test func `is shared after the command that runs`() async throws {
        let log = SharingLog()
        let tag = held(card(log))
        try await tag.takePlace().run { _ throws(TagError) in
            await tag.share(true)
            #expect(log.all == [])
        }
        #expect(log.all == ["shared"])
    }

    @Test func `fails with 203 while another program uses it, and takes commands afterwards`() async throws {
        let log = SharingLog()
        let tag = held(card(log))
        await tag.share(true)
        log.fail(with: .busy)
        #expect(await failure(tag)?.code == .systemIsBusy)
        log.fail(with: nil)
        try await run(tag)
    }

    @Test func `takes no more commands after another program reset it`() async throws {
        let log = SharingLog()
        let tag = held(card(log))
        await tag.share(true)
        log.fail(with: .tagLost)
        #expect(await failure(tag)?.code == .tagConnectionLost)
        log.fail(with: nil)
        let refusal = await failure(tag)
        #expect(refusal?.code == .tagConnectionLost)
        #expect(refusal?.detail.contains("another program reset it") == true)
    }

    @Test func `is used for the reset at the end of the session`() async throws {
        let log = SharingLog()
        let tag = held(card(log))
        await tag.share(true)
        try await run(tag)
        await tag.close(TagError(.sessionInvalidated, "over"))
        #expect(log.all == ["shared", "use", "end", "use"])
    }
}
