import Logging
import ServiceSupport
import Synchronization
import Testing

@testable import nfcd

@Suite struct `A message for the journal` {
    private func event(
        _ message: String, _ level: Logger.Level = .info, _ metadata: Logger.Metadata = [:]
    ) -> LogEvent {
        LogEvent(
            level: level, message: "\(message)", metadata: metadata, source: "nfcd", file: "nfcd/A.swift",
            function: "f()", line: 12)
    }

    private func text(_ event: LogEvent) -> String {
        String(decoding: JournalEntry(event, label: "nfcd").bytes, as: UTF8.self)
    }

    @Test func `has fields`() {
        let metadata: Logger.Metadata = ["session": "session-1", "reader": "desk", "e.rror": "x=y"]
        #expect(
            text(event("active", .notice, metadata)) == """
                MESSAGE=active
                PRIORITY=5
                SYSLOG_IDENTIFIER=nfcd
                CODE_FILE=nfcd/A.swift
                CODE_LINE=12
                CODE_FUNC=f()
                NFCD_E_RROR=x=y
                NFCD_READER=desk
                NFCD_SESSION=session-1

                """)
    }

    @Test func `may have several lines, which are preceded by their length`() {
        let bytes = JournalEntry(event("one\ntwo"), label: "nfcd").bytes
        let expected = Array("MESSAGE\n".utf8) + [7, 0, 0, 0, 0, 0, 0, 0] + Array("one\ntwo\nPRIORITY=6\n".utf8)
        #expect(bytes.starts(with: expected))
    }

    @Test func `cannot forge a field`() {
        let text = text(event("m", .info, ["a\nPRIORITY=0\nß": "b"]))
        #expect(text.contains("\nNFCD_A_PRIORITY_0___=b\n"))
        #expect(text.split(separator: "\n").count { $0.hasPrefix("PRIORITY=") } == 1)
    }

    @Test func `is cut between characters where it is too long`() {
        let long = event(
            "a" + String(repeating: "é", count: 100_000), .info, ["k": .string(String(repeating: "v", count: 5_000))])
        let lines = text(long).split(separator: "\n")
        #expect(lines.first?.utf8.count == "MESSAGE=".count + 48 * 1024 - 1)
        #expect(lines.first?.contains("\u{FFFD}") == false)
        #expect(lines.contains { $0 == "NFCD_K=" + String(repeating: "v", count: 1_024) })
    }

    @Test func `has a bounded number of fields`() {
        let metadata = Dictionary(uniqueKeysWithValues: (0..<500).map { ("k\($0)", Logger.MetadataValue.string("v")) })
        #expect(text(event("m", .info, metadata)).split(separator: "\n").count == 6 + 32)
    }

    static let severities: [(Logger.Level, Int32)] = [
        (.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2),
    ]

    @Test(arguments: severities) func `has the severity of syslog`(level: Logger.Level, number: Int32) {
        #expect(text(event("m", level)).contains("\nPRIORITY=\(number)\n"))
        #expect(PrefixedLines.text(level, "a\n\nb\r\nc") == "<\(number)>a\n<\(number)>b\n<\(number)>c\n")
    }

    @Test func `is sent in one datagram`() throws {
        let box = try DatagramBox()
        let event = event(String(repeating: "x", count: 500_000), .info, ["reader": "desk"])
        JournalSink(label: "nfcd", socket: box.path).write(event)
        #expect(box.next() == JournalEntry(event, label: "nfcd").bytes)
        #expect(box.next() == nil)
    }

    @Test func `goes there only if standard error is the journal`() {
        #expect(LogDestination(journalStream: "9:71", device: 9, inode: 71) == .journal)
        for other in ["9:72", "8:71", "9:71:1", "", "9"] {
            #expect(LogDestination(journalStream: other, device: 9, inode: 71) == .terminal)
        }
        #expect(LogDestination(journalStream: nil, device: 9, inode: 71) == .terminal)
    }
}

@Suite struct `The log` {
    /// Keeps what it is given.
    final class Sink: LogSink {
        let events = Mutex<[LogEvent]>([])
        func write(_ event: LogEvent) { events.withLock { $0.append(event) } }
    }

    @Test func `begins at the common level, and has all metadata`() {
        let (sink, level) = (Sink(), CommonLogLevel(.notice))
        var logger = Logger(label: "test") { _ in AdjustableLogHandler(sink, level) }
        logger[metadataKey: "a"] = "1"
        logger[metadataKey: "b"] = "1"
        logger.info("no")
        logger.notice("yes", metadata: ["b": "2"])
        level.level = .debug
        logger.debug("now")
        logger.logLevel = .error
        logger.warning("no more")
        let events = sink.events.withLock { $0 }
        #expect(events.map { "\($0.message)" } == ["yes", "now"])
        #expect(events.first?.metadata == ["a": "1", "b": "2"])
    }

    private struct Failure: Error, CustomStringConvertible { let description: String }

    @Test(arguments: [
        ("ended: no\n<0>nfcd: forged", "ended: no\\u{A}<0>nfcd: forged"), ("a\r\nb", "a\\u{D}\\u{A}b"),
        ("\u{1B}[2Jgone", "\\u{1B}[2Jgone"), ("\u{9B}2J", "\\u{9B}2J"), ("\u{7F}\u{0}", "\\u{7F}\\u{0}"),
        ("\u{2028}\u{2029}\u{85}", "\\u{2028}\\u{2029}\\u{85}"), ("\u{202E}txt", "\\u{202E}txt"),
        ("café \"x\" \\ 読", "café \"x\" \\ 読"),
    ])
    func `has no text that could look like another line or drive a terminal`(text: String, written: String) {
        let sink = Sink()
        let logger = Logger(label: "test") { _ in AdjustableLogHandler(sink, CommonLogLevel(.info)) }
        logger.error("\(text)", error: Failure(description: text), metadata: ["a": "\(text)"])
        let events = sink.events.withLock { $0 }
        #expect(events.map { "\($0.message)" } == [written])
        #expect(events.first?.metadata == ["a": .string(written), "error": .string(written)])
        #expect(events.first?.error == nil)
    }
}
