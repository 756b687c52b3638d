import NFCReaders
import NFCTags
import Testing
import VirtualTags

@testable import NFCSessions

@Suite(.timeLimit(.minutes(5))) struct `The blocks of a held MIFARE Classic` {
    static let transport = [UInt8](repeating: 0xFF, count: 6)

    @Test func `are read and written once their sector is open`() async throws {
        let (tag, _) = try await HeldTag.on(model: "mifare-classic-1k")
        #expect(await failure { _ = try await tag.readBlock(4) }?.detail == "sector 1 is not open")
        try await tag.authenticate(block: 4, key: Self.transport, type: .a)
        let content = [UInt8](1...16)
        try await tag.writeBlock(4, content, allowsTrailer: false)
        #expect(try await tag.readBlock(4) == content)
        #expect(await failure { _ = try await tag.readBlock(8) }?.detail == "sector 2 is not open")
    }

    @Test func `that hold keys are written only where that is allowed, and block 0 never`() async throws {
        let (tag, connection) = try await HeldTag.on(model: "mifare-classic-1k")
        try await tag.authenticate(block: 7, key: Self.transport, type: .a)
        let trailer = Self.transport + hex("FF078069") + Self.transport
        let count = connection.log.count
        #expect(
            await failure { try await tag.writeBlock(7, trailer, allowsTrailer: false) }?.code == .securityViolation)
        let useless = await failure {
            try await tag.writeBlock(7, [UInt8](repeating: 0, count: 16), allowsTrailer: true)
        }
        #expect(useless?.code == .securityViolation && connection.log.count == count)
        try await tag.writeBlock(7, trailer, allowsTrailer: true)
        try await tag.authenticate(block: 0, key: Self.transport, type: .a)
        #expect(await failure { try await tag.writeBlock(0, trailer, allowsTrailer: true) }?.code == .securityViolation)
    }

    @Test func `count, where the reader's commands for it are known`() async throws {
        let (tag, connection) = try await HeldTag.on(model: "mifare-classic-1k", reader: "ACS ACR122U PICC Interface")
        try await tag.authenticate(block: 4, key: Self.transport, type: .a)
        let five: [UInt8] = hex("05000000FAFFFFFF0500000004FB04FB")
        try await tag.writeBlock(4, five, allowsTrailer: false)
        try await tag.increment(4, by: 3)
        try await tag.decrement(4, by: 1)
        try await tag.copyValue(from: 4, to: 5)
        #expect(try await tag.readBlock(5).first == 7)
        let count = connection.log.count
        #expect(await failure { try await tag.increment(4, by: -1) }?.code == .unsupportedFeature)
        let generic = HeldTag(TagContact(identity: tag.identity, connection: connection, profile: .generic))
        try await generic.authenticate(block: 4, key: Self.transport, type: .a)
        #expect(await failure { try await generic.increment(4, by: 1) }?.code == .unsupportedFeature)
        #expect(connection.log.count == count + 2)
    }

    @Test(arguments: [-1, 64, Int.max, Int.min])
    func `that are not there are refused`(block: Int) async throws {
        let (tag, connection) = try await HeldTag.on(model: "mifare-classic-1k")
        let count = connection.log.count
        let errors = [
            await failure { try await tag.authenticate(block: block, key: Self.transport, type: .a) },
            await failure { _ = try await tag.readBlock(block) },
            await failure { try await tag.writeBlock(block, [], allowsTrailer: false) },
            await failure { try await tag.copyValue(from: block, to: block) },
        ]
        #expect(errors.allSatisfy { $0?.code == .unsupportedFeature } && connection.log.count == count)
        #expect(
            await failure { try await tag.authenticate(block: 0, key: [1], type: .a) }?.detail
                == "a key has 6 bytes, not 1")
    }

    @Test func `have to be opened anew after NDEF was looked for`() async throws {
        let (tag, _) = try await HeldTag.on(model: "mifare-classic-1k", message: Fixtures.message)
        #expect(try await tag.readNDEF().message == Fixtures.message)
        try await tag.authenticate(block: 4, key: hex("D3F7D3F7D3F7"), type: .a)
        #expect(try await tag.readBlock(4).contains(0x03))
        #expect(try await tag.readNDEF().message == Fixtures.message)
        #expect(await failure { _ = try await tag.readBlock(4) }?.detail == "sector 1 is not open")
    }
}
