import NFCTags
import TestSupport
import Testing

/// Exchange by exchange through the pass-through of an ACR122U.
@Suite struct `A Type 2 tag behind a pass-through` {
    static let version = "D54300 0004040201000F03 9000"
    static let askVersion = "FF00000003D44260"
    static let refused = "D543029000"
    static let reactivate = "FF00000004D44A0100"
    static let reactivated = "D54B0101004400079000"
    /// Pages 0 to 15 of an NTAG213 with a message of 3 bytes.
    static let pages =
        "04A1B29F C3D4E5F6 04480000 E1101200 0103A00C 340303D0 0000FE00" + String(repeating: "00", count: 36)
    static let plain = [
        "04A1B29F C3D4E5F6 04480000 E1101200 9000", "0103A00C 340303D0 0000FE00 00000000 9000",
    ]

    static func read(_ answers: [String]) async -> (log: [String], result: NDEFReadResult?, error: TagError?) {
        let script = AnsweringChannel(answers)
        var result: NDEFReadResult?
        let error = await tagError {
            result = try await Type2Tag(channel: script, profile: .acr122u).readNDEF()
        }
        return (script.log.map { hex($0) }, result, error)
    }

    @Test func `is read in two exchanges`() async {
        let (log, result, error) = await Self.read([Self.version, "D54300" + Self.pages + "9000"])
        #expect(error == nil)
        #expect(result?.message == hex("D00000"))
        #expect(log == [Self.askVersion, "FF00000005D4423A000F"])
    }

    /// Invalid answers to GET_VERSION; a refusal makes the tag mute.
    static let silent: [(answer: String, isRefusal: Bool)] = [
        (refused, true), ("D543019000", true), ("6300", true), ("9000", true), ("", true), ("D54300 00 9000", false),
        ("D543009000", false), ("D54300 0004040201000F 9000", false), ("D54300 FF04040201000F03 9000", false),
    ]

    @Test(arguments: silent)
    func `is read with FF B0 if it does not support GET_VERSION`(row: (answer: String, isRefusal: Bool)) async {
        let answers = [row.answer] + (row.isRefusal ? [Self.reactivated] : []) + Self.plain
        let (log, result, error) = await Self.read(answers)
        #expect(error == nil)
        #expect(result?.message == hex("D00000"))
        #expect(log == [Self.askVersion] + (row.isRefusal ? [Self.reactivate] : []) + ["FFB0000010", "FFB0000410"])
    }

    /// Invalid answers to FAST_READ.
    static let failing = [
        refused, "D543019000", "6300", "", "D543009000", "D54300" + pages + "00" + "9000", "D54300AA9000",
    ]

    @Test(arguments: failing)
    func `is read with FF B0 if FAST_READ fails, and FAST_READ is not tried again`(answer: String) async {
        let (log, result, error) = await Self.read([Self.version, answer, Self.reactivated] + Self.plain)
        #expect(error == nil)
        #expect(result?.message == hex("D00000"))
        #expect(log == [Self.askVersion, "FF00000005D4423A000F", Self.reactivate, "FFB0000010", "FFB0000410"])
    }

    @Test(arguments: 0...4)
    func `that leaves gives error 100 at once`(after: Int) async {
        let answers = [Self.version, Self.refused, Self.reactivated] + Self.plain
        let (log, _, error) = await Self.read(Array(answers.prefix(after)))
        #expect(error?.code == .tagConnectionLost)
        #expect(log.count == after + 1)
    }

    @Test func `that does not come back gives error 100`() async {
        let (_, _, error) = await Self.read([Self.refused, "D54B009000"])
        #expect(error?.code == .tagConnectionLost)
    }

    static let packs: [(answer: String, pack: String?)] = [
        ("D54300 A1A2 9000", "A1A2"), ("D54300 A1 9000", nil), ("D54300 A1A2A3 9000", nil), (refused, nil),
        ("D543009000", nil), ("", nil),
    ]

    @Test(arguments: packs)
    func `answers a password with PACK`(row: (answer: String, pack: String?)) async {
        let script = AnsweringChannel([row.answer, Self.reactivated])
        var pack: [UInt8]?
        let error = await tagError {
            pack = try await Type2Tag(channel: script, profile: .acr122u).authenticate(password: [1, 2, 3, 4])
        }
        #expect(pack == row.pack.map { hex($0) })
        #expect((error?.code == .tagResponseError) == (row.pack == nil))
        #expect(script.log.first == hex("FF00000007D4421B01020304"))
    }

    /// Up to the proof: GET_VERSION of a clone, header, lock page.
    static let clone = [
        "D54300 0053040201000F03 9000", "04A1B29F C3D4E5F6 04480000 E1101200 9000",
        "000000BD 040000FF 00050000 00000000 9000",
    ]

    @Test func `is locked as a clone if its memory has the expected size`() async {
        let script = AnsweringChannel(
            Self.clone + [
                "00000000 00000000 04A1B29F C3D4E5F6 9000", Self.clone[2], "9000", "9000", "9000",
                "04A1B29F C3D4E5F6 0448FFFF E110120F 9000", "FF0F3FBD 040000FF 00050000 00000000 9000",
            ])
        let error = await tagError { try await Type2Tag(channel: script, profile: .acr122u).makeReadOnly() }
        #expect(error == nil)
        let reads = ["FFB0000010", "FFB0002810", "FFB0002B10", "FFB0002810"]
        let writes = ["FFD6000304E110120F", "FFD60002040448FFFF", "FFD6002804FF0F3F00"]
        #expect(script.log.map { hex($0) } == [Self.askVersion] + reads + writes + ["FFB0000010", "FFB0002810"])
    }

    @Test(arguments: ["00000000 00000000 00000000 00000000 9000", "00000000 00000000 04A1B29F 00000000 9000", "9000"])
    func `is not locked as a clone if its memory has another size`(end: String) async {
        let script = AnsweringChannel(Self.clone + [end])
        let error = await tagError { try await Type2Tag(channel: script, profile: .acr122u).makeReadOnly() }
        #expect(error?.code == .unsupportedFeature)
        #expect(script.log.allSatisfy { $0[1] != 0xD6 })
    }

    @Test func `fails to lock if not all lock bits were set`() async {
        let script = AnsweringChannel(
            Self.clone + [
                "00000000 00000000 04A1B29F C3D4E5F6 9000", Self.clone[2], "9000", "9000", "9000",
                "04A1B29F C3D4E5F6 0448FFFF E110120F 9000", "FF0F1FBD 040000FF 00050000 00000000 9000",
            ])
        let error = await tagError { try await Type2Tag(channel: script, profile: .acr122u).makeReadOnly() }
        #expect(error?.code == .tagUpdateFailure)
    }

    @Test func `random answers never trap and always end`() async {
        var generator = SplitMix(seed: 9)
        for _ in 0..<2_000 {
            let answers = (0..<40).map { _ -> Result<[UInt8], CardChannelError> in
                let heads = [hex("D54300"), hex("D54302"), hex("C003009000"), []]
                let head = heads.randomElement(using: &generator) ?? []
                let count = [0, 1, 8, 16, 32, 64, 100].randomElement(using: &generator) ?? 0
                let tail = [hex("9000"), hex("9000"), hex("6300"), []].randomElement(using: &generator) ?? []
                return .success(head + generator.bytes(count: count) + tail)
            }
            let profile = ReaderProfile.all.randomElement(using: &generator) ?? .generic
            let tag = Type2Tag(channel: AnsweringChannel(answers), profile: profile)
            _ = await tagError { _ = try await tag.readNDEF() }
            _ = await tagError { try await tag.writeNDEF([1, 2, 3], verifying: true) }
            _ = await tagError { try await tag.formatNDEF() }
            _ = await tagError { try await tag.makeReadOnly() }
            _ = await tagError { _ = try await tag.describe() }
            _ = await tagError { _ = try await tag.dump() }
        }
    }
}
