import NFCTags
import Testing
import TestSupport

/// Frames of Type 1 Tags inside the pseudo-APDUs of an ACR122U.
private enum Wire {
    static let uid = "11223344"
    static let block0 = "11223344556677 00"
    static let rid = command("78000000000000")
    static let readAll = command("000000 \(uid)")
    static let silence = OrderedScript.Answer.bytes("D54101 9000")

    static func command(_ frame: String) -> String {
        "FF000000 \(hex([UInt8(hex(frame).count + 3)])) D44001 \(frame)"
    }
    static func answer(_ frame: String) -> OrderedScript.Answer { .bytes("D54100 \(frame) 9000") }
    static func header(_ rom: String = "1148") -> (String, OrderedScript.Answer) { (rid, answer(rom + uid)) }

    /// Static memory with this content from byte 8 on, and these lock bytes.
    static func memory(_ content: String, locks: String = "0120") -> String {
        let head = hex(block0 + content)
        let filled = head + [UInt8](repeating: 0, count: 112 - head.count)
        return hex(filled + hex(locks) + [UInt8](repeating: 0, count: 6))
    }

    static func all(_ content: String, locks: String = "0120", rom: String = "1148") -> (String, OrderedScript.Answer) {
        (readAll, answer(rom + uid + String(memory(content, locks: locks).dropFirst(8))))
    }

    static func write(_ address: Int, _ byte: UInt8) -> (String, OrderedScript.Answer) {
        let pair = hex([UInt8(address), byte])
        return (command("53 \(pair) \(uid)"), answer(pair))
    }
}

@Suite struct `Type 1 tags` {
    static func tag(_ script: [(String, OrderedScript.Answer)]) -> (Type1Tag, OrderedScript) {
        let channel = OrderedScript(script)
        let reader = ACR122UDataExchange(channel: channel)
        return (Type1Tag(channel: reader, identifier: hex(Wire.uid + "556677")), channel)
    }

    @Test func `a Topaz is read in two exchanges, the second time in one`() async throws {
        let memory = Wire.all("E1100E00 0303D00000FE")
        let (tag, channel) = Self.tag([Wire.header(), memory, memory])
        let expected = NDEFReadResult(status: .readWrite, capacity: 90, message: hex("D00000"))
        #expect(try await tag.readNDEF() == expected)
        #expect(try await tag.readNDEF() == expected)
        #expect(channel.isDone)
    }

    static let contents: [(String, NDEFStatus, String?)] = [
        ("E1100E00 0300FE", .readWrite, nil), ("E1100E0F 0301D0FE", .readOnly, "D0"),
        ("E1100E00 000000 0301D0FE", .readWrite, "D0"), ("E1100E00 FD0102 0301D0FE", .readWrite, "D0"),
        ("E1100E00 FE", .notSupported, nil), ("E1100E00", .notSupported, nil), ("00000000 0300", .notSupported, nil),
        ("E1200E00 0300FE", .notSupported, nil), ("E1100EF0 0300FE", .notSupported, nil),
        ("E1100000 0300FE", .notSupported, nil),
    ]

    @Test(arguments: contents) func `the memory determines the result`(
        content: String, status: NDEFStatus, message: String?
    ) async throws {
        let (tag, channel) = Self.tag([Wire.header(), Wire.all(content)])
        let result = try await tag.readNDEF()
        #expect(result.status == status)
        #expect(result.message == message.map { hex($0) })
        #expect(channel.isDone)
    }

    @Test func `a header ROM without NDEF is not NDEF`() async throws {
        let (tag, channel) = Self.tag([Wire.header("2148")])
        #expect(try await tag.readNDEF().status == .notSupported)
        #expect(channel.isDone)
    }

    @Test func `dynamic memory is read in segments, or in blocks where the reader has none`() async throws {
        let uid = Wire.uid
        let content = Wire.memory("E1103F00 0103F23033 0203F00203 0301D0FE") + "0000000000000000"
        let segment = Wire.command("1000 0000000000000000 \(uid)")
        let (tag, channel) = Self.tag([Wire.header("124C"), (segment, Wire.answer("00" + content))])
        let expected = NDEFReadResult(status: .readWrite, capacity: 462, message: [0xD0])
        #expect(try await tag.readNDEF() == expected)
        #expect(channel.isDone)
        let blocks = (0..<4).map { block -> (String, OrderedScript.Answer) in
            let number = hex([UInt8(block)])
            let bytes = content.dropFirst(block * 16).prefix(16)
            return (Wire.command("02\(number) 0000000000000000 \(uid)"), Wire.answer(number + bytes))
        }
        let (other, slow) = Self.tag([Wire.header("124C"), (segment, Wire.silence)] + blocks)
        #expect(try await other.readNDEF() == expected)
        #expect(slow.isDone)
    }

    static let nonsense: [([(String, OrderedScript.Answer)], NFCErrorCode)] = [
        ([(Wire.rid, Wire.silence)], .tagResponseError), ([(Wire.rid, .failure(.tagLost))], .tagConnectionLost),
        ([(Wire.rid, Wire.answer(""))], .tagResponseError),
        ([(Wire.rid, Wire.answer("1148112233"))], .tagResponseError),
        ([(Wire.rid, Wire.answer("1148 11223344 00"))], .tagResponseError),
        ([(Wire.rid, Wire.answer("1148 99223344"))], .tagConnectionLost),
        ([Wire.header(), (Wire.readAll, Wire.silence)], .tagResponseError),
        ([Wire.header(), (Wire.readAll, Wire.answer("1148"))], .tagResponseError),
        ([Wire.header(), (Wire.readAll, Wire.answer("1148 99" + Wire.memory("").dropFirst(2)))], .tagConnectionLost),
        ([Wire.header(), (Wire.readAll, .bytes("6300"))], .tagResponseError),
        ([Wire.header(), (Wire.readAll, .bytes("90"))], .tagResponseError),
        ([Wire.header(), Wire.all("E1100E00 0360")], .tagResponseError),
        // A size beyond the memory, and a message that reaches there.
        ([Wire.header(), Wire.all("E110FF00 0370")], .tagResponseError),
    ]

    @Test(arguments: nonsense) func `a malformed answer is an error`(
        script: [(String, OrderedScript.Answer)], code: NFCErrorCode
    ) async {
        let (tag, channel) = Self.tag(script)
        #expect(await thrown { () throws(TagError) in try await tag.readNDEF() }?.code == code)
        #expect(channel.isDone)
    }

    @Test func `a message is written byte by byte, its length first and last`() async throws {
        let (tag, channel) = Self.tag([
            Wire.header(), Wire.all("E1100E00 0302AABBFE"), Wire.write(13, 0), Wire.write(14, 0xD0),
            Wire.write(15, 0x00), Wire.write(16, 0x00), Wire.write(17, 0xFE), Wire.write(13, 3),
        ])
        try await tag.writeNDEF(hex("D00000"), verifying: false)
        #expect(channel.isDone)
    }

    static let broken: [(OrderedScript.Answer, NFCErrorCode)] = [
        (Wire.silence, .tagUpdateFailure), (Wire.answer("0E00"), .tagUpdateFailure),
        (Wire.answer("0E"), .tagUpdateFailure),
        (.failure(.tagLost), .tagConnectionLost),
    ]

    @Test(arguments: broken) func `a byte that is not repeated ends the write`(
        answer: OrderedScript.Answer, code: NFCErrorCode
    ) async {
        let (tag, channel) = Self.tag([
            Wire.header(), Wire.all("E1100E00 0302AABBFE"), Wire.write(13, 0), (Wire.write(14, 0xD0).0, answer),
        ])
        let error = await thrown { () throws(TagError) in try await tag.writeNDEF(hex("D00000"), verifying: false) }
        #expect(error?.code == code)
        #expect(error?.leaves == .empty)
        #expect(channel.isDone)
    }

    static let refusals: [(String, String, Int, NFCErrorCode)] = [
        ("E1100E0F 0300FE", "0120", 1, .tagNotWritable), ("E1100E00 0300FE", "0320", 1, .tagNotWritable),
        ("E1100E00 0300FE", "0520", 10, .tagNotWritable), ("E1100E00 0300FE", "0120", 91, .tagSizeTooSmall),
        ("00000000", "0120", 1, .unsupportedFeature), ("E1100E00 FE", "0120", 1, .unsupportedFeature),
    ]

    @Test(arguments: refusals) func `what cannot be written is refused before the first byte`(
        content: String, locks: String, count: Int, code: NFCErrorCode
    ) async {
        let (tag, channel) = Self.tag([Wire.header(), Wire.all(content, locks: locks)])
        let message = Images.message(count: count)
        let error = await thrown { () throws(TagError) in try await tag.writeNDEF(message, verifying: false) }
        #expect(error?.code == code)
        #expect(channel.isDone)
    }

    @Test func `a blank Topaz is formatted, the container's first byte last`() async throws {
        let writes = [(13, 0x00), (12, 0x03), (11, 0x00), (10, 0x0E), (9, 0x10), (8, 0xE1)]
        let (tag, channel) = Self.tag(
            [Wire.header(), Wire.all("")] + writes.map { Wire.write($0.0, UInt8($0.1)) })
        try await tag.formatNDEF()
        #expect(channel.isDone)
    }

    @Test(arguments: [("1148", "12345678"), ("1149", "00000000")])
    func `what is not blank or not known is not formatted`(rom: String, content: String) async {
        let (tag, channel) = Self.tag([Wire.header(rom), Wire.all(content, rom: rom)])
        let error = await thrown { () throws(TagError) in try await tag.formatNDEF() }
        #expect(error?.code == .unsupportedFeature)
        #expect(channel.isDone)
    }

    @Test func `locking sets byte 11, then the lock bytes, and reports its progress`() async throws {
        let set = { (address: String, bits: String, answer: OrderedScript.Answer) in
            (Wire.command("1A \(address) \(bits) \(Wire.uid)"), answer)
        }
        let start = [Wire.header(), Wire.all("E1100E00 0300FE"), set("0B", "0F", Wire.answer("0B0F"))]
        let (good, channel) = Self.tag(
            start + [set("70", "FF", Wire.answer("70FF")), set("71", "FF", Wire.answer("71FF"))])
        try await good.makeReadOnly()
        #expect(channel.isDone)
        for answer in [Wire.silence, Wire.answer("7001")] {
            let (bad, _) = Self.tag(start + [set("70", "FF", answer)])
            let error = await thrown { () throws(TagError) in try await bad.makeReadOnly() }
            #expect(error?.code == .tagUpdateFailure)
            #expect(error?.detail.contains("only marked") == true)
        }
        let (unknown, silent) = Self.tag([Wire.header("1149"), Wire.all("E1100E00 0300FE", rom: "1149")])
        let error = await thrown { () throws(TagError) in try await unknown.makeReadOnly() }
        #expect(error?.code == .unsupportedFeature)
        #expect(silent.isDone)
    }
}
