import TagRecordings
import Testing

private let head = #"{"event":"recording","time":0,"version":1}"#

@Suite struct RecordingTests {
    /// A file of a stranger: each is refused with its line, and none costs more than its bytes.
    @Test(arguments: [
        ("", "begins with"), ("{}", "line 1"), ("[]", "line 1"), ("nonsense", "line 1"),
        (#"{"event":"recording","time":0,"version":2}"#, "version 2"),
        (#"{"event":"reader","time":0,"reader":"a"}"#, "begins with"),
        (head + "\n" + #"{"event":"teleport","time":1}"# + "\n", "line 2"),
        (head + "\n" + #"{"event":"transmit","time":1,"reader":"a"}"# + "\n", "needs the member command"),
        (
            head + "\n" + #"{"event":"transmit","time":1,"reader":"a","command":"FFCA000000"}"# + "\n",
            "either answer or error"
        ),
        (
            head + "\n" + #"{"event":"transmit","time":1,"reader":"a","command":"FFC","answer":"9000"}"# + "\n",
            "command"
        ),
        (head + "\n" + #"{"event":"transmit","time":1,"reader":"a","command":"F*","answer":"9000"}"# + "\n", "command"),
        (head + "\n" + #"{"event":"transmit","time":-1,"reader":"a","command":"FF","answer":"9000"}"# + "\n", "line 2"),
        (head + "\n" + #"{"event":"arrive","time":1}"# + "\n", "needs the member reader"),
        (
            head + "\n" + #"{"event":"arrive","time":1,"reader":"a","atr":""# + String(repeating: "3B", count: 40)
                + "\"}\n", "33"
        ),
        (head + "\n" + head + "\n", "second beginning"),
        (
            head + "\n" + #"{"event":"reader","time":1,"reader":"a\nb"}"# + "\n",
            "line 2 of the recording: the member reader"
        ),
        (head + "\n" + #"{"event":"detach","time":1,"reader":"a\u001B[2J"}"# + "\n", "line 2"),
        (head + "\n" + #"{"event":"arrive","time":1,"reader":"a\u202Eb"}"# + "\n", "line 2"),
        (head + "\n" + #"{"event":"service","time":1,"reader":"a b"}"# + "\n", "without blanks"),
        (
            head + "\n" + #"{"event":"reader","time":1,"reader":""# + String(repeating: "a", count: 161) + "\"}\n",
            "up to 160"
        ),
        (
            head + "\n" + #"{"event":"transmit","time":1,"reader":"a","command":""#
                + String(repeating: "00", count: 65_549) + "\",\"answer\":\"9000\"}\n",
            "line 2 of the recording: the member command has 65549 bytes"
        ),
        (
            head + "\n" + #"{"event":"transmit","time":1,"reader":"a","command":"00B00000","answer":""#
                + String(repeating: "00", count: 65_549) + "\"}\n", "the member answer"
        ),
        (
            head + "\n" + #"{"event":"control","time":1,"reader":"a","command":""#
                + String(repeating: "00", count: 65_549) + "\"}\n", "the member command"
        ),
        (head + "\n" + String(repeating: "[", count: 200_000) + "\n", "line 2"),
    ])
    func `an invalid recording is refused`(_ text: String, _ reason: String) {
        let error = #expect(throws: RecordingError.self) { try Recording(Array(text.utf8)) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func `a recording has limits`() {
        var limits = Recording.Limits()
        limits.file = 100
        #expect(throws: RecordingError.self) { try Recording(Array(repeating: 0x20, count: 101), limits: limits) }
        limits = Recording.Limits()
        limits.lines = 3
        let line = #"{"event":"service","time":1}"#
        let text = ([head] + Array(repeating: line, count: 3)).joined(separator: "\n")
        #expect(throws: RecordingError.self) { try Recording(Array(text.utf8), limits: limits) }
        limits = Recording.Limits()
        limits.line = 200
        let long =
            head + "\n" + #"{"event":"service","time":1,"reason":""# + String(repeating: "x", count: 300) + "\"}\n"
        #expect(throws: RecordingError.self) { try Recording(Array(long.utf8), limits: limits) }
    }

    @Test func `as many readers as a file names are not made`() {
        let lines = (0..<200).map { #"{"event":"reader","time":1,"reader":"r\#($0)"}"# }
        #expect(throws: RecordingError.self) { try Recording(Array(([head] + lines).joined(separator: "\n").utf8)) }
    }

    @Test func `a last line that is cut off is left out`() throws {
        let text =
            head + "\n" + #"{"event":"transmit","time":1,"reader":"a","command":"FFCA000000","answer":"049000"}"#
            + "\n" + #"{"event":"transmit","time":2,"rea"#
        let recording = try Recording(Array(text.utf8))
        #expect(recording.visits.map(\.exchanges.count) == [1])
        #expect(recording.isIncomplete)
    }

    @Test func `members of later versions are ignored`() throws {
        let text = head + "\n" + #"{"event":"service","time":1,"colour":"blue","nested":{"a":[1,2]}}"# + "\n"
        #expect(try Recording(Array(text.utf8)).lines.count == 2)
    }

    /// Any bytes: the only error is that of a recording.
    @Test func `random changes to a recording never do harm`() throws {
        let text = head + "\n" + Sample.lines.joined(separator: "\n") + "\n"
        let original = Array(text.utf8)
        var random = SplitMix(seed: 7)
        for _ in 0..<3_000 {
            var changed = original
            for _ in 0...random.next() % 4 {
                let index = Int(random.next() % UInt64(changed.count))
                switch random.next() % 3 {
                case 0: changed[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: changed.remove(at: index)
                default: changed.insert(UInt8(truncatingIfNeeded: random.next()), at: index)
                }
            }
            do throws(RecordingError) {
                let recording = try Recording(changed)
                guard let visit = recording.visits.first else { continue }
                var replay = RecordingReplay(visit)
                _ = replay.connect()
                for exchange in visit.exchanges { _ = replay.transmit(exchange.command.filled) }
                _ = PCAPExport(recording)
                _ = PCSCSpyExport(recording)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test func `a line survives its form`() throws {
        var line = RecordingLine(.transmit, time: 12, reader: "r")
        line.command = MaskedBytes(masking: [0x1B, nil, nil])
        line.failure = RecordedFailure(name: "transport", code: 7, reason: "x/y")
        let text = try Recording.encoded(line)
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"{"code":7,"command":"1B****","error":"transport","event":"transmit","reader":"r","reason":"x/y","time":12}"#
                + "\n")
        let recording = try Recording(Array((head + "\n").utf8) + text)
        #expect(recording.lines.last == line)
    }
}

/// The lines of a session with a Type 4 card.
enum Sample {
    static let lines = [
        #"{"event":"reader","time":1,"reader":"r","name":"Reader","profile":"acr122u","technologies":["iso14443"]}"#,
        #"{"event":"arrive","time":2,"reader":"r","atr":"3B8180018080"}"#,
        #"{"event":"connect","time":3,"reader":"r","atr":"3B8180018080"}"#,
        #"{"event":"transmit","time":4,"reader":"r","command":"FFCA000000","answer":"04A1B2C3D4E5809000","took":1}"#,
        #"{"event":"transmit","time":5,"reader":"r","command":"00A4040007D276000085010100","answer":"9000"}"#,
        #"{"event":"transmit","time":6,"reader":"r","command":"00A4000C02E103","answer":"9000"}"#,
        #"{"event":"transmit","time":7,"reader":"r","command":"00B0000002","answer":"00179000"}"#,
        #"{"event":"transmit","time":8,"reader":"r","command":"00A4000C02E104","answer":"9000"}"#,
        #"{"event":"transmit","time":9,"reader":"r","command":"00B0000002","answer":"00009000"}"#,
        #"{"event":"transmit","time":10,"reader":"r","command":"00D6000002****","answer":"9000","masked":true}"#,
        #"{"event":"transmit","time":11,"reader":"r","command":"00B0000002","answer":"00039000"}"#,
        #"{"event":"transmit","time":12,"reader":"r","command":"0020008004********","answer":"63C2","masked":true}"#,
        #"{"event":"transmit","time":13,"reader":"r","command":"00B0000202","error":"tagLost"}"#,
        #"{"event":"leave","time":14,"reader":"r"}"#,
        #"{"event":"end","time":15}"#,
    ]

    static func recording() throws -> Recording {
        try Recording(Array(([head] + lines).joined(separator: "\n").utf8))
    }
}
