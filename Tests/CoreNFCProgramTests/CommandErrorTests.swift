import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// Which error a command gets, and when.
@Suite(.timeLimit(.minutes(20)))
struct CommandErrorTests {
    @Test func `a tag that has left is a stale one, 104, once polling was restarted`() async throws {
        try await Bench.use(.ntag213(), .iso14443) { bench in
            let gone = Happenings()
            bench.session.onTagRemoval { _ in gone.note("gone") }
            bench.presented.remove()
            #expect(await gone.next() == "gone")
            func code() async -> Int? {
                let error = await #expect(throws: NFCReaderError.self) {
                    try await bench.session.connect(to: bench.tag)
                }
                return error?.errorCode
            }
            #expect(await code() == 100)
            bench.session.restartPolling()
            #expect(await code() == 104)
        }
    }

    @Test func `commands that come after the end was asked for get their 103 after those before it`() async throws {
        try await Bench.use(.ntag213(), .iso14443) { bench in
            guard case .miFare(let tag) = bench.tag else { return bench.isOther() }
            let answered = Happenings()
            for number in 0..<40 {
                if number == 20 { bench.session.invalidate() }
                tag.sendMiFareCommand(commandPacket: Data([0x30, 0x00])) { _, _ in answered.note("\(number)") }
            }
            await answered.wait(for: "39")
            #expect(answered.all == (0..<40).map { "\($0)" })
        }
    }

    @Test func `an empty packet is an error of length, whatever the tag`() async throws {
        func check(_ send: () async throws -> Data) async {
            let error = await #expect(throws: NFCReaderError.self) { try await send() }
            #expect(error?.code == .readerErrorInvalidParameterLength)
        }
        try await Bench.use(.ntag213(), .iso14443) { bench in
            guard case .miFare(let tag) = bench.tag else { return bench.isOther() }
            await check { try await tag.sendMiFareCommand(commandPacket: Data()) }
        }
        try await Bench.use(.feliCaLiteS(), .init(pollingOption: .iso18092, feliCaSystemCodes: ["12FC"])) { bench in
            guard case .feliCa(let tag) = bench.tag else { return bench.isOther() }
            await check { try await tag.sendFeliCaCommand(commandPacket: Data()) }
        }
    }
}

/// A session that runs on and on.
@Suite(.timeLimit(.minutes(20)))
struct ContinuousReaderTests {
    @Test func `tags are read one after another, each as often as it is found`() async throws {
        try await withVirtualReaders { readers in
            let reader = ContinuousReader()
            reader.start()
            await reader.happenings.wait(for: "ready")
            for link in ["https://a.b/1", "https://a.b/2", "https://a.b/3"] {
                try readers[0].present(.ntag213(uri: link))
                await reader.happenings.wait(for: link)
                readers[0].remove()
            }
            try readers[0].present(.ntag213(uri: "https://a.b/4"))
            for _ in 0..<3 { await reader.happenings.wait(for: "https://a.b/4") }
            reader.stop()
            await reader.happenings.wait(for: "over: 200")
            for tag in reader.tags { #expect(!tag.isAvailable) }
        }
    }
}
