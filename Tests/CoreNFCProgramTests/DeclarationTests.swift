import CoreNFCTesting
import Testing

@testable import CoreNFC
@testable import corenfc_programs

/// What a program declares in its Info.plist and its entitlements.
@Suite(.timeLimit(.minutes(20)))
struct DeclarationTests {
    private typealias Configuration = NFCTagReaderSession.Configuration

    private static func list(_ content: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict>\(content)</dict></plist>"
    }

    private static func array(_ key: String, _ entries: [String]) -> String {
        "<key>\(key)</key><array>\(entries.map { "<string>\($0)</string>" }.joined())</array>"
    }

    private static let usage = "<key>NFCReaderUsageDescription</key><string>Opens doors.</string>"
    private static let names = "com.apple.developer.nfc.readersession.iso7816.select-identifiers"
    private static let systems = "com.apple.developer.nfc.readersession.felica.systemcodes"
    private static let formats = "com.apple.developer.nfc.readersession.formats"

    /// What two files come to, given by their dictionaries; nil: no file.
    private func declarations(information: String?, entitlements: String? = nil) throws -> ProgramDeclarations {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ content: String?) throws -> URL? {
            guard let content else { return nil }
            let url = folder.appendingPathComponent(name)
            try Data(Self.list(content).utf8).write(to: url)
            return url
        }
        return ProgramDeclarations(
            information: try file("Info.plist", information),
            entitlements: try file("App.entitlements", entitlements))
    }

    private func refusal(
        _ declarations: ProgramDeclarations, _ option: NFCTagReaderSession.PollingOption
    ) -> NFCReaderError? {
        do throws(NFCReaderError) {
            _ = try declarations.polling(by: Configuration(pollingOption: option))
            return nil
        } catch {
            return error
        }
    }

    @Test func `without files nothing is asked, and the daemon decides`() throws {
        let polling = try ProgramDeclarations.none.polling(
            by: Configuration(pollingOption: [.iso14443, .iso18092], iso7816SelectIdentifiers: ["A0000003080000"]))
        #expect(polling.options == [.iso14443, .iso18092] && polling.systemCodes == nil)
        #expect(polling.selectIdentifiers?.map(\.description) == ["A0000003080000"])
        let whole = try ProgramDeclarations.none.polling(by: Configuration(pollingOption: .iso14443))
        #expect(whole.selectIdentifiers == nil)
    }

    @Test func `lists come from the Info.plist, and a configuration narrows them, each entry once`() throws {
        let declared = try declarations(
            information: Self.usage + Self.array(Self.names, ["D2760000850101", "a0000003080000"])
                + Self.array(Self.systems, ["12FC", "88B4", "FF03", "1"]))
        let whole = try declared.polling(by: Configuration(pollingOption: [.iso14443, .iso18092]))
        #expect(whole.selectIdentifiers?.map(\.description) == ["D2760000850101", "A0000003080000"])
        #expect(whole.systemCodes?.map(\.description) == ["12FC", "88B4"])
        let narrow = try declared.polling(
            by: Configuration(
                pollingOption: .iso14443,
                iso7816SelectIdentifiers: ["A0000003080000", "A0000003080000", "A0000000999999"]))
        #expect(narrow.selectIdentifiers?.map(\.description) == ["A0000003080000"])
    }

    @Test func `what is missing is 2, and named`() throws {
        let table: [(ProgramDeclarations, NFCTagReaderSession.PollingOption, String)] = [
            (try declarations(information: ""), .iso14443, "NFCReaderUsageDescription"),
            (try declarations(information: Self.usage), .iso18092, Self.systems),
            (try declarations(information: nil, entitlements: ""), .iso14443, Self.formats),
            (try declarations(information: nil, entitlements: Self.array(Self.formats, ["TAG"])), .pace, "PACE"),
        ]
        for (declared, option, name) in table {
            let error = refusal(declared, option)
            #expect(error?.code == .readerErrorSecurityViolation)
            #expect((error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String)?.contains(name) == true)
        }
    }

    @Test func `a session for MIFARE tags needs no list of applications`() throws {
        let declared = try declarations(information: Self.usage, entitlements: Self.array(Self.formats, ["TAG"]))
        #expect(refusal(declared, .iso14443) == nil)
        #expect(throws: Never.self) { try declared.checkMessages() }
    }

    @Test(arguments: [
        "<key>NFCReaderUsageDescription</key><integer>1</integer>",
        "<key>com.apple.developer.nfc.readersession.felica.systemcodes</key><string>12FC</string>",
        "<key>", "</dict><array/>",
    ])
    func `a file that is wrong is 2, with the file`(_ content: String) throws {
        let error = refusal(try declarations(information: content), .iso14443)
        #expect(error?.code == .readerErrorSecurityViolation)
        #expect((error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String)?.contains("Info.plist") == true)
    }

    @Test func `a file that is named and not there is 2`() {
        let declared = ProgramDeclarations(
            environment: ["NFC_INFO_PLIST": "/nowhere/Info.plist"], executable: "/nowhere/app")
        #expect(refusal(declared, .iso14443)?.code == .readerErrorSecurityViolation)
        let usual = ProgramDeclarations(environment: [:], executable: "/nowhere/app")
        #expect(refusal(usual, .iso14443) == nil)
    }

    @Test func `a session of an app without its entitlement ends with 2 as it begins`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).entitlements")
        try Data(Self.list(Self.array(Self.formats, ["NDEF"])).utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withVirtualTag(.ntag213()) { _ in
            try await withDeclarations(entitlements: file) {
                let (tags, messages) = (SessionLog(), SessionLog())
                NFCTagReaderSession(pollingOption: .iso14443, delegate: tags)?.begin()
                #expect(await tags.happenings.next() == "over: 2")
                let session = NFCNDEFReaderSession(delegate: messages, queue: nil, invalidateAfterFirstRead: false)
                session.begin()
                #expect(await messages.happenings.next() == "active")
                session.invalidate()
                await messages.happenings.wait(for: "over: 200")
            }
        }
    }
}
