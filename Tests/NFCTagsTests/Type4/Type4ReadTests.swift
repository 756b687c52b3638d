import ISO7816
import NFCTags
import Testing
import TestSupport

private typealias Talk = Type4Conversations

@Suite struct `Reading a Type 4 tag` {
    @Test func `reads the length and a short message at once`() async throws {
        let card = ScriptedCard(
            Talk.opened(
                Talk.plainContainer, ("00B000003B", "0003D00000" + String(repeating: "00", count: 54) + "9000")))
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.status == .readWrite)
        #expect(result.message == hex("D00000"))
        #expect(result.capacity == 2046)
        #expect(result.warnings.isEmpty)
        #expect(card.isFinished)
    }

    @Test func `of an empty file ends with the length`() async throws {
        let card = ScriptedCard(Talk.opened(Talk.plainContainer, ("00B000003B", "0000D0009000")))
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.message == nil)
        #expect(result.status == .readWrite)
        #expect(card.isFinished)
    }

    @Test func `reads the container once for a connection, and selects again`() async throws {
        let message: [ScriptedCard.Turn] = [("00B000003B", "0003D000009000")]
        let card = ScriptedCard(Talk.opening() + message + Talk.reopening + message)
        let tag = Type4Tag(channel: card)
        #expect(try await tag.readNDEF() == (try await tag.readNDEF()))
        #expect(card.isFinished)
    }

    @Test func `discovers the application again if it has disappeared`() async throws {
        let message: [ScriptedCard.Turn] = [("00B000003B", "0003D000009000")]
        let refused: ScriptedCard.Turn = (Talk.application.command, "6A82")
        let card = ScriptedCard(
            Talk.opening() + message + [refused, refused, ("00A4040007D276000085010000", "6A82")])
        let tag = Type4Tag(channel: card)
        _ = try await tag.readNDEF()
        #expect(try await tag.readNDEF().status == .notSupported)
        #expect(card.isFinished)
    }

    @Test func `uses steps of MLe`() async throws {
        let message = [UInt8](repeating: 0xD1, count: 100)
        let head = "0064" + String(repeating: "D1", count: 57) + "9000"
        let rest = String(repeating: "D1", count: 43) + "9000"
        let card = ScriptedCard(Talk.opened(Talk.plainContainer, ("00B000003B", head), ("00B0003B2B", rest)))
        #expect(try await Type4Tag(channel: card).readNDEF().message == message)
    }

    @Test func `uses steps of the reader's limit if that is smaller`() async throws {
        let card = ScriptedCard(
            Talk.opened(
                Talk.plainContainer, ("00B0000010", "0014" + String(repeating: "D1", count: 14) + "9000"),
                ("00B0001006", "D1D1D1D1D1D19000")))
        let tag = Type4Tag(channel: card, limits: APDULimits(responseData: 16))
        #expect(try await tag.readNDEF().message?.count == 20)
    }

    @Test func `takes 255 bytes at most in short form, and more in extended form`() async throws {
        let container = "000F20020000FF0406E10408000000"
        let message = String(repeating: "D1", count: 500)
        let head: ScriptedCard.Turn = ("00B0000040", "01F4" + String(message.prefix(124)) + "9000")
        let short = ScriptedCard(
            Talk.opened(
                container, head, ("00B00040FF", String(message.prefix(510)) + "9000"),
                ("00B0013FB7", String(message.prefix(366)) + "9000")))
        #expect(try await Type4Tag(channel: short).readNDEF().message == hex(message))
        let extended = ScriptedCard(
            Talk.opened(container, head, ("00B000400001B6", String(message.prefix(876)) + "9000")))
        let tag = Type4Tag(channel: extended, limits: APDULimits(allowsExtendedLength: true))
        #expect(try await tag.readNDEF().message == hex(message))
    }

    @Test func `continues if a card returns less than requested`() async throws {
        let card = ScriptedCard(
            Talk.opened(
                Talk.plainContainer, ("00B000003B", "009000"), ("00B0000002", "009000"), ("00B0000101", "059000"),
                ("00B0000205", "D1019000"),
                ("00B0000403", "00556282"), ("00B0000601", "AA9000")))
        #expect(try await Type4Tag(channel: card).readNDEF().message == hex("D1010055AA"))
        #expect(card.isFinished)
    }

    /// 60 bytes where 59 were asked for.
    static let tooMuch = String(repeating: "00", count: 60) + "9000"

    @Test(arguments: ["6700", "6A86", "6B00", "6282", "6F00", "9000", "009000", tooMuch])
    func `reads the length alone if the tag returns no more, and then always`(answer: String) async throws {
        let alone: [ScriptedCard.Turn] = [("00B0000002", "00039000"), ("00B0000203", "D000009000")]
        let refused: [ScriptedCard.Turn] = [("00B000003B", answer)]
        let card = ScriptedCard(Talk.opening() + refused + alone + Talk.reopening + alone)
        let tag = Type4Tag(channel: card)
        #expect(try await tag.readNDEF().message == hex("D00000"))
        #expect(try await tag.readNDEF().message == hex("D00000"))
        #expect(card.isFinished)
    }

    @Test func `status and capacity need only the container`() async throws {
        let card = ScriptedCard(Array(Talk.opening().dropLast()) + [Talk.application])
        let tag = Type4Tag(channel: card)
        for _ in 0..<2 {
            let result = try await tag.queryStatus()
            #expect(result.status == .readWrite)
            #expect(result.capacity == 2046)
            #expect(result.reason == nil)
        }
        #expect(card.isFinished)
    }

    @Test func `reads the rest of a longer container`() async throws {
        let card = ScriptedCard([
            Talk.application, Talk.container, ("00B000000F", "001720010000FF0406E104010000009000"),
            ("00B0000F08", "0506E105008082839000"), Talk.file, ("00B0000040", "00009000"),
        ])
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.capacity == 254)
        #expect(card.isFinished)
    }

    /// Containers that declare more bytes than their file has, as card emulation on phones often does.
    static let overlong = [
        "001120FFFFFFFF0406E104FFFE00FF", "001720003B00340406E104080000FF", "FFFF20003B00340406E10408000000",
        "040020003B00340406E10408000080",
    ]

    @Test(arguments: overlong, ["6700", "6B00", "6A82", "6A86", "6F00", "6282", "9000"])
    func `needs no more of the container than the file of the message`(container: String, answer: String) async throws {
        let length = min(Int(hex(container)[0]) << 8 | Int(hex(container)[1]), 1024)
        let size = Int(hex(container)[3]) << 8 | Int(hex(container)[4])
        let rest = "00B0000F" + hex([UInt8(min(length - 15, size, 255))])
        let read = "00B00000" + hex([UInt8(min(64, size))])
        let card = ScriptedCard([
            Talk.application, Talk.container, ("00B000000F", container + "9000"), (rest, answer), Talk.file,
            (read, "0003D000009000"),
        ])
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.message == hex("D00000"))
        #expect(card.isFinished)
    }

    @Test func `takes a short answer for the rest of an overlong container`() async throws {
        let card = ScriptedCard([
            Talk.application, Talk.container, ("00B000000F", "001720003B00340406E104080000FF9000"),
            ("00B0000F08", "05069000"), ("00B0001106", "6B00"), Talk.file, ("00B000003B", "0003D000009000"),
        ])
        #expect(try await Type4Tag(channel: card).readNDEF().message == hex("D00000"))
        #expect(card.isFinished)
    }

    @Test func `reports a refused container that names no file so far`() async throws {
        let card = ScriptedCard([
            Talk.application, Talk.container, ("00B000000F", "001720003B0034800400000000FFFF9000"),
            ("00B0000F08", "6B00"),
        ])
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.reason?.contains("cannot be read: 6B00") == true, "\(result.reason ?? "")")
    }

    @Test func `selects version 1 if version 2 is refused`() async throws {
        let card = ScriptedCard([
            (Talk.application.command, "6A82"), ("00A4040007 D2760000850100 00", "6F079000"),
            ("00A4000002E103", "9000"), ("00B000000F", "000F10003B00340406E104040000009000"),
            ("00A4000002E104", "9000"), ("00B000003B", "0001D09000"),
        ])
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.message == [0xD0])
        #expect(result.warnings.isEmpty)
        #expect(card.isFinished)
    }

    @Test func `warns about a file control TLV of another version`() async throws {
        let card = ScriptedCard(Talk.opened("000F30003B00340406E10408000000", ("00B000003B", "00009000")))
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.status == .readWrite)
        #expect(result.warnings == [.fileControlOfOtherVersion(type: 0x04, version: 0x30)])
        #expect(result.warnings.first?.description == "file control TLV 04 with mapping version 3.0")
    }

    static let access: [(container: String, status: NDEFStatus, warnings: [NDEFReadWarning])] = [
        ("000F20003B00340406E104080000FF", .readOnly, []),
        ("000F20003B00340406E10408000080", .readOnly, [.writeNeedsPermission]),
        ("000F20003B00340406E10408000001", .readOnly, [.writeNeedsPermission]),
    ]

    @Test(arguments: access)
    func `reports the write access`(container: String, status: NDEFStatus, warnings: [NDEFReadWarning]) async throws {
        let card = ScriptedCard(Talk.opened(container, ("00B000003B", "00009000")))
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.status == status)
        #expect(result.warnings == warnings)
    }

    static let wrapped: [(content: String, message: String?, isInner: Bool)] = [
        ("0303D00000FE", "D00000", true), ("0303D00000", "D00000", true), ("03FF0003D00000FE", "D00000", true),
        ("0300FE", nil, true), ("0303D000000000", "D00000", true),
        ("0304D00000", "0304D00000", false), ("0303500000FE", "0303500000FE", false),
        ("0303D00000AA", "0303D00000AA", false), ("03", "03", false), ("03FF00", "03FF00", false),
        ("D00000FE", "D00000FE", false),
    ]

    @Test(arguments: wrapped)
    func `unwraps a message TLV that was put into the file`(content: String, message: String?, isInner: Bool)
        async throws
    {
        let count = hex([UInt8(content.count / 2)])
        let card = ScriptedCard(
            Talk.opened(Talk.plainContainer, ("00B000003B", "00" + count + content + "9000")))
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.message == message.map { hex($0) })
        #expect(result.warnings == (isInner ? [.messageInsideTLV] : []))
    }

    @Test func `above offset 7FFF uses an offset data object`() async throws {
        // 32,768 bytes of message: the file is read up to byte 32,771, in steps of 32,000 bytes.
        let container = "001130 7D0000FF 0608E104 00011170 0000"
        let head = [UInt8](repeating: 0xD1, count: 32_000)
        let text = hex(head)
        let card = ScriptedCard([
            Talk.application, Talk.container, ("00B000000F", hexText(container, 15) + "9000"),
            ("00B0000F02", "00009000"), Talk.file,
            ("00B0000040", "00008000" + String(text.prefix(120)) + "9000"), ("00B00040007D00", text + "9000"),
            ("00B07D400002C4", String(text.prefix(1_416)) + "9000"),
        ])
        let tag = Type4Tag(channel: card, limits: APDULimits(allowsExtendedLength: true, responseData: 32_000))
        #expect(try await tag.readNDEF().message?.count == 32_768)
        #expect(card.isFinished)
    }

    private func hexText(_ text: String, _ count: Int) -> String { hex(Array(hex(text).prefix(count))) }
}

/// What is said to Type 4 tags, for tests to put together and to spoil.
enum Type4Conversations {
    static let application: ScriptedCard.Turn = ("00A4040007 D2760000850101 00", "9000")
    static let container: ScriptedCard.Turn = ("00A4000C02 E103", "9000")
    static let file: ScriptedCard.Turn = ("00A4000C02 E104", "9000")

    /// MLe 3B, MLc 34, 2048 bytes, free.
    static let plainContainer = "000F20003B00340406E10408000000"

    /// Everything up to the selected file.
    static func opening(_ bytes: String = plainContainer) -> [ScriptedCard.Turn] {
        [application, container, ("00B000000F", bytes + "9000"), file]
    }

    /// Opening again when the container is known.
    static let reopening = [application, file]

    static func opened(_ bytes: String = plainContainer, _ rest: ScriptedCard.Turn...) -> [ScriptedCard.Turn] {
        opening(bytes) + rest
    }
}
