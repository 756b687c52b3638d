import TestSupport
import Testing

@testable import VirtualTags

/// Answers every command itself, or leaves those of some instructions to the card.
private struct Recorder: VirtualApplication {
    let aid: String
    var left: Set<UInt8> = []
    private(set) var raw: [[UInt8]] = []
    private(set) var commands: [VirtualCardCommand] = []

    mutating func exchange(_ bytes: [UInt8]) -> [UInt8]? {
        raw.append(bytes)
        guard bytes.count > 1, !left.contains(bytes[1]) else { return bytes.count > 1 ? nil : [0xAA] }
        return bytes == hex("00EE0000") ? [] : [UInt8(raw.count), 0x90, 0x00]
    }

    mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse {
        commands.append(command)
        return VirtualCardResponse((0..<20).map { UInt8($0) })
    }
}

@Suite struct `An application that takes raw commands` {
    private static let aid = "A00000000101"

    private static func card(_ application: any VirtualApplication) throws -> VirtualApplicationCard {
        var card = try VirtualApplicationCard(applications: [application])
        card.activate()
        return card
    }

    static let commands = [
        "10 86 00 00 02 7C 00 00", "00 C0 00 00 10", "00 A4 04 00 06 A00000000101 00", "00 A4 04 00 06 A00000000999 00",
        "0C B0 00 00 0D 97 01 00 8E 08 0102030405060708 00", "8C 86 00 00 02 7C 00", "1C 86 00 00 02 7C 00",
        "01 B0 00 00 00", "43 B0 00 00 00", "53 86 00 00 02 7C 00", "00 70 00 00 01", "90 60 00 00 00",
        "00 D6 00 00 00 0101 AA", "00 20", "FF CA 00 00 00", "00 B0 00 00 05 01",
    ]

    @Test(arguments: commands) func `gets each as it was sent`(_ command: String) throws {
        var card = try Self.card(Recorder(aid: Self.aid))
        #expect(card.send("00 A4 04 00 06 A00000000101 00") == "9000")
        #expect(card.send(command) == "019000")
        #expect((card.applications[0] as? Recorder)?.raw == [hex(command)])
        #expect(card.objections.isEmpty)
    }

    @Test func `can be a card without a name`() throws {
        var card = try Self.card(Recorder(aid: ""))
        #expect(card.send("00 A4 04 00 06 A00000000101 00") == "019000")
        #expect(card.send("10 86 00 00 02 7C 00 00") == "029000")
        #expect(card.send("00") == "AA")
        #expect(card.send("00 EE 00 00") == "silence")
    }

    @Test func `leaves to the card what it does not answer`() throws {
        var card = try Self.card(Recorder(aid: Self.aid, left: [0x01, 0xC0]))
        _ = card.send("00 A4 04 00 06 A00000000101 00")
        #expect(card.send("10 01 00 00 01 AA") == "9000")
        #expect(card.send("00 01 00 00 01 BB 08") == "0001020304050607610C")
        #expect(card.send("00 C0 00 00 0C") == "08090A0B0C0D0E0F101112139000")
        let recorder = try #require(card.applications[0] as? Recorder)
        #expect(recorder.raw.count == 3 && recorder.commands.map(\.data) == [[0xAA, 0xBB]])
    }

    @Test func `ends a chain and a long response of the card with an answer`() throws {
        var card = try Self.card(Recorder(aid: Self.aid, left: [0x01, 0xC0]))
        _ = card.send("00 A4 04 00 06 A00000000101 00")
        _ = card.send("10 01 00 00 01 AA")
        #expect(card.send("00 EF 00 00") == "029000")
        #expect(card.send("00 01 00 00 01 BB 08") == "0001020304050607610C")
        #expect((card.applications[0] as? Recorder)?.commands.map(\.data) == [[0xBB]])
        #expect(card.send("00 EF 00 00") == "049000")
        #expect(card.send("00 C0 00 00 0C") == "000102030405060708090A0B6108")
    }

    @Test func `can be a function`() throws {
        var card = try Self.card(
            FunctionApplication.raw(aid: Self.aid) { $0.first == 0x10 ? [$0[5], 0x90, 0x00] : nil })
        _ = card.send("00 A4 04 00 06 A00000000101 00")
        #expect(card.send("10 86 00 00 02 7C 00 00") == "7C9000")
        #expect(card.send("00 86 00 00 02 7C 00 00") == "6D00")
    }
}

@Suite struct `A card with a script` {
    private static let aid = "A00000000101"

    private static func card(_ script: KeyValuePairs<String, String>) throws -> VirtualApplicationCard {
        var card = try VirtualApplicationCard(applications: [ScriptedApplication(aid: aid, script: script)])
        card.activate()
        return card
    }

    private static func selected(_ script: KeyValuePairs<String, String>) throws -> VirtualApplicationCard {
        var card = try card(script)
        _ = card.send("00A4040006A00000000101")
        return card
    }

    @Test func `answers each command of a chain that it has`() throws {
        var card = try Self.selected([
            "1086000002 7C00 00": "7C00 9000", "10860000 03 7C01AA 00": "7C0101 9000", "00860000 03 7C01BB 00": "6300",
        ])
        #expect(card.send("10860000027C0000") == "7C009000")
        #expect(card.send("10860000037C01AA00") == "7C01019000")
        #expect(card.send("00860000037C01BB00") == "6300")
        #expect(card.objections.isEmpty)
    }

    @Test func `answers a chain that it has as one command`() throws {
        var card = try Self.selected(["00DA0000 04 01020304": "9000", "00B00000 04": "AA 9000"])
        for _ in 0..<2 {
            #expect(card.send("10DA0000020102") == "9000")
            #expect(card.send("10DA00000103") == "9000")
            #expect(card.send("00DA00000104") == "9000")
        }
        #expect(card.send("00B0000004") == "AA9000")
        #expect(card.objections.isEmpty)
    }

    @Test func `answers GET RESPONSE that it has, and the rest of an answer that is too long`() throws {
        var card = try Self.selected([
            "00B00000 02": "0102 6110", "00C00000 10": "0304 9000", "00CA0000 02": "01020304 9000",
        ])
        #expect(card.send("00B0000002") == "01026110")
        #expect(card.send("00C0000010") == "03049000")
        #expect(card.send("00CA000002") == "01026102")
        #expect(card.send("00C0000002") == "03049000")
        #expect(card.objections.isEmpty)
    }

    @Test func `answers a SELECT that it has`() throws {
        var card = try Self.card(["00A4040006 A00000000101": "6F00 9000", "00A4040005 A000000099": "6F01 9000"])
        #expect(card.send("00A4040006A00000000101") == "6F009000")
        #expect(card.send("00A4040005A000000099") == "6F019000")
        #expect(card.send("00A4040006A00000000102") == "6A82")
        #expect(card.objections.isEmpty)
    }

    static let unexpected: [(sent: [String], answer: String)] = [
        (["10860000 02 7C00 00"], "6D00"), (["10DA0000 02 0103"], "6D00"),
        (["10DA0000 02 0102", "10DA0000 01 05"], "6D00"),
        (["10DA0000 02 0102", "10DA0000 03 030405"], "6D00"), (["10DA0000 02 0102", "00DA0000 01 05"], "6D00"),
        (["50DA0000 02 0102"], "6D00"), (["1CDA0000 02 0102"], "6D00"),
        (["90DA0000 02 0102"], "6D00"), (["00C00000 10"], "6D00"), (["00C0 0000"], "6D00"), (["0CB00000 04"], "6D00"),
        (["01B00000 04"], "6D00"), (["00B00000 04 00"], "6700"), (["00B0"], "6700"),
        (["01A40400 05 A000000001"], "6D00"),
        (["00A40410 05 A000000001"], "6A86"), (["00CA0000 02", "00C00100 02"], "6A86"),
        (["00CA0000 02", "00C00000"], "6700"),
    ]

    @Test(arguments: unexpected) func `objects to`(_ sent: [String], _ answer: String) throws {
        var card = try Self.selected([
            "00DA0000 04 01020304": "9000", "00B00000 04": "AA 9000", "00CA0000 02": "01020304 9000",
        ])
        let answers = sent.map { card.send($0) }
        #expect(answers.last == answer)
        #expect(card.objections.count == 1, "\(card.objections)")
        let last = hex(hex(sent.last ?? ""))
        let isJoined = sent.count == 2 && sent[1].hasPrefix("00DA")
        #expect(isJoined || card.objections.first?.hasPrefix(last) == true, "\(card.objections)")
    }

    /// What is sent after the first command of a chain; nil where the field drops.
    static let interruptions: [String?] = [
        nil, "", "00B00000 04", "00A40400 06 A00000000101", "00A40400 05 A000000099", "00C00000 10", "00C00000 08",
        "10860000 02 7C00 00",
    ]

    @Test(arguments: ["10DA0000 02 0102", "10DA0000", "10DA0000 01 01"], interruptions)
    func `names a chain that is not finished`(_ link: String, _ next: String?) throws {
        var card = try Self.selected([
            "00DA0000 04 01020304": "9000", "00B00000 04": "AA 9000", "00C00000 08": "BB 9000",
            "10860000 02 7C00 00": "7C00 9000",
        ])
        #expect(card.send(link) == "9000")
        switch next {
        case nil: card.fieldDropped()
        case "": break
        case let next?: _ = card.send(next)
        }
        #expect(card.objections == ["\(hex(hex(link))), a chain that was not finished"])
    }

    static let early = ["00B00000 04", "10860000 02 7C00 00", "00C00000 10", "0CB00000 04", "00", "90600000 00"]

    @Test(arguments: early) func `objects to a command before any application is selected`(_ command: String) throws {
        var card = try Self.card(["00B00000 04": "AA 9000"])
        #expect(["6985", "6700"].contains(card.send(command)))
        #expect(card.objections == ["\(hex(hex(command))) to no application"])
        // A card without a script refuses it as well, but no test depends on it.
        var other = try VirtualApplicationCard(applications: [FunctionApplication(aid: Self.aid) { _ in .done }])
        other.activate()
        #expect(["6985", "6700"].contains(other.send(command)) && other.objections.isEmpty)
    }

    @Test func `does not object to what a session sends on its own`() throws {
        var card = try Self.card(["00B00000 04": "AA 9000"])
        #expect(card.send("00A4040007D276000085010100") == "6A82")
        #expect(card.send("00A4020C02011C") == "6985")
        #expect(card.objections.isEmpty)
    }

    @Test func `does not object to what its features refuse`() throws {
        var card = try VirtualApplicationCard(
            features: .init(supportsChaining: false, supportsExtendedLength: false),
            applications: [ScriptedApplication(aid: Self.aid, script: ["00DA0000 04 01020304": "9000"])])
        card.activate()
        _ = card.send("00A4040006A00000000101")
        #expect(card.send("10DA0000020102") == "6884")
        #expect(card.send("00DA0000000004 01020304") == "6700")
        #expect(card.send("00DA000004 01020304") == "9000")
        #expect(card.objections.isEmpty)
    }
}
