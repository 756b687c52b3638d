import Foundation
import TagRecordings
import Testing

@testable import nfcctl

/// `nfcctl support`.
@Suite(.timeLimit(.minutes(20)))
struct `The bundle for a report` {
    private func unpacked(_ path: String) async throws -> [String: String] {
        let list = try await run(["tar", "--list", "--file", path])
        #expect(list.status == 0, "\(list.errors)")
        var files: [String: String] = [:]
        for name in list.output {
            let content = try await run(["tar", "--extract", "--to-stdout", "--file", path, name])
            files[String(name.dropFirst("nfcd-support/".count))] = content.output.joined(separator: "\n")
        }
        return files
    }

    private static let names = [
        "README.txt", "versions.txt", "doctor.jsonl", "readers.jsonl", "metrics.txt", "usb.txt", "drivers.txt",
        "modules.txt",
        "polkit.txt", "nfcd.toml", "nfcd.log", "pcscd.log", "removed.txt",
    ]

    @Test func `a bundle has every file, and lists them before it is written`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let path = "\(daemon.scratch.path)/report.tar"
        let support = try await daemon.run("support", "--output", path)
        #expect(support.status == 0, "\(support.errors)")
        for name in Self.names { #expect(support.errors.contains { $0.contains("  \(name) (") }, "\(name)") }
        let files = try await unpacked(path)
        #expect(files.keys.sorted() == Self.names.sorted())
        for name in Self.names.dropFirst() { #expect(files["README.txt"]?.contains("\(name): ") == true, "\(name)") }
        #expect(files["readers.jsonl"]?.contains("simulated-0") == true)
        #expect(files["metrics.txt"]?.contains("# TYPE") == true)
        await daemon.process.end()
    }

    @Test func `a bundle is complete without a daemon`() async throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)/report.tar"
        let support = try await run([
            Programs.nfcctl, "support", "--output", path, "--socket", "\(scratch.path)/none",
        ])
        #expect(support.status == 0, "\(support.errors)")
        let files = try await unpacked(path)
        #expect(files.keys.sorted() == Self.names.sorted())
        #expect(files["readers.jsonl"]?.hasPrefix("error: ") == true)
        #expect(files["metrics.txt"]?.hasPrefix("error: ") == true)
    }

    @Test func `a recording with contents is refused, one without is added`() async throws {
        let scratch = try Scratch()
        let head = #"{"event":"recording","time":0,"version":1,"content":"#
        let socket = "\(scratch.path)/none"
        let with = try scratch.file("with.jsonl", head + "true}\n")
        let refused = try await run([
            Programs.nfcctl, "support", "--output", "\(scratch.path)/a.tar", "--recording", with, "--socket", socket,
        ])
        #expect(refused.status == 65)
        let without = try scratch.file("without.jsonl", head + "false}\n")
        let path = "\(scratch.path)/b.tar"
        let added = try await run([
            Programs.nfcctl, "support", "--output", path, "--recording", without, "--socket", socket,
        ])
        #expect(added.status == 0, "\(added.errors)")
        #expect(try await unpacked(path)["recording.jsonl"]?.contains("recording") == true)
    }

    @Test(arguments: [
        ("tag 04A1B2C3D4E580 on reader", "04A1B2C3D4E580"), ("tag 04:A1:B2:C3:D4:E5:80 left", "04:A1:B2"),
        (#"{"identifier":"A1B2C3D4"}"#, "A1B2C3D4"), ("reader ACS ACR122U (1A2B-XYZ77) 00 00", "XYZ77"),
        ("opened https://example.com/patient?4711", "example.com"), ("mail ann@example.org now", "ann@"),
        ("/srv/users/annika/nfcd.toml", "annika"), ("user annika connected", "annika"),
        ("no answer to FFD6000404D1010C55046578616D706C65", "D1010C5504"),
    ])
    func `identifiers, links and names are removed`(_ text: String, _ secret: String) {
        var redaction = SupportRedaction(names: ["annika"], serials: ["XYZ77"])
        let result = redaction.redacted(text)
        #expect(!result.contains(secret), "\(result)")
        #expect(redaction.counts.values.reduce(0, +) >= 1)
    }

    @Test func `equal identifiers stay equal within a bundle, and differ between bundles`() {
        var one = SupportRedaction(names: [], serials: [])
        var other = SupportRedaction(names: [], serials: [])
        let first = one.redacted("04A1B2C3D4E580")
        #expect(one.redacted("04:a1:b2:c3:d4:e5:80") == first)
        #expect(one.redacted("04A1B2C3D4E581") != first)
        #expect(other.redacted("04A1B2C3D4E580") != first)
    }

    @Test(arguments: [
        "socket-error: 100", "2026-11-28T21:08:35+0000 nfcd[712]: listening on /run/nfcd/nfcd.sock",
        "072f:2200 ACR122U", "simulated-0", "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Linux/libccid.so",
        "hotplug_libudev.c:294:get_driver() Looking for a driver for VID: 0x072F, PID: 0x2200",
        "org.debian.pcsc-lite.access_card", "nfcd_taps_total 12", "nfcd.service: started",
    ])
    func `what explains a fault stays`(_ text: String) {
        var redaction = SupportRedaction(names: ["annika"], serials: [])
        #expect(redaction.redacted(text) == text)
    }

    @Test(arguments: [
        ("user Anna-Maria connected", "anna"), ("/srv/users/anna-maria/x", "maria"), ("user j.r_doe: refused", "doe"),
        ("on bobs-laptop.home.example now", "bobs"), ("on BOBS-LAPTOP now", "LAPTOP"),
        ("reader AB-12.34_X plugged in", "12.34"),
        ("reader ab-12.34_x plugged in", "12.34"), ("see example.com/patient?4711", "patient"),
        ("see www.clinic.example", "clinic"),
        ("call tel:+4930123456", "30123456"), ("host=clinic.example:8883 refused", "clinic"), ("to mailto:ann", "ann"),
    ])
    func `names, serial numbers and links are compared as a whole`(_ text: String, _ secret: String) {
        var redaction = SupportRedaction(
            names: ["anna-maria", "j.r_doe", "bobs-laptop.home.example"], serials: ["AB-12.34_X"])
        let result = redaction.redacted(text)
        #expect(!result.lowercased().contains(secret.lowercased()), "\(result)")
        #expect(redaction.counts.values.reduce(0, +) == 1)
    }

    /// What pcscd writes with `--debug --apdu`, and what other drivers do.
    @Test(arguments: [
        ("APDU: FF CA 00 00 00", "APDU: FF CA 00 00 00"), ("SW: 90 00", "SW: 90 00"),
        ("APDU: FF 82 00 00 06 A0 A1 A2 A3 A4 A5", "APDU: FF 82 00 00 06 …"),
        ("SW: 00 11 22 33 44 55 90 00 ", "SW: … 90 00 "), ("-> 0x04, 0xA1, 0xB2, 0xC3, 0xD4 sent", "-> … sent"),
        ("Card ATR: 3B 8F 80 01 80 4F 0C", "Card ATR: 3B 8F 80 01 80 …"),
    ])
    func `rows of bytes keep the header of a command and the status word`(_ text: String, _ expected: String) {
        var redaction = SupportRedaction(names: [], serials: [])
        let line = "2026-11-28T21:08:35+0000 pcscd[712]: 00000012 winscard.c:1612 "
        #expect(redaction.redacted(line + text) == line + expected)
        #expect(redaction.counts[.identifier] == nil)
    }

    @Test(arguments: ["SW: 04 51 8D AA BB CC 80 90 00", "04-51-8d-aa-bb-cc-80", "UID 04518DAABBCC80"])
    func `a UID is the same word in every form`(_ text: String) {
        var redaction = SupportRedaction(names: [], serials: [])
        let word = redaction.redacted("04518DAABBCC80")
        #expect(redaction.redacted(text).contains(word))
        #expect(redaction.counts[.identifier] == 2)
    }

    private func redacted(_ lines: [String], names: [String] = []) throws -> (
        Recording, String, masked: Int, found: Int
    ) {
        let head = #"{"event":"recording","time":0,"version":1,"content":false}"#
        var redaction = SupportRedaction(names: names, serials: [])
        let result = redaction.redacted(try Recording(Array(([head] + lines).joined(separator: "\n").utf8)))
        return (
            try Recording(result.bytes), String(decoding: result.bytes, as: UTF8.self), result.maskedCount,
            result.identifierCount
        )
    }

    private static func arrival(_ atr: String) -> String {
        #"{"event":"arrive","time":1,"reader":"r","atr":"\#(atr)"}"#
    }

    private static func exchange(_ command: String, _ answer: String) -> String {
        #"{"event":"transmit","time":1,"reader":"r","command":"\#(command)","answer":"\#(answer)"}"#
    }

    private static let type2 = "3B8F8001804F0CA0000003060300030000000068"
    private static let feliCa = "3B8F8001804F0CA00000030603F011000000008A"
    private static let vicinity = "3B8F8001804F0CA0000003060B00140000000077"
    private static let classic = "3B8F8001804F0CA000000306030001000000006A"
    private static let card = "3B8180018080"

    @Test func `a UID is replaced in a recording wherever it is, with its check bytes`() throws {
        let (recording, text, masked, found) = try redacted([
            Self.exchange("FFCA000000", "046E11044D5A809000"), Self.exchange("FFB0000004", "046E11F3044D5A80939000"),
        ])
        #expect(found == 1 && masked == 0)
        for part in ["046E11", "044D5A80"] { #expect(!text.contains(part), "\(text)") }
        // What replaces it is a UID of the same maker, whose check bytes are right.
        let identifier = try #require(recording.visits.first?.identifier)
        #expect(identifier.count == 7 && identifier.first == 0x04)
        let page = try #require(recording.lines.last?.answer?.filled)
        #expect(page.prefix(3).elementsEqual(identifier.prefix(3)))
        #expect(page[3] == identifier.prefix(3).reduce(0x88, ^) && page[8] == identifier.dropFirst(3).reduce(0, ^))
    }

    /// A recording that began while a session held the tag has no FFCA0000.
    @Test(arguments: [
        (
            feliCa, [("FF00000009D44001060012FC0000", "D541001201012E4D5A80F1040D00F10000000143009000")],
            ["012E4D5A80F1040D"]
        ),
        (
            feliCa, [("FF00000015D440011206012E4D5A80F1040D010B000280008088", "D541000C07012E4D5A80F1040D01A19000")],
            ["012E4D5A80F1040D"]
        ),
        (
            vicinity,
            [
                (
                    "FFC20001135F460400101000950A222B375A214D100104E000",
                    "C003009000970F000F375A214D100104E000001B03019000"
                )
            ],
            ["375A214D1001", "01104D215A37"]
        ),
        (vicinity, [("FF0000000B22A204375A214D100104E0", "009000")], ["375A214D1001"]),
        (vicinity, [("FF00000003260100", "0000375A214D100104E09000")], ["375A214D1001"]),
        (
            card,
            [
                ("9060000000", "0401010104180591AF"), ("90AF000000", "0401010104180591AF"),
                ("90AF000000", "04512233445566BA4455667712219100"),
            ], ["04512233445566", "BA445566771221"]
        ),
        (type2, [("FF000000023000", "046E11F3044D5A8093480000E1101200 9000")], ["046E11", "044D5A80"]),
        (classic, [("FFB0000010", "5A3C08711F0804006263646566676869 9000")], ["5A3C0871", "6263646566676869"]),
    ])
    func `a UID is detected without GET DATA`(
        _ atr: String, _ exchanges: [(String, String)], _ secrets: [String]
    ) throws {
        let lines = exchanges.map { Self.exchange($0, $1.replacing(" ", with: "")) }
        let (_, text, masked, found) = try redacted([Self.arrival(atr)] + lines)
        #expect(found == 1 && masked == 0, "\(text)")
        for secret in secrets { #expect(!text.contains(secret), "\(text)") }
    }

    @Test(arguments: [
        (card, "00A4040007D276000085010100", "6F10840E325041592E5359532E44444630319000"),
        (type2, "FFB0000104", "044D5A809000"),
        (vicinity, "FF000000040220 0401", "00112233449000"),
    ])
    func `without a known UID all data of a visit is masked, and the bundle says so`(
        _ atr: String, _ command: String, _ answer: String
    ) throws {
        let (recording, _, masked, found) = try redacted([
            Self.arrival(atr), Self.exchange(command.replacing(" ", with: ""), answer),
        ])
        #expect(masked == 1 && found == 0)
        let line = try #require(recording.lines.last)
        #expect(line.masked == true)
        let hidden = line.command?.bytes.dropFirst(5).allSatisfy { $0 == nil }
        #expect(hidden == true && line.command?.bytes.prefix(5).contains(nil) == false)
        #expect(line.answer?.bytes.dropLast(2).allSatisfy { $0 == nil } == true)
        #expect(line.answer?.bytes.suffix(2).contains(nil) == false)
    }

    /// From a signature and the maker's key the UID that was signed can be computed.
    @Test(arguments: [
        (type2, "FF000000023C00", "A1B2C3D4E5F60718"),
        (type2, "FFC200010B5F46040010100095023C0000", "9708A1B2C3D4E5F60718"),
        (card, "903C0000010000", "A1B2C3D4E5F60718"), (vicinity, "FF0000000302BD04", "00A1B2C3D4E5F60718"),
    ])
    func `signatures are masked`(_ atr: String, _ command: String, _ answer: String) throws {
        let (_, text, masked, _) = try redacted([
            Self.arrival(atr), Self.exchange("FFCA000000", "046E11044D5A809000"),
            Self.exchange(command, answer + (command.hasPrefix("90") ? "9190" : "9000")),
        ])
        #expect(masked == 0)
        #expect(!text.contains("B2C3D4E5") && text.contains("********"), "\(text)")
    }

    @Test func `texts of a recording are redacted`() throws {
        let (_, text, _, _) = try redacted(
            [
                #"{"event":"reader","time":1,"reader":"r","name":"ACR122U (04A1B2C3D4E580)","technologies":["iso14443"]}"#,
                #"{"event":"failed","time":1,"reader":"r","reason":"/srv/users/anna-maria/nfc: denied"}"#,
                #"{"event":"end","time":1,"reason":"anna-maria stopped it"}"#,
            ], names: ["anna-maria"])
        for secret in ["04A1B2C3D4E580", "anna"] { #expect(!text.contains(secret), "\(text)") }
        #expect(text.contains("iso14443"))
    }

    @Test func `settings keep what is allowed, and lose their texts`() {
        let text = """
            # password = "commented-out"
            [journal]
            enabled = true
            path = "/srv/annika/journal"
            [[grant]]
            user = "annika"
            capabilities = ["read", "write"]
            applications = [
              "D2760000850101",
            ]
            timeout = 60
            secret-file = "/etc/nfcd/key"
            """
        var redaction = SupportRedaction(names: [], serials: [])
        let result = redaction.redacted(settings: text)
        for secret in ["commented-out", "/srv", "annika", "/etc/nfcd/key"] {
            #expect(!result.contains(secret), "\(result)")
        }
        for kept in ["enabled = true", #"capabilities = ["read", "write"]"#, "timeout = 60", "[[grant]]", "user = "] {
            #expect(result.contains(kept), "\(result)")
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `settings are read with any line end`(_ end: String) {
        var redaction = SupportRedaction(names: [], serials: [])
        let result = redaction.redacted(
            settings: ["[journal]", "path = \"/srv/annika\"", "enabled = true"].joined(separator: end))
        #expect(result == "[journal]\npath = \"…\"\nenabled = true")
    }

    @Test(arguments: [
        ("[journal] # of annika", "[journal]"), (#"level = "info" # annika's"#, #"level = "info""#),
        ("timeout = 60 # annika", "timeout = 60"), (#"capabilities = ["read", # annika"#, #"capabilities = ["read","#),
        ("capabilities = [\n  \"read\", # annika = 1\n]", "capabilities = [\n\"read\",\n]"),
        ("capabilities = [ \"read\"\nsecret = \"annika\"", "capabilities = [ \"read\"\n…"),
        ("users = [\n  \"annika\",\n]", "users = \"…\"\n…\n…"),
        ("users = [\n  \"annika = 5\",\n]", "users = \"…\"\n…\n…"),
        ("note = \"\"\"\nannika\nlevel = 5\n\"\"\"\nenabled = true", "note = \n…\n…\n…\nenabled = true"),
        (#"level = "info # annika"#, "level ="), (##"level = "#x""##, ##"level = "#x""##), (#"["annika's"]"#, "[…]"),
        (#""annika" = 5"#, "…"),
    ])
    func `settings lose their comments, and a value of several lines is one of its key`(
        _ text: String, _ expected: String
    ) {
        var redaction = SupportRedaction(names: [], serials: [])
        let result = redaction.redacted(settings: text)
        #expect(
            result.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                == expected.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
    }
}
