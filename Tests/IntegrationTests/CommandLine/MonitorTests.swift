import Foundation
import NFCClient
import NFCProtocol
import Testing

@testable import nfcctl

/// `nfcctl monitor` with a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `The monitor with a real pcscd` {
    /// A line of `nfcctl monitor --json`, with the fields that the tests use.
    struct Line: Decodable {
        let event: String
        let reader: String?
        let session: String?
        let code: Int?
        let tag: ScanLine.Tag?
        let messages: [ScanLine.Message]?
    }

    static func next(_ monitor: ChildProcess) async throws -> Line {
        guard let line = await monitor.output.next() else { throw TestError("monitor ended: \(monitor.errors.all)") }
        return try JSONDecoder().decode(Line.self, from: Data(line.utf8))
    }

    @Test func `shows a background tap once, and sessions that begin and end`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let monitor = try daemon.start("monitor", "--json")
        #expect(try await Self.next(monitor).event == "started")
        let tag = try await daemon.tap(
            "ntag215", "--uri", "https://example.com/door", "--vpcd", `With a real pcscd`.vpcd)
        #expect(try await Self.next(monitor).event == "reader.tagArrived")
        let tap = try await Self.next(monitor)
        #expect(tap.event == "background.didReadTag")
        #expect(tap.reader == "virtual-pcd-0")
        #expect(tap.tag?.type == "miFare" && tap.tag?.identifier.count == 14)
        #expect(tap.messages?.first?.records.first?.decoded?.uri == "https://example.com/door")

        // The tag stays on the reader: the session detects it again, but there is no further background tap afterwards.
        let scan = try await daemon.startScan("--count", "1")
        #expect(try await scan.output.nextScanLine().uri == "https://example.com/door")
        #expect(await scan.status() == 0)
        let began = try await Self.next(monitor)
        #expect(began.event == "session.began")
        let ended = try await Self.next(monitor)
        #expect(ended.event == "session.ended" && ended.code == 200 && ended.session == began.session)
        try await daemon.takeAway(tag)
        #expect(try await Self.next(monitor).event == "reader.tagLeft")
        monitor.signal(SIGINT)
        #expect(await monitor.status() == 0)
        await daemon.process.end()
        await pcsc.end()
    }
}

/// The commands for operators, with simulated readers.
@Suite(.timeLimit(.minutes(20)))
struct `Commands for operators` {
    @Test func `sessions are listed and cancelled`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let none = try await daemon.run("sessions")
        #expect(none.status == 0 && none.output.isEmpty && none.errors == ["There are no sessions."])
        let scan = try await daemon.startScan()
        let other = try LineClient(path: daemon.socket)
        try await other.result(
            "session.begin", #"{"kind":"ndef","whenBusy":"queue","alertMessage":"https://kiosk.example"}"#)
        let listed = try await daemon.run("sessions")
        let line = try #require(listed.output.first)
        #expect(line.hasPrefix("session-1  active  uid \(getuid()), pid "), "\(line)")
        #expect(line.hasSuffix("  simulated-0"), "\(line)")
        #expect(listed.output.count == 3 && listed.output[1].hasPrefix("session-2  queued  uid "), "\(listed)")
        #expect(listed.output.last == "  https://kiosk.example")
        #expect(try await daemon.run("sessions", "--json").output.first?.contains(#""state":"active""#) == true)
        #expect(try await daemon.run("cancel", "session-1", "--message", "enough").status == 0)
        let end = try await scan.output.nextScanLine()
        #expect(end.code == 200 && end.detail == "enough")
        let gone = try await daemon.run("cancel", "session-1")
        #expect(
            gone.status == 74 && gone.errors.first?.contains("session session-1 does not exist or has ended") == true)
        await daemon.process.end()
    }

    @Test(arguments: [
        ["write", "--text", "x"], ["lock", "--yes"], ["erase"], ["format"], ["read"], ["info"], ["dump"],
        ["apdu", "00A40400"],
    ])
    func `a command whose session is cancelled names who did that, and exits with 75`(command: [String]) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        for (session, options, reason) in [
            ("session-1", [], "cancelled by uid \(getuid()), pid "),
            ("session-2", ["--message", "not now"], "not now"),
        ] {
            let waiting = try ChildProcess([Programs.nfcctl] + command, environment: ["NFCD_SOCKET": daemon.socket])
            try await daemon.wait(for: "\(session) of uid \(getuid()), pid \(waiting.processID) is active")
            #expect(try await daemon.run(["cancel", session] + options).status == 0)
            #expect(await waiting.status() == 75)
            #expect(await waiting.errors.next(containing: "before a tag came: \(reason)") != nil)
            #expect(waiting.output.all.isEmpty)
        }
        await daemon.process.end()
    }

    @Test func `metrics are in the Prometheus text format`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let metrics = try await daemon.run("metrics")
        #expect(metrics.status == 0)
        #expect(metrics.output.first == "# HELP nfcd_build_info The version of nfcd; the value is always 1.")
        #expect(metrics.output.contains(#"nfcd_readers{state="empty"} 2"#))
        #expect(metrics.output.contains("nfcd_clients 1"))
        await daemon.process.end()
    }

    @Test func `without a terminal, monitor prints lines, and exits with 69 when nfcd ends`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let monitor = try daemon.start("monitor")
        #expect(await monitor.output.next() == "reader simulated-0: empty")
        let tag = try await daemon.tap("ntag213", "--text", "Hello")
        let arrived = try #require(await monitor.output.next())
        #expect(arrived.wholeMatch(of: /[0-9]{2}:[0-9]{2}:[0-9]{2}  tag arrived on simulated-0/) != nil, "\(arrived)")
        let tap = try #require(await monitor.output.next())
        #expect(
            tap.contains("  tap on Simulated Reader 0: NFC Forum Type 2 (miFare), UID ") && tap.contains("Hello"),
            "\(tap)")
        await tag.end(SIGINT)
        #expect(await monitor.output.next()?.hasSuffix("  tag left simulated-0") == true)
        await daemon.process.end()
        #expect(await monitor.status() == 69)
    }
}

/// The table of `nfcctl monitor` on a terminal.
@Suite struct `The table of the monitor` {
    private static func tap(_ text: String) throws -> ObservedEvent {
        let tag = #"{"type":"miFare","technology":"NFC Forum Type 2","identifier":"04112233445580"}"#
        let record = #"{"decoded":{"kind":"text","text":"\#(text)","language":"en"}}"#
        let line =
            #"{"subscription":"s","reader":"r","readerName":"Reader","tag":\#(tag),"messages":[{"records":[\#(record)]}]}"#
        return .didReadTag(try JSONLine.decode(BackgroundDidReadTag.self, from: Data(line.utf8)))
    }

    @Test(arguments: [40, 80, 100]) func `shows the time and the whole content of a tap`(width: Int) throws {
        var state = MonitorState(MonitorSnapshot(readers: [], sessions: []))
        let words = (1...40).map { "word\($0)" }
        state.apply(try Self.tap("first"), at: "17:02:11")
        state.apply(try Self.tap(words.joined(separator: " ")), at: "17:02:15")
        let lines = state.lines(width: width)
        #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
        let taps = lines.drop { $0 != "Taps, latest first" }.dropFirst()
        #expect(taps.first?.hasPrefix("  17:02:15  Reader: NFC Forum Type 2") == true, "\(lines)")
        #expect(taps.contains { $0.hasPrefix("  17:02:11  Reader: ") })
        let text = taps.joined(separator: " ")
        for word in words { #expect(text.contains(word), "\(word): \(text)") }
    }
}
