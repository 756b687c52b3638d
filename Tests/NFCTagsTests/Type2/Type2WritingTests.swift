import NFCTags
import Testing
import TestSupport

/// Exchange by exchange, with a tag that is a script.
@Suite struct `A Type 2 tag that is written` {
    static let header = "04A1B29F C3D4E5F6 04480000 E1100600 9000"
    static let empty = "0300FE00 00000000 00000000 00000000 9000"
    static let message = hex("D1010055")
    static let writes = ["FFD6000504 0055FE00", "FFD6000404 0304D101"]
    static let reads = ["FFB0000010", "FFB0000410"]

    static func write(
        _ answers: [String], profile: ReaderProfile = .generic, verifying: Bool = false
    ) async -> (log: [[UInt8]], error: TagError?) {
        let script = AnsweringChannel(answers)
        let tag = Type2Tag(channel: script, profile: profile)
        let error = await tagError { try await tag.writeNDEF(message, verifying: verifying) }
        return (script.log, error)
    }

    @Test func `is read first, then gets the data, and the length last`() async {
        let (log, error) = await Self.write([Self.header, Self.empty, "9000", "9000"])
        #expect(error == nil)
        #expect(log == (Self.reads + Self.writes).map { hex($0) })
    }

    @Test func `is read back on request, before and after the length is written`() async {
        let after = "0304D101 0055FE00 00000000 00000000 9000"
        let (log, error) = await Self.write(
            [Self.header, Self.empty, "9000", "0055FE00 00000000 00000000 00000000 9000", "9000", after],
            verifying: true)
        #expect(error == nil)
        #expect(
            log
                == ["FFB0000010", "FFB0000410", Self.writes[0], "FFB0000510", Self.writes[1], "FFB0000410"].map {
                    hex($0)
                })
    }

    @Test func `that reads back other data fails with update error`() async {
        let (log, error) = await Self.write(
            [Self.header, Self.empty, "9000", "0055FF00 00000000 00000000 00000000 9000"], verifying: true)
        #expect(error?.code == .tagUpdateFailure)
        #expect(error?.detail.contains("block 5 does not read back as written") == true)
        // The tag is asked for a mirror.
        #expect(log.count == 5)
        let second = await Self.write(
            [
                Self.header, Self.empty, "9000", "0055FE00 00000000 00000000 00000000 9000", "9000",
                "0300FE00 0055FE00 00000000 00000000 9000",
            ], verifying: true)
        #expect(second.error?.code == .tagUpdateFailure)
    }

    @Test(arguments: [
        ("4102AABB 0303D000 00FE0000 00000000 9000", "type 41 at byte 16"),
        ("00000055 02AABB03 03D00000 FE000000 9000", "type 55 at byte 19"),
    ])
    func `behind TLVs of unknown type may be there by chance and is not replaced unasked`(
        memory: String, words: String
    ) async {
        let (log, error) = await Self.write([Self.header, memory])
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains(words) == true, "\(error?.detail ?? "")")
        #expect(log.count == 2)
        let script = AnsweringChannel([Self.header, memory, "9000", "9000", "9000", "9000"])
        let forced = await tagError {
            try await Type2Tag(channel: script).writeNDEF(
                Self.message, verifying: false, overwriting: true, progress: nil)
        }
        #expect(forced == nil && script.log.count > 2)
    }

    @Test func `behind control TLVs and those of makers is replaced`() async {
        let (log, error) = await Self.write([
            Self.header, "FD01AA03 0003FE00 00000000 00000000 9000", "9000", "9000", "9000",
        ])
        #expect(error == nil && log.count > 2)
    }

    static let refusals = ["", "90", "6300", "6581", "6A81", "6700", "6982", "6F00"]

    @Test(arguments: refusals, [0, 1])
    func `is never written again after a failure`(answer: String, step: Int) async {
        let answers = [Self.header, Self.empty] + [String](repeating: "9000", count: step) + [answer]
        let (log, error) = await Self.write(answers + ["9000", "9000"])
        #expect(error?.code == .tagUpdateFailure)
        // Only a checking error shows that the page was not written: 63 00 is a missing answer too.
        let isRefusal = ["6A81", "6700", "6982"].contains(answer)
        #expect(error?.leaves == (step == 0 ? .old : isRefusal ? .empty : .emptyOrNew))
        #expect(log.count == 3 + step)
    }

    @Test(arguments: 0...3)
    func `is not accessed after it left`(after: Int) async {
        let (log, error) = await Self.write(Array([Self.header, Self.empty, "9000", "9000"].prefix(after)))
        #expect(error?.code == .tagConnectionLost)
        #expect((error?.leaves != nil) == (after >= 2))
        #expect(log.count == after + 1)
    }

    static let silences: [(failure: CardChannelError, code: NFCErrorCode)] = [
        (.timedOut, .tagUpdateFailure), (.transport(code: 0x8010_0016, message: "x"), .tagUpdateFailure),
        (.readerFailed, .sessionTerminatedUnexpectedly), (.busy, .systemIsBusy), (.tagLost, .tagConnectionLost),
    ]

    @Test(arguments: silences, [0, 1])
    func `is not written again if there was no answer`(
        row: (failure: CardChannelError, code: NFCErrorCode), step: Int
    ) async {
        let before = [Self.header, Self.empty] + [String](repeating: "9000", count: step)
        let script = AnsweringChannel(
            before.map { .success(hex($0)) } + [.failure(row.failure), .success(hex("9000"))])
        let error = await tagError { try await Type2Tag(channel: script).writeNDEF(Self.message, verifying: false) }
        #expect(error?.code == row.code)
        #expect(error?.leaves == (step == 0 ? .old : .emptyOrNew))
        #expect(script.log.count == 3 + step)
    }

    static let closed: [(container: String, lock: String, code: NFCErrorCode)] = [
        ("E110060F", "0000", .tagNotWritable), ("E1100608", "0000", .tagNotWritable),
        ("E1100605", "0000", .tagNotWritable), ("E1100600", "1000", .tagNotWritable),
        ("E1100600", "2000", .tagNotWritable), ("E1100600", "FFFF", .tagNotWritable),
        ("00000000", "0000", .unsupportedFeature), ("F110FFEE", "0000", .unsupportedFeature),
        ("E1200600", "0000", .unsupportedFeature),
        // Bit 0 to 2 and the container's own lock do not concern the message.
        ("E1100600", "0F00", .init(rawValue: 0)), ("E1100600", "0080", .init(rawValue: 0)),
    ]

    @Test(arguments: closed)
    func `is refused before the first byte if it cannot be written`(
        row: (container: String, lock: String, code: NFCErrorCode)
    ) async {
        let header = "04A1B29F C3D4E5F6 0448\(row.lock) \(row.container) 9000"
        let (log, error) = await Self.write([header, Self.empty, "9000", "9000"])
        #expect((error?.code ?? .init(rawValue: 0)) == row.code)
        #expect(log.contains { $0[1] == 0xD6 } == (error == nil))
    }

    @Test func `without a message TLV is error 1`() async {
        let (log, error) = await Self.write([Self.header, "FE000000 00000000 00000000 00000000 9000"])
        #expect(error?.code == .unsupportedFeature)
        #expect(log.count == 2)
    }

    @Test func `with a damaged message TLV is not touched`() async {
        let (log, error) = await Self.write([Self.header, "03FFFFFF 00000000 00000000 00000000 9000"])
        #expect(error?.code == .tagResponseError)
        #expect(log.count == 2)
    }

    /// The identifier in page 0 or of `FF CA`, and whether it is 04A1B2C3D4E5F6.
    static let identifiers: [(answers: [String], isRight: Bool)] = [
        ([header], true), (["04A1B29F C3D4E5F7 04480000 E1100600 9000"], false),
        (["04A1B2C3 D4E5F600 44000000 E1100600 9000"], true),
        (["6300", "C3D4E5F6 04480000 E1100600 00000000 9000", "04A1B2C3D4E5F69000"], true),
        (["6300", "C3D4E5F6 04480000 E1100600 00000000 9000", "04A1B2C3D4E5F79000"], false),
        (["6300", "C3D4E5F6 04480000 E1100600 00000000 9000", "6A81"], false),
    ]

    @Test(arguments: identifiers)
    func `is the expected one`(row: (answers: [String], isRight: Bool)) async {
        let script = AnsweringChannel(row.answers + [Self.empty, "9000", "9000"])
        let tag = Type2Tag(channel: script, expectedIdentifier: hex("04A1B2C3D4E5F6"))
        let error = await tagError { try await tag.writeNDEF([], verifying: false) }
        #expect((error?.code == .tagConnectionLost) == !row.isRight)
        #expect(script.log.allSatisfy { $0[1] != 0xD6 })
    }

    @Test func `keeps the areas that control TLVs reserve`() async throws {
        // Bytes 24 to 31, pages 6 and 7, are reserved; the message begins in page 5.
        let script = AnsweringChannel([
            Self.header, "02033008 030300FE AAAAAAAA AAAAAAAA 9000",
            "00000000 00000000 00000000 00000000 9000", "9000", "9000",
        ])
        try await Type2Tag(channel: script).writeNDEF(Self.message, verifying: false)
        #expect(script.log.filter { $0[1] == 0xD6 } == ["FFD6000804 010055FE", "FFD6000504 030304D1"].map { hex($0) })
    }
}
