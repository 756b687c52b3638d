import Foundation
import Testing

/// `nfcctl secure check`, as a program: the URLs of an NTAG 424 DNA with UID 04A1B2C3D4E5F6 were computed by AN12196, §3.4 and AN10922.
@Suite(.timeLimit(.minutes(20))) struct `The command secure check` {
    private static let file = """
        [[key]]
        name = "meta"
        value = "9A10F00D5EED0123456789ABCDEF1357"
        [[key]]
        name = "file"
        value = "246813579BDFACE00FEEDC0FFEE5EED1"
        [[profile]]
        name = "web"
        tag = "ntag424"
        method = "sun"
        meta-key = "meta"
        file-key = "file"
        url = "https://ex.am/?p={picc}&c={mac}"
        """
    /// By counter.
    private static let urls = [
        1: "https://ex.am/?p=43B2C6B8B7BFD0C0B224F3B69B4096A1&c=917C1E23EA05F98E",
        2: "https://ex.am/?p=10FB499E3A64F9263720F3F204A0B3E4&c=42E6541482E40BCF",
        5: "https://ex.am/?p=295BA9400B84123F1BB36A128EB617D7&c=4BD078504E0CCAD7",
        9: "https://ex.am/?p=4D757288A4CDDEBB95E6C5CF543BF83E&c=8C5CB280BE559A7E",
    ]

    private let scratch: Scratch
    private let path: String
    private let counters: String

    init() throws {
        scratch = try Scratch()
        path = try scratch.file("keys.toml", Self.file)
        chmod(path, 0o600)
        counters = "\(scratch.path)/door.counters"
    }

    private func check(_ url: String, _ arguments: [String] = [], input: String = "") async throws -> Finished {
        let finished = try await run(
            [Programs.nfcctl, "secure", "check", url, "--keys", path] + arguments, input: input)
        for key in ["9A10F00D", "24681357"] {
            #expect(!(finished.output + finished.errors).joined().uppercased().contains(key))
        }
        return finished
    }

    private func url(_ counter: Int) throws -> String { try #require(Self.urls[counter]) }

    @Test func `a message is proven, and without counters the output says what is missing`() async throws {
        let finished = try await check(try url(5))
        #expect(finished.status == 0 && finished.errors == [])
        #expect(
            finished.output == [
                "proven tag 04A1B2C3D4E5F6 counter 5 (no counters were compared: a copy of the URL looks the same)"
            ], "\(finished.output)")
    }

    @Test func `with counters each message counts once, also for the next process`() async throws {
        let options = ["--counters", counters]
        let first = try await check(try url(5), options)
        #expect(first.status == 0 && first.output == ["proven tag 04A1B2C3D4E5F6 counter 5 (new on this machine)"])
        let again = try await check(try url(5), options)
        #expect(again.status == 65 && again.output.first?.hasPrefix("replayed tag 04A1B2C3D4E5F6") == true, "\(again)")
        #expect(try await check(try url(2), options).status == 65)
        // A gap is normal: the tag was read elsewhere.
        #expect(try await check(try url(9), options).status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: counters)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `counters stay in a file whose line ends an editor has changed`() async throws {
        let options = ["--counters", counters]
        for number in 1...2 { #expect(try await check(try url(number), options).status == 0) }
        let text = try String(contentsOfFile: counters, encoding: .utf8)
        try text.replacing("\n", with: "\r\n").write(toFile: counters, atomically: true, encoding: .utf8)
        #expect(try await check(try url(2), options).status == 65)
        #expect(try await check(try url(5), options).status == 0)
    }

    @Test func `lines of standard input are answered in order, as JSON`() async throws {
        let lines = try [1, 1, 2].map { try url($0) } + ["https://ex.am/?p=00&c=00", "https://else.where/"]
        let finished = try await check(
            "-", ["--json", "--counters", counters], input: lines.joined(separator: "\n") + "\n")
        #expect(finished.status == 65)
        let objects = try finished.output.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(
            objects.compactMap { $0["status"] as? String } == [
                "proven", "replayed", "proven", "notProven", "notProven",
            ], "\(finished.output)")
        #expect(objects[0]["identifier"] as? String == "04A1B2C3D4E5F6" && objects[0]["counter"] as? Int == 1)
        #expect(objects[0]["profile"] as? String == "web" && objects[0]["keyVersion"] as? Int == 1)
        #expect(objects[0]["scope"] as? String == "thisMachine" && objects[0]["method"] as? String == "sun")
    }

    @Test func `a message with another digit fails, and is not counted`() async throws {
        let url = try url(9)
        let finished = try await check(String(url.dropLast()) + "F", ["--counters", counters])
        #expect(finished.status == 65 && finished.output.first?.hasPrefix("failed") == true, "\(finished)")
        #expect(try await check(try self.url(1), ["--counters", counters]).status == 0)
    }

    @Test func `a damaged file of counters ends it with 65`() async throws {
        _ = try scratch.file("door.counters", "{\"no\":1}\n{\"no\":2}\n")
        let finished = try await check(try url(1), ["--counters", counters])
        #expect(finished.status == 65 && finished.output == [])
        #expect(finished.errors.first?.contains("line 1 of \(counters) is not a counter") == true, "\(finished.errors)")
    }

    @Test func `without a profile for messages it exits with 78, and without a key file with 66`() async throws {
        let plain = try scratch.file("plain.toml", "# no profile\n")
        chmod(plain, 0o600)
        let finished = try await run([Programs.nfcctl, "secure", "check", try url(1), "--keys", plain])
        #expect(finished.status == 78 && finished.errors.first?.contains("method = \"sun\"") == true, "\(finished)")
        let missing = try await run([
            Programs.nfcctl, "secure", "check", try url(1), "--keys", "\(scratch.path)/missing",
        ])
        #expect(missing.status == 66)
    }
}
