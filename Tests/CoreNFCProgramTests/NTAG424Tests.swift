import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// An app that authenticates to NTAG 424 DNA, and speaks to it in plain, with MAC, and enciphered.
@Suite(.timeLimit(.minutes(20)))
struct NTAG424Tests {
    private static let zero = Data(count: 16)
    private static let secret = Data((0..<16).map { UInt8($0 * 7 + 3) })
    private static let configuration = NFCTagReaderSession.Configuration(
        pollingOption: .iso14443, iso7816SelectIdentifiers: ["D2760000850101"])

    /// A session with a tag; its application is selected, because the session looks for it.
    private static func use(
        _ tag: TestTag, _ body: @escaping (NTAG424Client, PresentedTag) async throws -> Void
    ) async throws {
        try await Bench.use(tag, configuration) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            try await body(NTAG424Client(card), bench.presented)
        }
    }

    private static func status(_ body: () async throws -> Void) async -> UInt16? {
        do {
            try await body()
            return nil
        } catch NTAG424Client.Failure.status(let status) {
            return status
        } catch {
            return 0
        }
    }

    @Test func `a key is proven, and the UID comes enciphered`() async throws {
        try await Self.use(.ntag424(keys: [1: Self.secret])) { client, presented in
            let before = await Self.status { _ = try await client.uid() }
            #expect(before == 0x91AE)
            try await client.authenticate(1, Self.secret)
            let uid = try await client.uid()
            #expect(uid == presented.identifier)
            let version = try await client.keyVersion(1)
            #expect(version == 0)
            let again = try await client.uid()
            #expect(again == uid)
        }
    }

    @Test func `a wrong key is refused by both sides`() async throws {
        try await Self.use(.ntag424()) { client, _ in
            let status = await Self.status { try await client.authenticate(2, Self.secret) }
            #expect(status == 0x91AE)
            try await client.authenticate(2, Self.zero)
            let missing = await Self.status { try await client.authenticate(5, Self.zero) }
            #expect(missing == 0x9140)
        }
    }

    @Test func `the proprietary file is read and written with its keys, enciphered`() async throws {
        let text = Data("Inspected 2026-11-22, gate 4.".utf8)
        try await Self.use(.ntag424(keys: [2: Self.secret])) { client, _ in
            try await client.authenticate(3, Self.zero)
            let settings = try await client.settings(of: 3)
            #expect(settings == Data([0x00, 0x03, 0x30, 0x23, 0x80, 0x00, 0x00]))
            try await client.write(3, 5, text, mode: .full)
            // Key 3 has the right to read as well: it is the one of read and write.
            let own = try await client.read(3, 5, text.count, mode: .full)
            #expect(own == text)
            try await client.authenticate(2, Self.secret, isFirst: false)
            let read = try await client.read(3, 0, 0, mode: .full)
            #expect(read.count == 128 && read.dropFirst(5).prefix(text.count) == text)
            let refused = await Self.status { try await client.write(3, 0, text, mode: .full) }
            #expect(refused == 0x91AE)
        }
    }

    @Test func `a file is changed to MAC, and what is not signed is refused`() async throws {
        let link = Data("link".utf8)
        try await Self.use(.ntag424()) { client, presented in
            try await client.authenticate(0, Self.zero)
            // MAC; read freely, written with key 1, changed with key 0.
            try await client.change(2, to: Data([0x01, 0x10, 0xE1]))
            try await client.authenticate(1, Self.zero)
            let plain = await Self.status { try await client.write(2, 0, link, mode: .plain) }
            #expect(plain == 0x917E || plain == 0x911E)
            try await client.authenticate(1, Self.zero)
            try await client.write(2, 100, link, mode: .mac)
            let signed = try await client.read(2, 100, link.count, mode: .mac)
            #expect(signed == link)
            #expect(presented.memory.range(of: link) != nil)
        }
    }

    @Test func `keys are changed, and the new ones are needed from then on`() async throws {
        try await Self.use(.ntag424()) { client, _ in
            try await client.authenticate(0, Self.zero)
            try await client.change(key: 4, from: Self.zero, to: Self.secret, version: 7)
            let version = try await client.keyVersion(4)
            #expect(version == 7)
            try await client.change(key: 0, from: Self.zero, to: Self.secret, version: 1)
            let old = await Self.status { try await client.authenticate(0, Self.zero) }
            #expect(old == 0x91AE)
            try await client.authenticate(0, Self.secret)
            try await client.authenticate(4, Self.secret, isFirst: false)
        }
    }
}
