import ArgumentParser
import KeyStore
import NFCTypes
import SecureTags

/// `nfcctl secure check`: verifies the URL of an NTAG 424 DNA without a reader.
struct SecureCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify the URL of a tag without a reader.",
        discussion: """
            Verifies the code in a URL that an NTAG 424 DNA has written (SUN), by the profiles of the key file. With \
            --counters, each message counts once: its counter is stored in the file before the result is printed. Without it, \
            a copy of a message looks like the message. With -, the URLs are the lines of standard input.

            The result proves that the tag wrote the message after the ones before; not that the tag is here now. It exits with 0 \
            if every URL is proven, and with 65 otherwise.

            Examples:
              nfcctl secure check --counters door.counters 'https://ex.am/?p=…&c=…'
              nfcctl secure check --keys keys.toml --json - <urls
            """)

    @Argument(help: ArgumentHelp("The URL, or - for lines of standard input.", valueName: "url"))
    var url: String

    @OptionGroup var file: KeyFileOptions

    @Option(
        help: ArgumentHelp(
            "The file of the counters that were seen; it is made where it is missing.", valueName: "file"))
    var counters: String?

    @Flag(help: "Print one JSON object per URL.")
    var json = false

    /// The longest line of standard input: a tag holds less.
    private static let longestURL = 4096

    func run() async throws {
        let keys = try await file.read()
        let verifier = SUNVerifier(profiles: keys.profiles, keys: keys.ring)
        guard keys.profiles.contains(where: { $0.method == .sun }) else {
            Terminal.error("nfcctl: \(file.path.printable) has no [[profile]] with method = \"sun\"; add one")
            throw ExitCode.configuration
        }
        // All lines are read before the file of the counters is locked.
        let urls = try urls()
        let book = try counters.map { try CounterFile(path: $0) }
        var areAllProven = true
        for url in urls {
            let proof = try await verify(url, verifier, book)
            areAllProven = areAllProven && proof.isProven
            if json { Terminal.print(json: proof) } else { Terminal.print(text(of: proof)) }
        }
        if !areAllProven { throw ExitCode.badData }
    }

    private func urls() throws -> [String] {
        guard url == "-" else { return [url] }
        var lines: [String] = []
        while let line = readLine() {
            if !line.isEmpty { lines.append(String(line.prefix(Self.longestURL))) }
        }
        return lines
    }

    private func verify(_ url: String, _ verifier: SUNVerifier, _ book: CounterFile?) async throws -> TapProof {
        let found = await verifier.verify(url, counters: book?.book ?? CounterBook())
        guard let found else {
            return TapProof(.notProven, profile: "", reason: "the URL does not have the form of any profile")
        }
        guard let book else { return found.proof }
        return try book.settle(found)
    }

    private func text(of proof: TapProof) -> String {
        let tag = proof.identifier.map { " tag \($0)" } ?? ""
        let counter = proof.counter.map { " counter \($0)" } ?? ""
        let scope =
            switch (proof.isProven, proof.scope) {
            case (false, _): ""
            case (true, nil): " (no counters were compared: a copy of the URL looks the same)"
            case (true, _): " (new on this machine)"
            }
        return "\(proof.status.rawValue)\(tag)\(counter)\(scope)" + (proof.reason.map { ": \($0.printable)" } ?? "")
    }
}
