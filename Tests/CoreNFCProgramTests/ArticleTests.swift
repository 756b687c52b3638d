import CoreNFCTesting
import Testing

/// What the articles "From an iPhone app's NFC file to the same file tested on Linux" and "Test an app with its own card" show.
@Suite(.timeLimit(.minutes(20)))
struct ArticleTests {
    @Test func `the link of a tag is read`() async throws {
        try await withVirtualTag(.ntag215(uri: "https://example.com")) { tag in
            let link = try await LinkReader().link()
            #expect(link?.absoluteString == "https://example.com")
        }
    }

    @Test func `without NFC the reader ends with the reason`() async throws {
        try await withoutNFC {
            let reader = LinkReader()
            await #expect(throws: NFCReaderError.self) { try await reader.link() }
        }
    }

    @Test func `the article holds the file as it is, and the tests without their imports`() throws {
        let article = try text("../../Sources/CoreNFC/CoreNFC.docc/FromIPhoneToLinux.md")
        let tests = try text("Programs/EndingExamples.swift").components(separatedBy: "import Testing\n\n")
        for code in [try text("Programs/LinkReader.swift"), try #require(tests.last)] {
            #expect(article.contains("```swift\n\(code)```\n"))
        }
    }

    @Test func `the article about cards holds its card as it is`() throws {
        let article = try text("../../Sources/CoreNFC/CoreNFC.docc/CardsForTests.md")
        #expect(article.contains("```swift\n\(try text("Support/Wallet.swift"))```\n"))
    }

    private func text(_ path: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func `a programmed card has its state`() async throws {
        let configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso14443, iso7816SelectIdentifiers: ["F0010203040506"])
        try await Bench.use(.card(applications: [Wallet()]), configuration) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            func send(_ code: UInt8, _ data: Data = Data()) async throws -> UInt16 {
                let (_, sw1, sw2) = try await card.sendCommand(
                    apdu: NFCISO7816APDU(
                        instructionClass: 0, instructionCode: code, p1Parameter: 0, p2Parameter: 0, data: data,
                        expectedResponseLength: 256))
                return UInt16(sw1) << 8 | UInt16(sw2)
            }
            var answers: [UInt16] = []
            answers.append(try await send(0x54))
            answers.append(try await send(0x20, Data("0000".utf8)))
            answers.append(try await send(0x20, Data("1234".utf8)))
            answers.append(try await send(0x54))
            #expect(answers == [0x6982, 0x63C2, 0x9000, 0x9000])
            #expect(bench.presented.application(Wallet.self)?.credits == 9)
        }
    }
}
