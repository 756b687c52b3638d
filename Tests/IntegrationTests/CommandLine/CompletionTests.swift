import Foundation
import Testing

@testable import nfcctl

/// What bash proposes for the values of options and arguments, with the generated script.
@Suite(.timeLimit(.minutes(20)))
struct `The completion of values` {
    /// The proposals for the last word of a command line.
    private func proposals(
        _ line: [String], folder: String, environment: [String: String] = [:]
    ) async throws -> Set<String> {
        let generated = try await run([Programs.nfcctl, "--generate-completion-script", "bash"])
        #expect(generated.status == 0)
        let script = try Scratch()
        let file = try script.file("nfcctl.bash", generated.output.joined(separator: "\n") + "\n")
        let bash = """
            cd "$1" && source "$2" && shift 2
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
            _nfcctl nfcctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        var environment = environment
        // The script runs nfcctl for values that are known only now.
        let folderOfPrograms = Programs.nfcctl.split(separator: "/").dropLast().joined(separator: "/")
        environment["PATH"] = "/\(folderOfPrograms):/usr/bin:/bin"
        let finished = try await run(
            ["/bin/bash", "--norc", "--noprofile", "-c", bash, "bash", folder, file, "nfcctl"] + line,
            environment: environment)
        #expect(finished.errors.isEmpty, "\(finished.errors)")
        return Set(finished.output.filter { !$0.isEmpty })
    }

    /// The proposals for `--reader`. nfcctl waits only a short time for nfcd, which a busy machine may exceed.
    private func readers(
        _ line: [String], environment: [String: String] = [:]
    ) async throws -> Set<String> {
        for _ in 0..<30 {
            let found = try await proposals(line, folder: "/", environment: environment)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// A command line, and the proposals for its last word, separated by spaces.
    private static let lines: [(line: String, expected: String)] = [
        ("scan --kind ", "ndef tag"),
        ("watch --type f", "feliCa"),
        ("taps export --format ", "csv jsonl"),
        ("write --security ", "open wpa2"),
        ("write --action s", "save"),
        ("write --encoding ", "utf-16 utf-8"),
        ("virtual-tag --reader-model acr12", "acr122u acr1252u"),
        ("virtual-tag ntag21", "ntag210 ntag212 ntag213 ntag215 ntag216"),
        ("virtual-tag fi", "fido2"),
        ("write --each --report t", "tags.csv"),
        ("write --each --csv ", "folder tags.csv"),
        ("write --file c", "card.nfc"),
        ("write --tag-password-file c", "card.nfc"),
        ("dump --output c", "card.nfc"),
        ("ndef decode --file c", "card.nfc"),
        ("virtual-tag card", "card.nfc"),
        ("virtual-tag folder/", "folder/inner.nfc"),
    ]

    @Test(arguments: lines)
    func `proposes values, models and files`(line: String, expected: String) async throws {
        guard try await Programs.found(["bash"]) else { return }
        let scratch = try Scratch()
        for name in ["card.nfc", "tags.csv", ".hidden"] { _ = try scratch.file(name, "") }
        try FileManager.default.createDirectory(atPath: "\(scratch.path)/folder", withIntermediateDirectories: false)
        _ = try scratch.file("folder/inner.nfc", "")
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let found = try await proposals(words, folder: scratch.path).sorted()
        #expect(found == expected.split(separator: " ").map(String.init))
    }

    @Test func `proposes the readers of the running daemon`() async throws {
        guard try await Programs.found(["bash"]) else { return }
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let both: Set = ["simulated-0", "simulated-1"]
        for command in ["scan", "write", "watch", "virtual-tag"] {
            let environment = ["NFCD_SOCKET": daemon.socket]
            #expect(try await readers([command, "--reader", ""], environment: environment) == both)
        }
        let socket = ["scan", "--socket", daemon.socket]
        #expect(try await readers(socket + ["--reader", "simulated-1"]) == ["simulated-1"])
        await daemon.process.end()
        #expect(try await proposals(socket + ["--reader", ""], folder: "/").isEmpty)
    }

    @Test func `the socket of the command line is used for readers`() {
        #expect(ReaderCompletion(["nfcctl", "scan", "--socket", "/s", "--reader", ""], 5).socket == "/s")
        #expect(ReaderCompletion(["nfcctl", "scan", "--reader", "", "--socket", "/s"], 3).socket == "/s")
        #expect(ReaderCompletion(["nfcctl", "scan", "--socket", ""], 3).socket == nil)
        #expect(ReaderCompletion(["nfcctl", "scan", "--reader", "", "--socket"], 3).socket == nil)
        #expect(ReaderCompletion([], 0).socket == nil)
    }
}
