import ISO7816
import NFCTags
import Testing
import TestSupport

private typealias Talk = Type4Conversations

@Suite struct `Writing a Type 4 tag` {
    @Test func `is one command where length and message fit it`() async throws {
        let card = ScriptedCard(
            Talk.opened(Talk.plainContainer, ("00B0000401", "009000"), ("00D6000005 0003D00000", "9000")))
        try await Type4Tag(channel: card).writeNDEF(hex("D00000"), verifying: false)
        #expect(card.isFinished)
    }

    @Test func `of exactly MLc bytes is one command`() async throws {
        let message = String(repeating: "D1", count: 50)
        let card = ScriptedCard(
            Talk.opened(Talk.plainContainer, ("00B0003301", "009000"), ("00D6000034 0032" + message, "9000")))
        try await Type4Tag(channel: card).writeNDEF(hex(message), verifying: false)
        #expect(card.isFinished)
    }

    /// 53 bytes: one too many for a single command, and one too many for one piece.
    static let long: [ScriptedCard.Turn] = Talk.opened(
        Talk.plainContainer, ("00B0000002", "00099000"), ("00B0003601", "009000"), ("00D6000002 0000", "9000"),
        ("00D6000234" + String(repeating: "D1", count: 52), "9000"), ("00D6003601 D1", "9000"),
        ("00D6000002 0035", "9000"))
    static let longMessage = [UInt8](repeating: 0xD1, count: 53)

    @Test func `clears the length first and sets it last`() async throws {
        let card = ScriptedCard(Self.long)
        try await Type4Tag(channel: card).writeNDEF(Self.longMessage, verifying: false)
        #expect(card.isFinished)
    }

    @Test func `is split by the reader's limit if that is smaller`() async throws {
        let card = ScriptedCard(
            Talk.opened(
                Talk.plainContainer, ("00B0000002", "00099000"), ("00B0000601", "009000"),
                ("00D6000002 0000", "9000"),
                ("00D6000204 D1D1D1D1", "9000"),
                ("00D6000601 D1", "9000"), ("00D6000002 0005", "9000")))
        let tag = Type4Tag(channel: card, limits: APDULimits(commandData: 4))
        try await tag.writeNDEF(hex("D1D1D1D1D1"), verifying: false)
        #expect(card.isFinished)
    }

    @Test func `of more than 255 bytes uses extended form if it is allowed`() async throws {
        let message = String(repeating: "D1", count: 300)
        let card = ScriptedCard(
            Talk.opened(
                "000F20040004000406E10408000000", ("00B0012D01", "009000"), ("00D60000 00012E 012C" + message, "9000")))
        let tag = Type4Tag(channel: card, limits: APDULimits(allowsExtendedLength: true))
        try await tag.writeNDEF(hex(message), verifying: false)
        #expect(card.isFinished)
    }

    @Test func `of an empty message erases`() async throws {
        let card = ScriptedCard(Talk.opened(Talk.plainContainer, ("00D6000002 0000", "9000")))
        try await Type4Tag(channel: card).writeNDEF([], verifying: false)
        #expect(card.isFinished)
    }

    @Test func `has a length of 4 bytes in mapping version 3`() async throws {
        let card = ScriptedCard([
            Talk.application, Talk.container, ("00B000000F", "0011 3000FF00FF 0608E104 00011170 9000"),
            ("00B0000F02", "00009000"), Talk.file, ("00B0000601", "009000"), ("00D6000007 00000003 D00000", "9000"),
        ])
        try await Type4Tag(channel: card).writeNDEF(hex("D00000"), verifying: false)
        #expect(card.isFinished)
    }

    @Test func `reads back on request`() async throws {
        let turns = Talk.opened(
            Talk.plainContainer, ("00B0000401", "009000"), ("00D6000005 0003D00000", "9000"),
            ("00B0000005", "0003D000009000"))
        let card = ScriptedCard(turns)
        try await Type4Tag(channel: card).writeNDEF(hex("D00000"), verifying: true)
        #expect(card.isFinished)
        let other = ScriptedCard(turns, answering: "0003D000019000", at: 7)
        let error = await #expect(throws: TagError.self) {
            try await Type4Tag(channel: other).writeNDEF(hex("D00000"), verifying: true)
        }
        #expect(error?.code == .tagUpdateFailure)
    }

    static let refusals: [(container: String, count: Int, code: NFCErrorCode)] = [
        ("000F20003B00340406E104080000FF", 3, .tagNotWritable),
        ("000F20003B00340406E10408000080", 3, .tagNotWritable),
        ("000F20003B00010406E10408000000", 3, .tagNotWritable),
        (Talk.plainContainer, 2_047, .tagSizeTooSmall),
        ("000F20003B00340406E10408000001", 3, .tagNotWritable),
        ("000F20003B00340306E10408000000", 3, .unsupportedFeature),
    ]

    @Test(arguments: refusals)
    func `is refused before the first byte`(container: String, count: Int, code: NFCErrorCode) async {
        let card = ScriptedCard([Talk.application, Talk.container, ("00B000000F", container + "9000")])
        let error = await #expect(throws: TagError.self) {
            try await Type4Tag(channel: card).writeNDEF([UInt8](repeating: 0xD1, count: count), verifying: false)
        }
        #expect(error?.code == code)
        #expect(error?.leaves == nil)
        #expect(card.isFinished)
    }

    /// What cards answer to a read behind the end of a file.
    @Test(arguments: ["6B00", "6700", "6A86", "6A82", "6282", "6F00", "9000"])
    func `of more than the file has is refused before the first byte, with the room there is`(answer: String) async {
        // 53 bytes and their length end behind byte 54; the file has 40 bytes.
        let reads = [54, 27, 40, 33, 36, 38, 39].map { byte -> ScriptedCard.Turn in
            ("00B000\(hex([UInt8(byte)]))01", byte < 40 ? "009000" : answer)
        }
        let card = ScriptedCard(Talk.opening() + [("00B0000002", "00039000")] + reads)
        let error = await #expect(throws: TagError.self) {
            try await Type4Tag(channel: card).writeNDEF(Self.longMessage, verifying: true)
        }
        #expect(error?.code == .tagSizeTooSmall)
        #expect(
            error?.detail.contains("40 of the 2048 bytes declared, with room for 38") == true, "\(error?.detail ?? "")")
        #expect(error?.leaves == nil)
        #expect(card.isFinished)
    }

    /// What a failure at one of the four updates leaves: refused, or not answered.
    static let failures: [(turn: Int, refused: WrittenState, unanswered: WrittenState)] = [
        (7, .old, .oldOrEmpty), (8, .empty, .empty), (9, .empty, .empty), (10, .empty, .emptyOrNew),
    ]

    @Test(arguments: failures)
    func `is never tried twice and reports what it leaves`(
        turn: Int, refused: WrittenState, unanswered: WrittenState
    ) async {
        let answers: [(String, NFCErrorCode, WrittenState)] = [
            ("6982", .tagUpdateFailure, refused), ("6581", .tagUpdateFailure, unanswered),
            ("6400", .tagUpdateFailure, unanswered), ("6300", .tagUpdateFailure, unanswered),
            ("6C02", .tagUpdateFailure, refused), ("lost", .tagConnectionLost, unanswered),
            ("silent", .tagUpdateFailure, unanswered), ("", .tagUpdateFailure, unanswered),
        ]
        for (answer, code, leaves) in answers {
            let card = ScriptedCard(Self.long, answering: answer, at: turn)
            let error = await #expect(throws: TagError.self) {
                try await Type4Tag(channel: card).writeNDEF(Self.longMessage, verifying: true)
            }
            #expect(error?.code == code)
            #expect(error?.leaves == leaves, "\(answer) at \(turn)")
            #expect(card.count == turn)
        }
    }

    /// A message of 53 bytes instead of one of the same length, which begins at byte 2.
    static let same: [ScriptedCard.Turn] = Talk.opened(
        Talk.plainContainer, ("00B0000002", "00359000"),
        ("00B0000235", String(repeating: "D1", count: 53) + "9000"))

    static let changes: [(places: [Int], write: String?)] = [
        ([], nil), ([0], "00D6000201 D2"), ([52], "00D6003601 D2"), ([1, 3], "00D6000303 D2D1D2"),
        ([0, 51], "00D6000234 D2" + String(repeating: "D1", count: 50) + "D2"),
    ]

    @Test(arguments: changes) func `of the same length is one command where what differs fits it`(
        places: [Int], write: String?
    ) async throws {
        var message = Self.longMessage
        for place in places { message[place] = 0xD2 }
        let card = ScriptedCard(Self.same + (write.map { [($0, "9000")] } ?? []))
        try await Type4Tag(channel: card).writeNDEF(message, verifying: false)
        #expect(card.isFinished)
        guard let write else { return }
        for (answer, leaves) in [("6982", WrittenState.old), ("6581", .oldOrNew), ("lost", .oldOrNew)] {
            let error = await #expect(throws: TagError.self) {
                let card = ScriptedCard(Self.same + [(write, answer)])
                try await Type4Tag(channel: card).writeNDEF(message, verifying: false)
            }
            #expect(error?.leaves == leaves)
        }
    }

    @Test func `of the same length is three steps where what differs does not fit one command`() async throws {
        var message = Self.longMessage
        (message[0], message[52]) = (0xD2, 0xD2)
        let card = ScriptedCard(
            Self.same + [
                ("00D6000002 0000", "9000"), ("00D6000234 D2" + String(repeating: "D1", count: 51), "9000"),
                ("00D6003601 D2", "9000"), ("00D6000002 0035", "9000"),
            ])
        try await Type4Tag(channel: card).writeNDEF(message, verifying: false)
        #expect(card.isFinished)
    }

    @Test func `in one command leaves the old message or the new one`() async {
        let turns = Talk.opened(
            Talk.plainContainer, ("00B0000401", "009000"), ("00D6000005 0003D00000", "lost"))
        let error = await #expect(throws: TagError.self) {
            try await Type4Tag(channel: ScriptedCard(turns)).writeNDEF(hex("D00000"), verifying: false)
        }
        #expect(error?.leaves == .oldOrNew)
    }

    @Test func `formatting keeps a tag that is formatted`() async throws {
        let card = ScriptedCard(Array(Talk.opening().dropLast()))
        try await Type4Tag(channel: card).formatNDEF()
        #expect(card.isFinished)
    }

    @Test func `formatting any other tag is refused`() async {
        let card = ScriptedCard([(Talk.application.command, "6A82"), ("00A4040007D276000085010000", "6A82")])
        let error = await #expect(throws: TagError.self) { try await Type4Tag(channel: card).formatNDEF() }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains("depends on the product") == true)
    }
}

@Suite struct `Locking a Type 4 tag` {
    static let locking: [ScriptedCard.Turn] =
        Talk.opening().dropLast() + [Talk.container, ("00D6000E01FF", "9000"), ("00B0000E01", "FF9000")]

    @Test func `sets the write access of the container`() async throws {
        let card = ScriptedCard(Self.locking)
        try await Type4Tag(channel: card).makeReadOnly()
        #expect(card.isFinished)
    }

    @Test func `reads the container again before and after`() async throws {
        let reading: [ScriptedCard.Turn] = Talk.opened(Talk.plainContainer, ("00B000003B", "00009000"))
        let locked = Talk.opened("000F20003B00340406E104080000FF", ("00B000003B", "00009000"))
        let card = ScriptedCard(reading + Self.locking + locked)
        let tag = Type4Tag(channel: card)
        #expect(try await tag.readNDEF().status == .readWrite)
        try await tag.makeReadOnly()
        #expect(try await tag.readNDEF().status == .readOnly)
        #expect(card.isFinished)
    }

    @Test func `finds the write access byte`() async throws {
        // A TLV of 3 bytes in front of a file control TLV of mapping version 3.
        let card = ScriptedCard([
            Talk.application, Talk.container, ("00B000000F", "0014 3000FF00FF 8001AA 0608E10400 9000"),
            ("00B0000F05", "01117000009000"), Talk.container, ("00D6001301FF", "9000"), ("00B0001301", "FF9000"),
        ])
        try await Type4Tag(channel: card).makeReadOnly()
        #expect(card.isFinished)
    }

    @Test(arguments: ["6982", "6985", "6A82", "6D00", "6A81", "6A86", "9000"])
    func `that is not permitted fails and changes nothing`(answer: String) async {
        let isAccepted = answer == "9000"
        let card = ScriptedCard(Self.locking, answering: isAccepted ? "009000" : answer, at: isAccepted ? 6 : 5)
        let error = await #expect(throws: TagError.self) { try await Type4Tag(channel: card).makeReadOnly() }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains(isAccepted ? "did not change" : "needs a key") == true)
    }

    static let others: [(turn: Int, answer: String, code: NFCErrorCode)] = [
        (4, "6A82", .tagResponseError), (5, "6581", .tagUpdateFailure), (5, "lost", .tagConnectionLost),
        (5, "silent", .tagResponseError), (6, "lost", .tagConnectionLost), (6, "6982", .tagResponseError),
    ]

    @Test(arguments: others)
    func `that is interrupted reports the reason`(turn: Int, answer: String, code: NFCErrorCode) async {
        let card = ScriptedCard(Self.locking, answering: answer, at: turn)
        let error = await #expect(throws: TagError.self) { try await Type4Tag(channel: card).makeReadOnly() }
        #expect(error?.code == code)
        #expect(card.count == turn)
    }

    static let refusals: [(container: String, code: NFCErrorCode)] = [
        ("000F20003B00340406E104080000FF", .tagNotWritable), ("000F20003B00340406E10408000080", .unsupportedFeature),
        ("000F20003B00340306E10408000000", .unsupportedFeature),
    ]

    @Test(arguments: refusals)
    func `is refused before the first byte`(container: String, code: NFCErrorCode) async {
        let card = ScriptedCard([Talk.application, Talk.container, ("00B000000F", container + "9000")])
        let error = await #expect(throws: TagError.self) { try await Type4Tag(channel: card).makeReadOnly() }
        #expect(error?.code == code)
        #expect(card.isFinished)
    }
}
