import TagRecordings
import Testing
import VirtualTags

@Suite struct RecordingReplayTests {
    private func replay() throws -> RecordingReplay {
        var replay = RecordingReplay(try #require(try Sample.recording().visits.first))
        #expect(replay.connect() == nil)
        return replay
    }

    @Test func `a command is answered by the state of the card, not by its place`() throws {
        var replay = try replay()
        // The message file first; the recording has the capability container first.
        for command in ["00A4040007D276000085010100", "00A4000C02E104"] {
            #expect(replay.transmit(try bytes(command)) == .answer([0x90, 0x00]))
        }
        #expect(replay.transmit(try bytes("00B0000002")) == .answer(try bytes("00009000")))
        #expect(replay.transmit(try bytes("00A4000C02E103")) == .answer([0x90, 0x00]))
        #expect(replay.transmit(try bytes("00B0000002")) == .answer(try bytes("00179000")))
    }

    @Test func `answers to one command come in their order, and the last one again`() throws {
        var replay = try replay()
        for command in ["00A4040007D276000085010100", "00A4000C02E104"] { _ = replay.transmit(try bytes(command)) }
        let answers = try (0..<4).map { _ in replay.transmit(try bytes("00B0000002")) }
        #expect(
            answers
                == [.answer(try bytes("00009000"))]
                + Array(repeating: .answer(try bytes("00039000")), count: 3))
    }

    @Test func `a masked command matches by what is known of it and by its length`() throws {
        var replay = try replay()
        for command in ["00A4040007D276000085010100", "00A4000C02E104"] { _ = replay.transmit(try bytes(command)) }
        #expect(replay.transmit(try bytes("002000800431323334")) == .answer([0x63, 0xC2]))
        #expect(replay.transmit(try bytes("002000800439393939")) == .answer([0x63, 0xC2]))
        guard case .notRecorded = replay.transmit(try bytes("00200080053132333435")) else {
            Issue.record("a PIN of another length was answered")
            return
        }
    }

    @Test func `a command that was not recorded is named, with its state and what was recorded there`() throws {
        var replay = try replay()
        guard case .notRecorded(let command) = replay.transmit(try bytes("00B0000002")) else {
            Issue.record("a command in a state without it was answered")
            return
        }
        #expect(command.description.contains("00B0000002"))
        #expect(command.description.contains("before any selection"))
        #expect(command.description.contains("FFCA000000"))
        #expect(command.description.contains("after 00A4040007D276000085010100"))
    }

    @Test(arguments: [
        ("FF00000007D4421BCAFE9999", "CAFE9999", "FF00000007D4421B********"),
        ("0020008004313233 34", "31323334", "0020008004********"),
        ("00D6000003D1010C", "D1010C", "00D6000003******"),
        ("FF82000006A0A1A2A3A4A5", "A0A1", "FF82000006************"),
    ])
    func `a refused command is named without its secrets and contents`(
        _ command: String, _ secret: String, _ shown: String
    ) throws {
        var replay = try replay()
        guard case .notRecorded(let error) = replay.transmit(try bytes(command)) else {
            Issue.record("a command that was not recorded was answered")
            return
        }
        #expect(!error.description.contains(secret))
        #expect(error.description.contains("the command \(shown) was not recorded"), "\(error)")
    }

    @Test func `a new connection begins without a selection`() throws {
        var replay = try replay()
        _ = replay.transmit(try bytes("00A4040007D276000085010100"))
        _ = replay.connect()
        guard case .notRecorded = replay.transmit(try bytes("00A4000C02E104")) else {
            Issue.record("the selection survived the connection")
            return
        }
    }

    @Test func `the error of an exchange comes back, and a lost tag is gone`() throws {
        let card = RecordedCard(try #require(try Sample.recording().visits.first))
        card.powerOn()
        for command in ["00A4040007D276000085010100", "00A4000C02E104"] { _ = card.transmit(try bytes(command)) }
        #expect(card.isPresent)
        #expect(card.exchange(try bytes("00B0000202")) == .failure(RecordedFailure(name: "tagLost")))
        #expect(!card.isPresent)
    }

    @Test func `everything is used once every exchange was`() throws {
        var replay = try replay()
        let visit = try #require(try Sample.recording().visits.first)
        for exchange in visit.exchanges {
            #expect(!replay.isUsedUp)
            _ = replay.transmit(exchange.command.filled)
        }
        #expect(replay.isUsedUp)
    }

    private static func hex(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private static func transmit(_ command: String, _ answer: String = "9000") -> String {
        #"{"event":"transmit","time":1,"reader":"r","command":"\#(command)","answer":"\#(answer)"}"#
    }

    /// What a file of a stranger may have within the limits: as many commands as lines, and a state that is as long as a command may be.
    enum Cost: CaseIterable {
        case distinctCommands
        case distinctCommandsAfterLongSelection
        case longSelections

        var lines: [String] {
            let selection = transmit("00A40400" + String(repeating: "A5", count: 65_000))
            let commands = (0..<20_000).map { transmit("80CA" + hex($0)) }
            return switch self {
            case .distinctCommands: commands
            case .distinctCommandsAfterLongSelection: [selection] + commands
            case .longSelections: commands.prefix(60).flatMap { [selection, $0] }
            }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: Cost.allCases)
    func `what a recording costs grows with its length alone`(_ cost: Cost) throws {
        let lines = cost.lines
        let head = #"{"event":"recording","time":0,"version":1}"#
        let recording = try Recording(Array(([head] + lines).joined(separator: "\n").utf8))
        let visit = try #require(recording.visits.first)
        var replay = RecordingReplay(visit)
        for exchange in visit.exchanges { _ = replay.transmit(exchange.command.filled) }
        #expect(replay.isUsedUp)
    }

    @Test func `bytes that are masked are other bytes than zeros`() {
        let one = MaskedBytes([0x1B, 0, 0])
        let other = MaskedBytes(masking: [0x1B, nil, 0])
        #expect(one != other && Set([one, other, MaskedBytes([0x1B, 0, 0])]).count == 2)
    }

    @Test func `a tag of a recording has its identifier, and objects to what was not recorded`() throws {
        let tag = try RecordedTag(try Sample.recording())
        #expect(tag.identifier == (try bytes("04A1B2C3D4E580")))
        #expect(tag.profile == "acr122u")
        #expect(tag.inReader().transmit([0x00, 0x01, 0x02, 0x03]) == [0x6D, 0x00])
        #expect(tag.objections.count == 1)
        #expect(throws: RecordingError.self) { try RecordedTag(try Sample.recording(), number: 2) }
    }
}

@Suite struct RecordingExportTests {
    @Test func `a capture has link type 264, and both directions of each frame`() throws {
        let export = PCAPExport(try Sample.recording())
        let header = "A1B2C3D40002000400000000000000000004000000000108"
        #expect(export.bytes.starts(with: try bytes(header)))
        // SELECT in an I-block with block number 0, from the reader; after GET DATA, which only the reader answers.
        let first = "0000000000000005000000120000001200FA000E0200A4040007D276000085010100"
        #expect(Array(export.bytes.dropFirst(24)).starts(with: try bytes(first)))
        #expect(export.exchangeCount == 8)
    }

    @Test func `a native frame is written as it is`() throws {
        let lines = [
            #"{"event":"recording","time":0,"version":1}"#,
            #"{"event":"transmit","time":7,"reader":"r","command":"FF00000004D4423004","answer":"D54300AABBCCDD9000"}"#,
        ]
        let export = PCAPExport(try Recording(Array(lines.joined(separator: "\n").utf8)))
        let packets =
            "0000000000000007000000060000000600FA00023004" + "0000000000000007000000080000000800FB0004AABBCCDD"
        #expect(Array(export.bytes.dropFirst(24)) == (try bytes(packets)))
    }

    @Test func `a log of calls has a beginning and an end of each`() throws {
        let text = PCSCSpyExport(try Sample.recording()).text
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("1@") })
        #expect(lines.filter { $0.contains("@>|") }.count == lines.filter { $0.contains("@<|") }.count)
        #expect(text.contains("1@>|0|3|SCardTransmit\n"))
        #expect(text.contains("1@<|0|13|SCardTransmit|tagLost|0x80100069\n"))
        #expect(text.contains("1@04 A1 B2 C3 D4 E5 80 90 00\n"))
    }

    @Test func `a name in a log of calls is one line of it`() throws {
        let lines = [
            #"{"event":"recording","time":0,"version":1}"#,
            #"{"event":"reader","time":0,"reader":"r","name":"Reader\n1@>|0|0|SCardControl\r\u001B[2J\u202E\u0085"}"#,
            #"{"event":"connect","time":7,"reader":"r"}"#,
        ]
        let text = PCSCSpyExport(try Recording(Array(lines.joined(separator: "\n").utf8))).text
        #expect(text.split(separator: "\n").count == 10)
        #expect(text.contains("1@Reader 1 >|0|0|SCardControl  [2J  \n"))
    }
}
