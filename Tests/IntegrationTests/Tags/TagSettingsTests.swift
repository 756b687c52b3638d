import Foundation
import Testing

/// `nfcctl password` and `nfcctl config`.
@Suite(.timeLimit(.minutes(20)))
struct `Settings of a tag` {
    private static let uid = "04010203040580"

    private func with(_ model: String, _ body: (DaemonUnderTest) async throws -> Void) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1252u")
        let tag = try await daemon.tap(model, "--uid", Self.uid, "--uri", "https://a.b/c")
        try await body(daemon)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    /// The records of the tag.
    private func records(_ daemon: DaemonUnderTest, _ options: String...) async throws -> [String] {
        let read = try await daemon.run(["read"] + options)
        #expect(read.status == 0, "\(read.errors)")
        return read.output.filter { $0.hasPrefix("  1  ") }.map { String($0.dropFirst(5)) }
    }

    @Test(arguments: ["ntag213", "ultralight-ev1-21"])
    func `a tag with a password is written with it alone, until it is removed`(model: String) async throws {
        try await with(model) { daemon in
            let key = try daemon.scratch.file("door.key", "5A06E7C8\n")
            let set = try await daemon.run(
                "password", "set", "--new-password-file", key, "--pack", "B1B2", "--yes")
            #expect(set.status == 0, "\(set.errors)")
            #expect(set.output.first?.hasSuffix("; it is needed from page 4 on, to write") == true, "\(set.output)")

            #expect(try await records(daemon) == ["URI https://a.b/c"])
            let refused = try await daemon.run("write", "--uri", "https://a.b/d")
            #expect(
                refused.status == 74 && refused.errors.joined().contains("need the tag's password"), "\(refused.errors)"
            )
            let wrong = try await daemon.run("write", "--uri", "https://a.b/d", "--tag-password", "00000000")
            #expect(wrong.status == 74 && wrong.errors.joined().contains("the password is not accepted"))
            let written = try await daemon.run("write", "--uri", "https://a.b/d", "--tag-password-file", key)
            #expect(written.status == 0, "\(written.errors)")

            let changed = try await daemon.run(
                "password", "change", "--tag-password-file", key, "--new-password", "C1D2E3F4", "--protect",
                "read-write", "--attempts", "3", "--yes", "--json")
            #expect(changed.status == 0, "\(changed.errors)")
            let event = changed.output.first ?? ""
            #expect(event.contains(#""event":"passwordSet""#) && event.contains(#""attempts":3"#), "\(event)")
            #expect(event.contains(#""protects":"readWrite""#) && !event.contains("C1D2E3F4"), "\(event)")
            #expect(try await daemon.run("read").status == 74)
            #expect(
                try await records(daemon, "--tag-password", "C1D2E3F4") == ["URI https://a.b/d"])

            let removed = try await daemon.run("password", "remove", "--tag-password", "C1D2E3F4")
            #expect(removed.status == 0, "\(removed.errors)")
            #expect(try await daemon.run("write", "--uri", "https://a.b/e").status == 0)
            let log = daemon.process.errors.all.joined(separator: "\n")
            #expect(log.contains("setting the password") && log.contains("removing the password"))
            #expect(!log.contains("C1D2E3F4") && !log.contains("5A06E7C8"))
        }
    }

    @Test func `a tag with an AES key is written with it alone, until it is removed`() async throws {
        try await with("ultralight-aes") { daemon in
            let key = try daemon.scratch.file("door.key", "000102030405060708090A0B0C0D0E0F\n")
            let other = "F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"
            let short = try await daemon.run("password", "set", "--new-password", "C1D2E3F4", "--yes")
            #expect(short.status == 74 && short.errors.joined().contains("has 16 bytes, not 4"), "\(short.errors)")
            let set = try await daemon.run(
                "password", "set", "--new-password-file", key, "--attempts", "50", "--yes")
            #expect(set.status == 0, "\(set.errors)")
            #expect(try await records(daemon) == ["URI https://a.b/c"])
            #expect(try await daemon.run("write", "--uri", "https://a.b/d").status == 74)
            let wrong = try await daemon.run("write", "--uri", "https://a.b/d", "--tag-password", other)
            #expect(wrong.status == 74 && wrong.errors.joined().contains("the key is not accepted"), "\(wrong.errors)")
            let written = try await daemon.run(
                "write", "--uri", "https://a.b/d", "--tag-password-file", key, "--verify")
            #expect(written.status == 0, "\(written.errors)")
            let info = try await daemon.run("info", "--tag-password-file", key)
            #expect(
                info.output.contains { $0.contains("AES key") && $0.contains("needed from page 4 on") },
                "\(info.output)")
            let changed = try await daemon.run(
                "password", "change", "--tag-password-file", key, "--new-password", other, "--protect", "read-write",
                "--yes")
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(try await daemon.run("read").status == 74)
            #expect(try await records(daemon, "--tag-password", other) == ["URI https://a.b/d"])
            #expect(try await daemon.run("password", "remove", "--tag-password", other).status == 0)
            #expect(try await daemon.run("write", "--uri", "https://a.b/e").status == 0)
            let log = daemon.process.errors.all.joined(separator: "\n")
            #expect(!log.contains(other) && !log.contains("00010203"))
        }
    }

    @Test func `a mirror is put where the message has room for it`() async throws {
        try await with("ntag213") { daemon in
            let none = try await daemon.run("config", "--mirror", "uid")
            #expect(none.status == 65 && none.errors.first?.contains("does not hold 00000000000000.") == true)
            let link = "https://ex.am/?t=00000000000000x000000"
            #expect(try await daemon.run("write", "--uri", link).status == 0)
            let twice = try await daemon.run("config", "--mirror", "counter", "--counter", "on")
            #expect(twice.status == 65 && twice.errors.first?.contains("more than once") == true, "\(twice.errors)")

            let set = try await daemon.run("config", "--mirror", "uid-counter", "--counter", "on", "--json")
            #expect(set.status == 0, "\(set.errors)")
            #expect(set.output.first?.contains(#""mirror":"uidAndCounter","mirrorByte":1,"mirrorPage":9"#) == true)
            let read = try await records(daemon).first ?? ""
            #expect(read.wholeMatch(of: /URI https:\/\/ex\.am\/\?t=04010203040580x00000[1-9]/) != nil, "\(read)")

            let off = try await daemon.run("config", "--mirror", "off", "--counter", "off")
            #expect(off.output.first?.hasSuffix("; counter off, no mirror") == true, "\(off.output)")
            #expect(try await records(daemon) == ["URI \(link)"])
            let placed = try await daemon.run("config", "--mirror", "uid", "--mirror-page", "9", "--mirror-byte", "1")
            #expect(placed.status == 0, "\(placed.errors)")
            #expect(try await records(daemon) == ["URI https://ex.am/?t=04010203040580x000000"])
        }
    }

    @Test func `a product without them is left unchanged`() async throws {
        try await with("ntag203") { daemon in
            for arguments in [
                ["password", "set", "--new-password", "C1D2E3F4", "--yes"], ["password", "remove"],
                ["config", "--counter", "on"],
            ] {
                let refused = try await daemon.run(arguments)
                #expect(refused.status == 74, "\(arguments)")
                #expect(refused.errors.joined().contains("NTAG203 has no password or settings"), "\(refused.errors)")
            }
        }
    }

    @Test(arguments: [
        (["password", "set", "--yes"], "give it with --new-password-file"),
        (["password", "set", "--new-password", "C1D2E3F4"], "confirm it with --yes"),
        (["password", "set", "--new-password", "0102", "--yes"], "requires 4 bytes"),
        (
            ["password", "set", "--new-password", "000102030405060708090A0B0C0D0E0F", "--attempts", "1024", "--yes"],
            "a number from 0 to 1023"
        ),
        (["password", "set", "--new-password", "C1D2E3F4", "--new-password-file", "k", "--yes"], "cannot be combined"),
        (["password", "set", "--new-password", "C1D2E3F4", "--attempts", "8", "--yes"], "a number from 0 to 7"),
        (["password", "set", "--new-password", "C1D2E3F4", "--pack", "00", "--yes"], "requires 2 bytes"),
        (["password", "set", "--new-password", "C1D2E3F4", "--protect", "read", "--yes"], "write"),
        (["password", "change", "--new-password", "C1D2E3F4", "--yes"], "give it with --tag-password-file"),
        (["read", "--tag-password-file", "a", "--tag-password-file", "b"], "name the kind of each"),
        (["read", "--tag-password", "01", "--tag-password-file", "b"], "name the kind of each"),
        (
            ["write", "--uri", "https://a.b", "--tag-password-file", "read=a", "--tag-password-file", "b"],
            "without a kind"
        ),
        (["dump", "--tag-password-file", "read=a", "--tag-password-file", "read=b"], "read password is given twice"),
        (
            ["info", "--tag-password-file", "read=a", "--tag-password-file", "b", "--tag-password-kind", "read"],
            "read password is given twice"
        ),
        (["read", "--tag-password-file", "read=-", "--tag-password-file", "write=-"], "can be given once"),
        (["read", "--tag-password-file", "read="], "names no password"),
        (["read", "--tag-password", "read=XY"], "requires bytes in hexadecimal"),
        (["read", "--tag-password-file", "read=a", "--tag-password-kind", "write"], "--tag-password-kind requires"),
        (["config"], "give --counter, --counter-value, --mirror"),
        (["config", "--counter", "on", "--mirror-page", "9"], "--mirror-page requires --mirror"),
        (["config", "--mirror", "uid", "--mirror-byte", "1"], "--mirror-byte requires --mirror-page"),
        (["config", "--mirror", "uid", "--mirror-page", "9", "--mirror-byte", "4"], "a number from 0 to 3"),
    ])
    func `a wrong option is refused before a tag is needed`(arguments: [String], message: String) async throws {
        let finished = try await run(
            [Programs.nfcctl] + arguments, environment: ["NFCD_SOCKET": "/nonexistent/nfcd.sock"])
        #expect(finished.status == 64)
        #expect(finished.errors.contains { $0.contains(message) }, "\(finished.errors)")
    }

    @Test func `the guide has commands that print what it shows`() async throws {
        let page = try Document("Docs/guides/tag-settings.md").split(at: "## ICODE SLIX2").0
        try await with("ntag213") { try await page.follow(on: $0, commands: 10) }
    }
}

extension Document {
    /// Runs the commands of a part of the guide, and compares what they print with what it shows.
    fileprivate func follow(on daemon: DaemonUnderTest, commands count: Int) async throws {
        let path = "\(Programs.directory):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        var printed: [String] = []
        for command in commands {
            let finished = try await IntegrationTests.run(
                ["sh", "-c", "cd \(daemon.scratch.path) && \(command)"],
                environment: ["NFCD_SOCKET": daemon.socket, "PATH": path])
            #expect(finished.status == 0, "\(command): \(finished.errors)")
            printed += finished.output
        }
        #expect(commands.count == count)
        let counted = printed.map { $0.replacing(#/x00000[0-9]$/#, with: "x00000n") }
        for block in blocks("") {
            for line in block.split(separator: "\n") {
                let expected = String(line).replacing(#/x00000[0-9]$/#, with: "x00000n")
                #expect(counted.contains(expected), "\(expected): \(printed)")
            }
        }
    }
}

/// With a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Settings of a tag through pcscd` {
    @Test(arguments: [
        ("ntag215", "acr122u", "C1D2E3F4"), ("ntag215", "acr1252u", "C1D2E3F4"),
        ("ultralight-aes", "acr122u", "F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"),
        ("ultralight-aes", "acr1252u", "F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"),
        ("ntag215", "acr1552u", "C1D2E3F4"), ("ultralight-aes", "acr1552u", "F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"),
    ])
    func `a password is set, needed and removed`(product: String, model: String, password: String) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tap(
            product, "--uri", "https://a.b/c", "--vpcd", "127.0.0.1:35963", "--reader-model", model)
        try await daemon.wait(for: "tagArrived")
        let set = try await daemon.run("password", "set", "--new-password", password, "--yes")
        #expect(set.status == 0, "\(set.errors)")
        #expect(try await daemon.run("write", "--uri", "https://a.b/d").status == 74)
        let written = try await daemon.run("write", "--uri", "https://a.b/d", "--tag-password", password, "--verify")
        #expect(written.status == 0, "\(written.errors)")
        #expect(try await daemon.run("password", "remove", "--tag-password", password).status == 0)
        #expect(try await daemon.run("write", "--uri", "https://a.b/e").status == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }
}

/// The passwords and settings of an ICODE SLIX2 behind a reader that sends ISO 15693 requests.
@Suite(.timeLimit(.minutes(20)))
struct `Settings of an ICODE SLIX2 on the command line` {
    /// An OpenPrintTag whose aux section begins with block 15.
    private static let spool = [
        "slix2", "--uid", "E004010801020304", "--mime", "application/vnd.openprinttag", "--data",
        "A10217" + "BF0800101903E81218BBFF" + "000000000000000000" + "BF001864FF" + "0000000000000000000000",
    ]

    private func with(reader: String = "acr1552u", _ body: (DaemonUnderTest) async throws -> Void) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: reader)
        let tag = try await daemon.tap(Self.spool)
        try await body(daemon)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `the guide has commands that print what it shows`() async throws {
        let page = try Document("Docs/guides/tag-settings.md").split(at: "## ICODE SLIX2").1
        try await with { try await page.follow(on: $0, commands: 7) }
    }

    @Test(arguments: ["acr1552u", "identiv"])
    func `a spool is protected in front of what a printer changes`(reader: String) async throws {
        try await with(reader: reader) { daemon in
            let key = try daemon.scratch.file("spool.key", "5A06E7C8\n")
            let set = try await daemon.run(
                "password", "set", "--new-password-file", key, "--before-page", "aux", "--yes")
            #expect(set.status == 0, "\(set.errors)")
            let words = "; its write password is needed for pages 0 to 14, to write"
            #expect(set.output.first?.hasSuffix(words) == true, "\(set.output)")

            let used = try await daemon.run("spool", "use", "25")
            #expect(used.status == 0, "\(used.errors)")
            let weight = ["spool", "set", "nominal_netto_full_weight=900"]
            let refused = try await daemon.run(weight)
            #expect(refused.status == 74 && refused.errors.joined().contains("needs the write password"), "\(refused)")
            #expect(refused.errors.last?.contains("--tag-password-file write=FILE") == true, "\(refused)")
            let wrong = try await daemon.run(weight + ["--tag-password", "00000000"])
            #expect(wrong.status == 74 && wrong.errors.joined().contains("not the write password"), "\(wrong)")
            let changed = try await daemon.run(weight + ["--tag-password-file", key])
            #expect(changed.status == 0, "\(changed.errors)")

            let info = try await daemon.run("info")
            #expect(
                info.output.contains { $0.hasPrefix("Passwords") && $0.contains("blocks 0–14 needs the write") },
                "\(info)")
            let again = try await daemon.run(
                "password", "change", "--tag-password-file", key, "--new-password", "C1D2E3F4", "--yes", "--json")
            let event = again.output.first ?? ""
            #expect(event.contains(#""endPage":15"#) && event.contains(#""kind":"write""#), "\(again)")
            #expect(!event.contains("C1D2E3F4"))
            let removed = try await daemon.run("password", "remove", "--tag-password", "C1D2E3F4")
            #expect(removed.status == 0, "\(removed.errors)")
            #expect(try await daemon.run(weight).status == 0)
            let log = daemon.process.errors.all.joined(separator: "\n")
            #expect(!log.contains("C1D2E3F4") && !log.contains("5A06E7C8"))
        }
    }

    @Test func `different read and write passwords are given at once, each by its kind`() async throws {
        try await with { daemon in
            let read = try daemon.scratch.file("read.key", "5A06E7C8\n")
            let write = try daemon.scratch.file("write.key", "C1D2E3F4\n")
            let both = ["--tag-password-file", "read=\(read)", "--tag-password-file", "write=\(write)"]
            let first = try await daemon.run(
                "password", "set", "--new-password-file", write, "--before-page", "aux", "--yes")
            #expect(first.status == 0, "\(first)")
            let second = try await daemon.run(
                "password", "set", "--new-password-file", read, "--kind", "read", "--before-page", "15", "--yes",
                "--tag-password-file", "write=\(write)")
            #expect(second.status == 0, "\(second)")
            let refused = try await daemon.run("read")
            #expect(refused.status == 74 && refused.errors.joined().contains("block 0 needs the read"), "\(refused)")
            #expect(refused.errors.last?.contains("--tag-password-file read=FILE") == true, "\(refused)")
            for arguments in [
                ["read"], ["info"], ["dump"], ["spool", "show"], ["spool", "set", "nominal_netto_full_weight=900"],
                ["config", "--eas", "on"], ["write", "--uri", "https://a.b/c", "--force"],
            ] {
                let done = try await daemon.run(arguments + both)
                #expect(done.status == 0, "\(arguments): \(done)")
            }
            let lock = ["config", "--lock", "bothPasswords", "--yes"]
            let unproven = try await daemon.run(lock + ["--tag-password-file", "write=\(write)"])
            #expect(unproven.status == 74 && unproven.errors.joined().contains("read password"), "\(unproven)")
            #expect(try await daemon.run(lock + both).status == 0)
            #expect(try await daemon.run(["read"] + both).status == 0)
            #expect(try await daemon.run(["password", "remove"] + both).status == 0)
            #expect(try await daemon.run("read").status == 0)
        }
    }

    @Test func `a password is changed by its kind`() async throws {
        try await with { daemon in
            let changed = try await daemon.run(
                "password", "change", "--kind", "privacy", "--tag-password", "0F0F0F0F", "--new-password", "C1D2E3F4",
                "--yes")
            #expect(changed.status == 0, "\(changed)")
            let set = try await daemon.run(
                "password", "set", "--kind", "read", "--new-password", "C1D2E3F4", "--yes")
            #expect(set.status == 0 && set.errors.first?.hasPrefix("Warning: Without the password") == true, "\(set)")
            #expect(set.output.contains { $0.contains("these pages cannot be read") }, "\(set)")
        }
    }

    @Test func `counter, AFI, EAS and locks are set`() async throws {
        try await with { daemon in
            let set = try await daemon.run("config", "--counter-value", "42", "--eas", "on", "--afi", "07")
            #expect(set.status == 0, "\(set.errors)")
            #expect(set.output.first?.hasSuffix("; counter 42, AFI 07, EAS on") == true, "\(set.output)")
            let locked = try await daemon.run("config", "--lock", "afi", "--yes")
            #expect(locked.output.first?.hasSuffix("locked permanently: afi") == true, "\(locked)")
            let refused = try await daemon.run("config", "--afi", "08")
            #expect(refused.status == 74, "\(refused)")
            #expect(refused.errors.joined().contains("the AFI of this ICODE SLIX2 is locked"), "\(refused)")
            let info = try await daemon.run("info")
            for row in ["Counter", "EAS", "Permanent locks"] {
                #expect(info.output.contains { $0.hasPrefix(row) }, "\(info)")
            }
            let log = daemon.process.errors.all.joined(separator: "\n")
            #expect(log.contains("permanent locks (afi)"))
        }
    }

    @Test func `privacy takes its password and a confirmation, and the tag is gone then`() async throws {
        try await with { daemon in
            #expect(try await daemon.run("config", "--privacy", "--yes").status == 64)
            let password = ["--tag-password", "0F0F0F0F", "--tag-password-kind", "privacy"]
            let asked = try await daemon.run(["config", "--privacy"] + password)
            #expect(asked.status == 64 && asked.errors.joined().contains("--yes"), "\(asked)")
            let hidden = try await daemon.run(["config", "--privacy", "--yes"] + password)
            #expect(hidden.status == 0, "\(hidden.errors)")
            #expect(hidden.output.first?.hasSuffix("hidden from readers") == true, "\(hidden.output)")
        }
    }

    @Test func `a reader without ISO 15693 requests is refused with its reason`() async throws {
        try await with(reader: "omnikey-5422") { daemon in
            for arguments in [
                ["password", "set", "--new-password", "5A06E7C8", "--yes"], ["config", "--eas", "on"],
                ["write", "--uri", "https://a.b/c", "--tag-password", "5A06E7C8"],
            ] {
                let refused = try await daemon.run(arguments)
                #expect(refused.status == 74, "\(refused)")
                #expect(refused.errors.joined().contains("sends ISO 15693 requests"), "\(refused)")
            }
        }
    }
}
