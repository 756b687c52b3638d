import Foundation
import TestSupport
import Testing

/// The files that nfcctl writes, where writing them fails half way.
@Suite(.timeLimit(.minutes(5))) struct `A file that cannot be written completely` {
    /// A command with a file at its end, and the request at which nfcd ends the connection; nil: it sends none.
    struct Output: CustomTestStringConvertible, Sendable {
        let command: String
        let lastRequest: String?

        var testDescription: String { command }
    }

    private static let outputs = [
        Output(command: "dump --force --output", lastRequest: "tag.dump"),
        Output(command: "read --record 1 --force --output", lastRequest: "tag.readNDEF"),
        Output(command: "taps export --force --output", lastRequest: "taps.list"),
        Output(command: "taps export --format csv --force --output", lastRequest: "taps.list"),
        Output(command: "ndef encode --text \(String(repeating: "x", count: 600)) --output", lastRequest: nil),
    ]

    /// An nfcd with a journal that has a tap, whose tag is still there.
    private static func daemonWithTap() async throws -> (JournalUnderTest, ChildProcess) {
        let daemon = try await JournalUnderTest(simulatedReaders: 1)
        let tag = try ChildProcess(
            [Programs.nfcctl, "virtual-tag", "ntag216", "--text", String(repeating: "x", count: 600)],
            environment: ["NFCD_SOCKET": daemon.socket])
        let stored = try await daemon.taps(["follow", "--after", "0", "--count", "1"])
        guard stored.status == 0 else { throw TestError("no tap was stored: \(stored)") }
        return (daemon, tag)
    }

    /// A folder with the file of an earlier run.
    private static func folder() throws -> (folder: Scratch, file: String) {
        let folder = try Scratch()
        return (folder, try folder.file("old.json", "the old file"))
    }

    private static func check(_ folder: Scratch, _ file: String) throws {
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "the old file")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["old.json"])
    }

    @Test func `is as it was before, on a full disk`() async throws {
        let (daemon, tag) = try await Self.daemonWithTap()
        for output in Self.outputs {
            let (folder, file) = try Self.folder()
            let script = "trap '' XFSZ; ulimit -f 0; exec \(Programs.nfcctl) \(output.command) \(file)"
            let finished = try await run(["sh", "-c", script], environment: ["NFCD_SOCKET": daemon.socket])
            #expect(finished.status == 74, "\(output.command): \(finished)")
            try Self.check(folder, file)
        }
        await tag.end(SIGINT)
        await daemon.end()
    }

    @Test func `is as it was before, when nfcd ends`() async throws {
        let (daemon, tag) = try await Self.daemonWithTap()
        for output in Self.outputs {
            guard let request = output.lastRequest else { continue }
            let (folder, file) = try Self.folder()
            let sockets = try Scratch()
            let proxy = try RecordingProxy(
                socket: "\(sockets.path)/s", daemon: daemon.socket, endingAt: request)
            let finished = try await run(
                ["sh", "-c", "exec \(Programs.nfcctl) \(output.command) \(file)"],
                environment: ["NFCD_SOCKET": proxy.socket])
            #expect(finished.status == 69, "\(output.command): \(finished)")
            try Self.check(folder, file)
        }
        await tag.end(SIGINT)
        await daemon.end()
    }

    @Test func `keeps its permissions and its link when it is replaced, and a device stays one`() async throws {
        let (daemon, tag) = try await Self.daemonWithTap()
        for output in Self.outputs {
            let (folder, file) = try Self.folder()
            #expect(chmod(file, 0o640) == 0)
            let link = "\(folder.path)/link.json"
            #expect(symlink(file, link) == 0)
            // A dump selects its format by the name of the file.
            for target in output.lastRequest == "tag.dump" ? [link] : [link, "/dev/null"] {
                let finished = try await run(
                    ["sh", "-c", "exec \(Programs.nfcctl) \(output.command) \(target)"],
                    environment: ["NFCD_SOCKET": daemon.socket])
                #expect(finished.status == 0, "\(output.command): \(finished)")
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o640 && attributes[.size] as? Int ?? 0 > 512)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
        }
        await tag.end(SIGINT)
        await daemon.end()
    }
}
