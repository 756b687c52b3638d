import CoreNFCTesting
import Synchronization
import Testing
import VirtualTags

@testable import corenfc_programs

/// Cards that a test programs: an app gets past its SELECT.
@Suite(.timeLimit(.minutes(20)))
struct ProgrammedCardTests {
    private static let wallet = "F0010203040506"

    private static func configuration(_ aids: [String]) -> NFCTagReaderSession.Configuration {
        NFCTagReaderSession.Configuration(pollingOption: .iso14443, iso7816SelectIdentifiers: aids)
    }

    private static func apdu(_ text: String) throws -> NFCISO7816APDU {
        try #require(NFCISO7816APDU(data: Data(hexadecimal: text)))
    }

    private static func check(_ text: String, _ answer: String, on card: any NFCISO7816Tag) async throws {
        let (data, sw1, sw2) = try await card.sendCommand(apdu: try apdu(text))
        #expect((data + [sw1, sw2]).hexadecimal == answer, "\(text)")
    }

    @Test func `a function answers the commands of an application`() async throws {
        let tag = TestTag.card(aid: Self.wallet) { command in
            command.instructionCode == 0x50 ? VirtualCardResponse(command.data.reversed()) : .instructionNotSupported
        }
        try await Bench.use(tag, Self.configuration([Self.wallet])) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            #expect(card.initialSelectedAID == Self.wallet)
            try await Self.check("0050000003010203", "0302019000", on: card)
            try await Self.check("0051000000", "6D00", on: card)
            let error = await #expect(throws: NFCReaderError.self) {
                try await card.sendCommand(apdu: try Self.apdu("00A4040006D27600012401")) as (Data, UInt8, UInt8)
            }
            #expect(error?.code == .readerErrorSecurityViolation)
        }
    }

    @Test func `UID, historical bytes, chains and long responses are those of the card`() async throws {
        let long = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let application = FunctionApplication(aid: Self.wallet) { command in
            command.instructionCode == 0x01 ? VirtualCardResponse(command.data) : VirtualCardResponse(long)
        }
        let tag = TestTag.card(
            identifier: Data([1, 2, 3, 4]), historicalBytes: Data("Wallet".utf8), applications: [application])
        try await Bench.use(tag, Self.configuration(["A0000005272101", Self.wallet])) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            #expect(card.identifier == Data([1, 2, 3, 4]) && card.historicalBytes == Data("Wallet".utf8))
            try await Self.check("10010000020102", "9000", on: card)
            try await Self.check("0001000002030400", "010203049000", on: card)
            let (data, sw1, sw2) = try await card.sendCommand(apdu: try Self.apdu("00020000000000"))
            #expect(data.count == 1000 && sw1 == 0x90 && sw2 == 0)
        }
    }

    @Test func `a card without a listed application is not delivered as one`() async throws {
        try await withVirtualTag(.card(aid: Self.wallet) { _ in .done }) { presented in
            let log = SessionLog()
            let session = NFCTagReaderSession(configuration: Self.configuration(["A0000005272101"]), delegate: log)
            session.begin()
            await log.happenings.wait(for: "active")
            presented.remove()
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
            #expect(log.tags.isEmpty)
        }
    }

    @Test func `a script gives recorded answers`() async throws {
        let tag = try TestTag.card(
            aid: Self.wallet, select: "6F009000", script: ["00B0000010": "01029000", "0084000008": "03049000"])
        try await Bench.use(tag, Self.configuration([Self.wallet])) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            try await Self.check("00A4040007\(Self.wallet)00", "6F009000", on: card)
            try await Self.check("0084000008", "03049000", on: card)
            try await Self.check("00B0000010", "01029000", on: card)
        }
    }

    @Test func `a command that is not in the script fails the test, and is named`() async throws {
        let tag = try TestTag.card(aid: Self.wallet, script: ["00B0000010": "01029000"])
        let error = await #expect(throws: TestTagError.self) {
            try await Bench.use(tag, Self.configuration([Self.wallet])) { bench in
                guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
                try await Self.check("00B0000011", "6D00", on: card)
            }
        }
        #expect(error?.description.contains("00B0000011 to \(Self.wallet)") == true)
        // What failed because of it is in the same error.
        let both = await #expect(throws: TestTagError.self) {
            try await Bench.use(tag, Self.configuration([Self.wallet])) { bench in
                guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
                try await Self.check("00B0000012", "6D00", on: card)
                throw CancellationError()
            }
        }
        #expect(both?.description.contains("00B0000012") == true)
        #expect(both?.description.contains("CancellationError") == true)
        await #expect(throws: CancellationError.self) {
            try await withVirtualTag(tag) { _ in throw CancellationError() }
        }
    }

    @Test func `a card that no card is like is refused when it is presented`() async throws {
        for (tag, reason) in [
            (TestTag.card(aid: "A000", answer: { _ in .done }), "\"A000\" is not an AID"),
            (.card(identifier: Data([1]), applications: []), "identifier"),
            (TestTag(try VirtualType4Card()).with(identifier: Data([1])), "cannot be changed"),
        ] {
            let error = await #expect(throws: TestTagError.self) { try await withVirtualTag(tag) { _ in } }
            #expect(error?.description.contains(reason) == true)
        }
    }

    @Test func `any virtual tag can be presented`() async throws {
        var model = try VirtualType2Tag(product: .ntag213, ndefMessage: [])
        model.activate()
        _ = model.exchange([0xA2, 0x20, 0xCA, 0xFE, 0xBA, 0xBE])
        try await Bench.use(TestTag(model), .iso14443) { bench in
            guard case .miFare(let tag) = bench.tag else { return bench.isOther() }
            #expect(tag.identifier == Data(model.identifier))
            let pages = try await tag.sendMiFareCommand(commandPacket: Data([0x30, 0x20]))
            #expect(pages.prefix(4) == Data([0xCA, 0xFE, 0xBA, 0xBE]))
        }
    }

    @Test func `the tag of a dump file can be presented`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("badge.json")
        let original = try VirtualTagModel.named("ntag215").makeTag(
            identifier: [4, 9, 8, 7, 6, 5, 4], ndefMessage: [0xD1, 1, 4, 0x55, 4, 0x61, 0x2E, 0x62])
        try Data(try TagImage(of: original).jsonFile().utf8).write(to: file)
        let tag = try TestTag(dump: file)
        #expect(tag.model == "badge.json")
        try await withVirtualTag(tag) { presented in
            #expect(presented.identifier == Data([4, 9, 8, 7, 6, 5, 4]))
            let link = try await LinkReader().link()
            #expect(link?.absoluteString == "https://a.b")
        }
        #expect(throws: TestTagError.self) { try TestTag(dump: folder.appendingPathComponent("none.json")) }
        try Data("{}".utf8).write(to: file)
        #expect(throws: TestTagError.self) { try TestTag(dump: file) }
    }
}

/// An app for one-time codes with the card it is made for.
@Suite(.timeLimit(.minutes(20)))
struct CodeReaderTests {
    private static let key = CodeApplication(
        pin: "123456",
        accounts: (0..<9).map { (name: "account \($0)@example.com", secret: 0x1234_5678 &+ UInt32($0) &* 0x0101_0101) })

    /// Runs the app once with a PIN on a key, and returns the key's application afterwards.
    private static func run(_ pin: String, on reader: TestReader, _ key: CodeApplication) async throws -> (
        happenings: [String], key: CodeApplication
    ) {
        let card = try reader.present(.card(historicalBytes: Data("Key".utf8), applications: [key]))
        let app = CodeReader(pin: pin)
        app.start()
        await app.happenings.wait(for: "over: 200")
        let after = try #require(card.application(CodeApplication.self))
        card.remove()
        return (app.happenings.all, after)
    }

    /// The declarations of such an app.
    private static func declared(_ body: () async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).plist")
        let plist: [String: Any] = [
            "NFCReaderUsageDescription": "Shows your codes.",
            "com.apple.developer.nfc.readersession.iso7816.select-identifiers": ["A000000308", "A0000005272101"],
        ]
        try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withDeclarations(infoPlist: file, body)
    }

    @Test func `shows its codes to the right PIN`() async throws {
        try await withVirtualReaders { readers in
            try await Self.declared {
                let (happenings, key) = try await Self.run("123456", on: readers[0], Self.key)
                #expect(
                    happenings.prefix(3) == [
                        "key A0000005272101 04781604781680", "version 050403", "account 0@example.com 707640",
                    ])
                #expect(happenings.count == 12 && happenings.last == "over: 200")
                #expect(key.triesLeft == 3)
            }
        }
    }

    @Test func `counts wrong PINs until it blocks`() async throws {
        try await withVirtualReaders { readers in
            try await Self.declared {
                var key = Self.key
                for expected in ["wrong PIN, 2 left", "wrong PIN, 1 left", "PIN blocked", "PIN blocked"] {
                    let run = try await Self.run("000000", on: readers[0], key)
                    #expect(run.happenings.dropFirst(2).first == expected)
                    key = run.key
                }
                let last = try await Self.run("123456", on: readers[0], key)
                #expect(last.happenings.contains("PIN blocked"))
            }
        }
    }

    @Test func `another card is not the key`() async throws {
        try await withVirtualReaders { readers in
            try await Self.declared {
                try readers[0].present(.ntag213())
                let app = CodeReader(pin: "123456")
                app.start()
                await app.happenings.wait(for: "not a key")
                readers[0].remove()
                try readers[0].present(.card(applications: [Self.key]))
                await app.happenings.wait(for: "over: 200")
                #expect(app.happenings.all.contains("version 050403"))
            }
        }
    }
}
