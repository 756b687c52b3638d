import NFCTags
import TestSupport
import Testing

@testable import NFCReaders

@Suite(.timeLimit(.minutes(20))) struct `A shared connection` {
    typealias Setup = `A reader's worker`.Setup

    @Test func `locks the tag during uses only`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        try await connection.sharing?.share(true)
        try await connection.sharing?.beginUse()
        _ = try await connection.transmit(hex("00A4"))
        await connection.sharing?.endUse()
        await connection.close()
        #expect(setup.hardware.calls == ["connect", "unlock", "lock", "transmit", "unlock", "disconnect"])
    }

    @Test func `stays locked from when it is not shared any more until it is shared again`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        try await connection.sharing?.share(true)
        try await connection.sharing?.share(false)
        try await connection.sharing?.beginUse()
        await connection.sharing?.endUse()
        #expect(setup.hardware.calls == ["connect", "unlock", "lock", "lock"])
        try await connection.sharing?.share(true)
        #expect(setup.hardware.calls.last == "unlock")
    }

    @Test func `is not unlocked during a use`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        try await connection.sharing?.share(true)
        try await connection.sharing?.beginUse()
        try await connection.sharing?.share(true)
        #expect(setup.hardware.calls == ["connect", "unlock", "lock"])
        await connection.sharing?.endUse()
        #expect(setup.hardware.calls == ["connect", "unlock", "lock", "unlock"])
    }

    @Test func `waits for another program to end its use`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        try await connection.sharing?.share(true)
        setup.hardware.locking(fails: Array(repeating: .busy, count: 3))
        async let used: Void? = connection.sharing?.beginUse()
        for _ in 0..<3 {
            await setup.clock.sleeping(for: .milliseconds(100))
            setup.clock.advance(by: .milliseconds(100))
        }
        _ = try await used
        #expect(setup.log.all == [])
    }

    @Test func `fails where the other program does not end its use, and works afterwards`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        try await connection.sharing?.share(true)
        setup.hardware.locking(fails: [.busy])
        await #expect(throws: CardChannelError.busy) {
            try await connection.limited(to: .milliseconds(50)).sharing?.beginUse()
        }
        try await connection.sharing?.beginUse()
        #expect(setup.log.all == [])
    }

    @Test func `fails once another program has reset the tag`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        try await connection.sharing?.share(true)
        setup.hardware.locking(fails: [.tagLost, .tagLost])
        await #expect(throws: CardChannelError.tagLost) { try await connection.sharing?.beginUse() }
        await #expect(throws: CardChannelError.tagLost) { try await connection.sharing?.share(false) }
    }

    @Test func `that was replaced changes nothing`() async throws {
        let setup = Setup()
        let replaced = try await setup.worker.connect()
        try await replaced.sharing?.share(true)
        _ = try await setup.worker.connect()
        await #expect(throws: CardChannelError.tagLost) { try await replaced.sharing?.beginUse() }
        await #expect(throws: CardChannelError.tagLost) { try await replaced.sharing?.share(false) }
        await replaced.sharing?.endUse()
        #expect(setup.hardware.calls == ["connect", "unlock", "connect"])
    }
}
