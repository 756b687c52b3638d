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
        "072f:2200 ACR122U", "simulated-0", "nfcd_taps_total 12", "nfcd.service: started",
    ])
    func `what explains a fault stays`(_ text: String) {
        var redaction = SupportRedaction(names: ["annika"], serials: [])
        #expect(redaction.redacted(text) == text)
    }

    @Test func `a UID is replaced in a recording wherever it is, with its check bytes`() throws {
        let lines = [
            #"{"event":"recording","time":0,"version":1,"content":false}"#,
            #"{"event":"transmit","time":1,"reader":"r","command":"FFCA000000","answer":"046E11044D5A809000"}"#,
            #"{"event":"transmit","time":2,"reader":"r","command":"FFB0000004","answer":"046E11F3044D5A80939000"}"#,
        ]
        let redaction = SupportRedaction(names: [], serials: [])
        let (bytes, count) = redaction.redacted(try Recording(Array(lines.joined(separator: "\n").utf8)))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(count == 1)
        for part in ["046E11", "044D5A80"] { #expect(!text.contains(part), "\(text)") }
        // What replaces it is a UID of the same maker, whose check bytes are right.
        let recording = try Recording(bytes)
        let identifier = try #require(recording.visits.first?.identifier)
        #expect(identifier.count == 7 && identifier.first == 0x04)
        let page = try #require(recording.lines.last?.answer?.filled)
        #expect(page.prefix(3).elementsEqual(identifier.prefix(3)))
        #expect(page[3] == identifier.prefix(3).reduce(0x88, ^) && page[8] == identifier.dropFirst(3).reduce(0, ^))
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
}
