import Foundation
import Testing

@testable import nfcctl

/// The output of nfcctl on a terminal, provided by script(1), and in a pipe.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `On a terminal` {
    private static let script = "/usr/bin/script"
    static let hasScript = ConditionTrait.enabled(
        if: FileManager.default.isExecutableFile(atPath: script), "\(script) provides the terminal")

    /// The unmodified output on a terminal with 60 columns.
    private func onTerminal(
        _ daemon: DaemonUnderTest, _ command: String, environment: [String: String] = [:]
    ) async throws -> String {
        let variables = ["NFCD_SOCKET": daemon.socket, "TERM": "xterm", "COLUMNS": "60", "NO_COLOR": ""]
        let finished = try await run(
            [Self.script, "--quiet", "--return", "--command", "\(Programs.nfcctl) \(command)", "/dev/null"],
            environment: variables.merging(environment) { $1 })
        #expect(finished.status == 0, "\(finished.output)")
        return finished.output.joined(separator: "\n")
    }

    @Test(hasScript) func `progress is one line that is erased afterwards, and is not shown in a pipe`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ntag216", "--uri", "https://example.com")
        let text = try await onTerminal(daemon, "dump")
        let progress = text.split(separator: "\n").filter { $0.contains("Reading: ") }
        #expect(progress.count == 1)
        #expect(progress.first?.contains("\r\u{1B}[KReading: ") == true)
        #expect(text.components(separatedBy: "\r\u{1B}[K").last?.contains("Reading: ") == false)
        let piped = try await daemon.run("dump")
        #expect(piped.errors.isEmpty)
        #expect(!piped.output.contains { $0.contains("Reading: ") || $0.contains("\u{1B}") })
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(hasScript) func `output on a dumb terminal has no control sequences`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ntag213", "--uri", "https://example.com")
        for command in ["dump", "readers", "doctor"] {
            let text = try await onTerminal(daemon, command, environment: ["TERM": "dumb"])
            #expect(!text.contains("\u{1B}"), "\(command)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(hasScript) func `tables fit the terminal, and there are colors unless NO_COLOR is set`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        for command in ["readers", "virtual-tag --list"] {
            let text = try await onTerminal(daemon, command)
            #expect(text.split(whereSeparator: \.isNewline).allSatisfy { $0.count <= 60 }, "\(command)")
        }
        #expect(try await onTerminal(daemon, "virtual-tag --list").contains("…"))
        #expect(try await onTerminal(daemon, "doctor").contains("\u{1B}[32mok"))
        #expect(!(try await onTerminal(daemon, "doctor", environment: ["NO_COLOR": "1"])).contains("\u{1B}["))
        let piped = try await daemon.run("virtual-tag", "--list")
        #expect(!piped.output.contains { $0.contains("…") })
        await daemon.process.end()
    }
}

/// The width, the colors and the tables of the output.
@Suite struct `The output style` {
    private func style(_ environment: [String: String], terminal: Bool = true, window: Int? = 100) -> OutputStyle {
        OutputStyle(isTerminal: terminal, environment: environment, window: window)
    }

    @Test func `has the width of the terminal, unless COLUMNS is set`() {
        #expect(style([:]).width == 100)
        #expect(style(["COLUMNS": "60"]).width == 60)
        #expect(style(["COLUMNS": "wide"]).width == 100)
        #expect(style(["COLUMNS": "0"]).width == 80)
        #expect(style(["COLUMNS": "99999999999999999999"], window: nil).width == 80)
    }

    @Test func `has neither width nor colors without a terminal`() {
        #expect(style(["COLUMNS": "60"], terminal: false) == .plain)
        #expect(OutputStyle.plain.paint("x", .red) == "x")
    }

    @Test func `has colors, unless NO_COLOR is set or the terminal is dumb`() {
        #expect(style(["TERM": "xterm"]).paint("x", .red) == "\u{1B}[31mx\u{1B}[0m")
        #expect(style(["NO_COLOR": ""]).hasColors)
        #expect(!style(["NO_COLOR": "1"]).hasColors)
        #expect(!style(["TERM": "dumb"]).hasColors)
    }

    static let rows = [
        ["usb-1", "inUse", "ACS ACR122U PICC Interface 00 00"], ["2", "failed (it does not answer)", "x"],
    ]

    @Test func `a table without a limit is not truncated`() {
        let lines = TextTable(rows: Self.rows).lines()
        #expect(lines[0] == "usb-1  inUse                        ACS ACR122U PICC Interface 00 00")
        #expect(lines[1] == "2      failed (it does not answer)  x")
    }

    @Test func `a table fits the terminal by truncating its widest cells`() {
        #expect(
            TextTable(rows: Self.rows).lines(width: 40) == [
                "usb-1  inUse            ACS ACR122U PIC…", "2      failed (it doe…  x",
            ])
        for width in 30...80 {
            #expect(TextTable(rows: Self.rows).lines(width: width).allSatisfy { TextLines.columns($0) <= width })
        }
    }

    @Test(arguments: [-5, 0, 1, 10])
    func `a table that cannot fit keeps a part of each column`(width: Int) {
        #expect(TextTable(rows: Self.rows).lines(width: width)[0] == "usb-1  inUse     ACS ACR…")
    }

    @Test func `wide characters occupy two columns`() {
        let lines = TextTable(rows: [["読取装置", "x"], ["abc", "y"]]).lines(width: 40)
        #expect(lines == ["読取装置  x", "abc       y"])
        #expect(TextTable(rows: []).lines(width: 40).isEmpty)
    }

    @Test func `findings are wrapped, and commands are not`() {
        let finding = Finding(
            check: "pcscd", verdict: .problem, summary: String(repeating: "word ", count: 12), detail: "why",
            fix: [String(repeating: "long", count: 30)])
        let report = DoctorReport(style: OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"], window: 50))
        let lines = report.lines(finding, checkColumns: 7)
        #expect(lines[0].hasPrefix("problem  pcscd    word word"))
        #expect(lines.dropLast().allSatisfy { $0.count <= 50 })
        #expect(lines.suffix(2).first?.hasSuffix("why") == true)
        #expect(lines.last?.hasSuffix("$ " + String(repeating: "long", count: 30)) == true)
    }
}
