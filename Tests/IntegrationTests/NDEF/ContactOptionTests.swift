import Foundation
import Testing

/// Records for a phone, by option. The expected bytes are written by hand.
@Suite(.timeLimit(.minutes(20)))
struct `Options for calls, messages, places and contacts` {
    /// A URI record whose prefix has a code (NFC Forum URI RTD, 3.2.2): 05 is tel:, 06 is mailto:, 00 means that there is no prefix.
    private static func uri(_ code: UInt8, _ rest: String) -> String {
        let payload = [code] + Array(rest.utf8)
        return ([0xD1, 0x01, UInt8(payload.count), 0x55] + payload).map { String(format: "%02X", $0) }.joined()
    }

    @Test(arguments: [
        (["--tel", "+43 (1) 234-567"], uri(0x05, "+431234567")),
        (["--tel", "*100#"], uri(0x05, "*100%23")),
        (["--email", "ada@example.com"], uri(0x06, "ada@example.com")),
        (
            ["--email", "ada@example.com", "--subject", "Tür & Tor", "--body", "a=b?"],
            uri(0x06, "ada@example.com?subject=T%C3%BCr%20%26%20Tor&body=a%3Db%3F")
        ),
        (["--sms", "112"], uri(0x00, "sms:112")),
        (["--sms", "+43 1", "--body", "On my way"], uri(0x00, "sms:+431?body=On%20my%20way")),
        (["--geo", "48.2, 16.37"], uri(0x00, "geo:48.2,16.37")),
        (["--geo=-33.5,-70"], uri(0x00, "geo:-33.5,-70")),
    ])
    func `each option adds its bytes`(arguments: [String], bytes: String) async throws {
        let finished = try await run([Programs.nfcctl, "ndef", "encode"] + arguments)
        #expect(finished.status == 0 && finished.output == [bytes], "\(finished)")
    }

    @Test func `a contact is a vCard 3.0`() async throws {
        let finished = try await run([
            Programs.nfcctl, "ndef", "encode", "--contact", "Ada King Lovelace", "--contact-tel", "+43 1 23",
            "--contact-email", "ada@example.com", "--contact-url", "https://ada.example", "--contact-org", "A; B",
            "--binary",
        ])
        let text = finished.output.joined(separator: "\n")
        for line in [
            "text/vcard", "BEGIN:VCARD", "VERSION:3.0", "FN:Ada King Lovelace", "N:Lovelace;Ada King;;;", "TEL:+43123",
            "EMAIL:ada@example.com", "URL:https://ada.example", "ORG:A\\; B", "END:VCARD",
        ] {
            #expect(text.contains(line), "\(line) in \(text)")
        }
    }

    @Test(arguments: [
        (["--tel", "call me"], "--tel requires a telephone number"),
        (["--tel", ""], "--tel requires a telephone number"),
        (["--email", "ada"], "--email requires a mail address"),
        (["--email", "a b@example.com"], "--email requires a mail address"),
        (["--geo", "91,0"], "--geo requires latitude and longitude"),
        (["--geo", "1,2,3"], "--geo requires latitude and longitude"),
        (["--contact", " "], "--contact requires a name"),
        (["--subject", "x"], "--subject must follow --email or --sms"),
        (["--sms", "1", "--subject", "x"], "--subject must follow --email"),
        (["--tel", "1", "--body", "x"], "--body must follow --email or --sms"),
        (["--contact-tel", "1"], "--contact-tel must follow --contact"),
    ])
    func `an invalid value is refused with what is valid`(arguments: [String], text: String) async throws {
        let finished = try await run([Programs.nfcctl, "ndef", "encode"] + arguments)
        #expect(finished.status == 64 && finished.errors.joined().contains(text), "\(finished)")
    }
}

/// What `nfcctl read` does with a message, with programs of the test instead of xdg-open and qrencode.
@Suite(.timeLimit(.minutes(20)))
struct `Reading for a phone or a browser` {
    /// Prints its arguments and its input. The shell has no other command: PATH is the directory of the test.
    private static let qrencode = ["qrencode": #"IFS= read -r line || :; echo "$* $line""#]

    /// Runs `nfcctl read` with an option, on a tag with this content.
    private func read(_ option: String, _ content: [String], programs: [String: String]) async throws -> Finished {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        for (name, script) in programs {
            // Written by another process: a child of this one that starts meanwhile would keep the file open for writing,
            // and such a file cannot be executed.
            let file = "\(daemon.scratch.path)/\(name)"
            let source = "#!/bin/sh\n\(script)\n"
            _ = try await run(["sh", "-c", #"cat >"$1" && chmod 755 "$1""#, "sh", file], input: source)
        }
        let tag = try await daemon.tap(["ntag216"] + content)
        let finished = try await run(
            [Programs.nfcctl, "read", option], environment: ["NFCD_SOCKET": daemon.socket, "PATH": daemon.scratch.path])
        await tag.end(SIGINT)
        await daemon.process.end()
        return finished
    }

    @Test(arguments: ["https://example.com/?a=$(id)&b='c'", "tel:1", "mailto:a@b.c", "geo:1,2"])
    func `the first URI is opened, unchanged`(uri: String) async throws {
        let finished = try await read(
            "--open", ["--text", "x", "--uri", uri], programs: ["xdg-open": #"printf 'opened %s, %s\n' "$#" "$1""#])
        #expect(finished.status == 0 && finished.output.last == "opened 1, \(uri)", "\(finished)")
    }

    @Test(arguments: [
        (["--uri", "file:///etc/passwd"], "was not opened: only https, http"),
        (["--uri", "javascript:alert(1)"], "was not opened"),
        (["--uri", "mailto:a@b.c?attach=/etc/passwd"], "its field attach is not one of"),
        (["--text", "https://example.com"], "the message has no URI to open"),
    ])
    func `nothing else is opened`(content: [String], text: String) async throws {
        let finished = try await read("--open", content, programs: ["xdg-open": "echo opened"])
        #expect(finished.status == 65 && finished.errors.joined().contains(text), "\(finished)")
        #expect(!finished.output.contains("opened"))
    }

    @Test(arguments: [
        (["--uri", "https://example.com"], "https://example.com"), (["--text", "Grüß Gott"], "Grüß Gott"),
    ])
    func `a QR code is made of the first record that a phone understands`(content: [String], text: String) async throws
    {
        let finished = try await read("--qr", content, programs: Self.qrencode)
        #expect(finished.output.last == "-t ANSIUTF8 -o - \(text)", "\(finished)")
    }

    @Test(arguments: [("--qr", "apt install qrencode"), ("--open", "apt install xdg-utils")])
    func `a missing program is named with its package`(option: String, text: String) async throws {
        let finished = try await read(option, ["--uri", "https://example.com"], programs: [:])
        #expect(finished.status == 69 && finished.errors.joined().contains(text), "\(finished)")
    }
}
