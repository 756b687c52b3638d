import Foundation
import ISO7816
import NFCTags
import Testing
import TestSupport

@Suite struct `Type 5 Tags, exchange by exchange` {
    static let uid = "81DCD049080104E0"
    static func frame(_ frame: String, _ answer: String) -> Exchange {
        let bytes = hex(frame)
        let length = String(bytes.count, radix: 16)
        return Exchange("FFFD0601" + (length.count == 1 ? "0" : "") + length + frame + "00", answer)
    }
    static let information = frame("022B", "000F" + uid + "00004F03019000")
    static let container = frame("022000", "00E14028019000")

    static func tag(_ channel: ScriptedCard) -> Type5Tag {
        Type5Tag(native: UTrustISO15693Channel(channel: channel))
    }

    @Test func `reading takes system information, container and blocks`() async throws {
        let channel = ScriptedCard(Self.read)
        let result = try await Self.tag(channel).readNDEF()
        #expect(result == NDEFReadResult(status: .readWrite, capacity: 308, message: hex("D00000")))
        #expect(channel.isFinished)
    }

    @Test func `a tag that cannot read several blocks is read one by one`() async throws {
        let channel = ScriptedCard([
            Self.information, Self.container, Self.frame("02230103", "0101 9000"),
            Self.frame("022001", "000303D000 9000"), Self.frame("022002", "0000FE0000 9000"),
        ])
        #expect(try await Self.tag(channel).readNDEF().message == hex("D00000"))
        #expect(channel.isFinished)
    }

    @Test func `blocks of 32 bytes hold the container and the first TLV`() async throws {
        let block = "E1 40 10 00 0303D00000FE" + String(repeating: "00", count: 22)
        let channel = ScriptedCard([
            Self.frame("022B", "000F" + Self.uid + "0000031F01 9000"), Self.frame("022000", "00" + block + "9000"),
        ])
        #expect(try await Self.tag(channel).readNDEF().message == hex("D00000"))
        #expect(channel.isFinished)
    }

    @Test func `TLVs at the block behind the container are found with a warning`() async throws {
        let channel = ScriptedCard([
            Self.frame("022B", "000F" + Self.uid + "0000030701 9000"),
            Self.frame("022000", "00E1400400 FE000000 9000"), Self.frame("022001", "000303D00000FE0000 9000"),
        ])
        let result = try await Self.tag(channel).readNDEF()
        #expect(result.message == hex("D00000"))
        #expect(result.warnings == [.tlvsAtBlock(offset: 8)])
    }

    @Test func `without system information the first block gives the block size`() async throws {
        let channel = ScriptedCard([
            Self.frame("022B", "0101 9000"), Self.container,
            Self.frame("02230103", "00 0303D000 00FE0000 00000000 00000000 9000"),
        ])
        #expect(try await Self.tag(channel).readNDEF().capacity == 312)
    }

    static let nonsense = [
        "", "90", "9000", "019000", "0001029000", "6300", "00E1402801E14028019000", "000000000000 9000",
    ]

    @Test(arguments: nonsense) func `malformed data instead of the container is an error`(answer: String) async throws {
        let channel = ScriptedCard([Self.information, Self.frame("022000", answer)])
        let error = await #expect(throws: TagError.self) { try await Self.tag(channel).readNDEF() }
        #expect(error?.code == .tagResponseError)
    }

    @Test(arguments: 1...3) func `a tag that leaves is lost`(count: Int) async throws {
        let script = [Self.information, Self.container].prefix(count - 1)
        let error = await #expect(throws: TagError.self) {
            try await Self.tag(ScriptedCard(Array(script))).readNDEF()
        }
        #expect(error?.code == .tagConnectionLost)
    }

    static let read = [
        information, container, frame("02230103", "00 0303D000 00FE0000 00000000 00000000 9000"),
    ]

    @Test func `the option flag is tried if a tag refuses a write without it, and kept`() async throws {
        let channel = ScriptedCard(
            Self.read + [
                Self.frame("022C0101", "00 0000 9000"), Self.frame("0221010300D000", "0103 9000"),
                Self.frame("4221010300D000", "00 9000"),
                Self.frame("42210201FE0000", "00 9000"), Self.frame("4221010303D100", "00 9000"),
            ])
        try await Self.tag(channel).writeNDEF(hex("D10001"), verifying: false)
        #expect(channel.isFinished)
    }

    @Test(arguments: [
        ("0112 9000", WrittenState.old), ("0113 9000", .oldOrNew), ("6300", .oldOrNew),
        ("9000", .oldOrNew),
    ])
    func `a write is never repeated after any other answer`(answer: String, leaves: WrittenState) async throws {
        // A tag that does not support the command, or answers too few bytes, is written without the check.
        for status in ["00 00 9000", "0101 9000", "00 9000"] {
            try await expectOneWrite(status, answer, leaves)
        }
    }

    private func expectOneWrite(_ status: String, _ answer: String, _ leaves: WrittenState) async throws {
        let script = ScriptedCard(
            Self.read + [Self.frame("022C0100", status), Self.frame("0221010300FE00", answer)])
        let error = await #expect(throws: TagError.self) {
            try await Self.tag(script).writeNDEF([], verifying: false)
        }
        #expect(error?.code == .tagUpdateFailure)
        #expect(error?.leaves == leaves)
        #expect(script.isFinished)
    }

    @Test func `a locked block is refused before the first byte, and a tag that hides its locks is asked once`()
        async throws
    {
        let locked = ScriptedCard(Self.read + [Self.frame("022C0101", "00 0001 9000")])
        let error = await #expect(throws: TagError.self) {
            try await Self.tag(locked).writeNDEF(hex("D10001"), verifying: false)
        }
        #expect(error?.code == .tagNotWritable)
        #expect(error?.detail == "block 2 is locked")
        #expect(locked.isFinished)
        let write = [Self.frame("0221010300FE00", "00 9000")]
        let first = Self.read + [Self.frame("022C0100", "0101 9000")] + write
        let hiding = ScriptedCard(first + Array(Self.read.dropFirst()) + write)
        let tag = Self.tag(hiding)
        try await tag.writeNDEF([], verifying: false)
        try await tag.writeNDEF([], verifying: false)
        #expect(hiding.isFinished)
    }

    /// Three blocks of 4 bytes that cannot be read together; the answer of the second one is to come.
    static let dumped = [
        frame("022B", "000F" + uid + "0000020301 9000"), frame("02230002", "010F 9000"),
        // Whether a password is the reason, which this tag does not report.
        frame("02AB04", "0101 9000"), frame("022000", "00E1400101 9000"),
    ]

    @Test func `a dump skips a block that is refused`() async throws {
        let channel = ScriptedCard(
            Self.dumped + [
                Self.frame("022001", "010F 9000"), Self.frame("022002", "00A1A2A3A4 9000"),
                Self.frame("022C0002", "00 000100 9000"),
            ])
        let dump = try await Self.tag(channel).dump()
        #expect(dump.blocks.map(\.bytes?.bytes) == [hex("E1400101"), nil, hex("A1A2A3A4")])
        #expect(dump.blocks.map(\.meaning) == ["capability container", "locked", "counter"])
        #expect(dump.facts.lockedBlocks == [1])
        #expect(channel.isFinished)
    }

    @Test func `a dump ends if the tag is silent`() async throws {
        let channel = ScriptedCard(
            Self.dumped + [Self.frame("022001", "6300"), Self.frame("022C0002", "0101 9000")])
        let dump = try await Self.tag(channel).dump()
        #expect(dump.blocks.map(\.bytes?.bytes) == [hex("E1400101"), nil, nil])
        #expect(dump.facts.lockedBlocks == nil)
        #expect(channel.isFinished)
    }

    @Test func `a tag marked read-only that hides its locks is not locked further`() async throws {
        let channel = ScriptedCard([
            Self.information, Self.frame("022000", "00E1432801 9000"),
            Self.frame("02230103", "00 0303D000 00FE0000 00000000 00000000 9000"), Self.frame("022C0002", "0101 9000"),
        ])
        let error = await #expect(throws: TagError.self) { try await Self.tag(channel).makeReadOnly() }
        #expect(error?.code == .tagNotWritable)
        #expect(error?.detail.contains("does not report") == true)
        #expect(channel.isFinished)
    }

    @Test func `block access works with FF B0 and FF D6`() async throws {
        let channel = ScriptedCard([
            Exchange("FFB0000000", "E1402801 9000"), Exchange("FFCA000000", "81DCD049080104E0 9000"),
            Exchange("FFB0000104", "0300FE00 9000"), Exchange("FFB0000004", "E1402801 9000"),
            Exchange("FFB0000104", "0300FE00 9000"), Exchange("FFD6000104 0301D0FE", "9000"),
        ])
        let tag = Type5Tag(channel: channel)
        #expect(try await tag.readNDEF() == NDEFReadResult(status: .readWrite, capacity: 308, message: nil))
        try await tag.writeNDEF([0xD0], verifying: false)
        #expect(channel.isFinished)
    }

    @Test func `a reader that returns more than a block at once is handled`() async throws {
        let channel = ScriptedCard([
            Exchange("FFB0000000", "E1402800 0303D000 00FE0000 00000000 9000"),
            Exchange("FFB0000100", "0303D000 00FE0000 00000000 00000000 9000"),
            Exchange("FFCA000000", "81DCD049080104E0 9000"), Exchange("FFB0000104", "0303D000 9000"),
            Exchange("FFB0000204", "00FE0000 9000"),
        ])
        #expect(try await Type5Tag(channel: channel).readNDEF().message == hex("D00000"))
        #expect(channel.isFinished)
    }

    @Test func `blocks of 8 bytes are read through FF B0`() async throws {
        let channel = ScriptedCard([
            Exchange("FFB0000000", "E1400800 0306D000 9000"), Exchange("FFB0000100", "00000102 FE000000 9000"),
            Exchange("FFCA000000", "81DCD049180104E0 9000"), Exchange("FFB0000108", "00000102 FE000000 9000"),
        ])
        #expect(try await Type5Tag(channel: channel).readNDEF().message == hex("D00000000102"))
        #expect(channel.isFinished)
    }

    @Test(arguments: ["6300", "6700", "6981"])
    func `each size of a block is tried where a reader refuses Le 00`(refusal: String) async throws {
        let channel = ScriptedCard([
            Exchange("FFB0000000", refusal), Exchange("FFB0000004", refusal),
            Exchange("FFB0000008", "E1400800 0306D000 9000"), Exchange("FFB0000108", "00000102 FE000000 9000"),
            Exchange("FFCA000000", "81DCD049180104E0 9000"), Exchange("FFB0000108", "00000102 FE000000 9000"),
        ])
        #expect(try await Type5Tag(channel: channel).readNDEF().message == hex("D00000000102"))
        #expect(channel.isFinished)
    }

    @Test func `the first refusal is reported where no size of a block is accepted`() async throws {
        let refused = ["00", "04", "08", "10", "20"].map { Exchange("FFB00000\($0)", $0 == "00" ? "6300" : "6700") }
        let channel = ScriptedCard(refused)
        let error = await #expect(throws: TagError.self) { try await Type5Tag(channel: channel).readNDEF() }
        #expect(error?.statusWord?.rawValue == 0x6300)
        #expect(channel.isFinished)
    }

    @Test(arguments: ["9000", "0102039000", "E1", "", "E1402801E1402800009000"])
    func `malformed data instead of block 0 is an error`(answer: String) async throws {
        let channel = ScriptedCard([Exchange("FFB0000000", answer)])
        let error = await #expect(throws: TagError.self) { try await Type5Tag(channel: channel).readNDEF() }
        #expect(error?.code == .tagResponseError)
    }

    @Test func `an identified tag is read`() async throws {
        let channel = ScriptedCard([
            Exchange("FFB0000000", "6C04"), Exchange("FFB0000004", "00000000 9000"), Exchange("FFCA000000", "6A81"),
        ])
        let identity = TagIdentity(technology: .iso15693, identifier: [], atr: [])
        let result = try await readNDEF(from: identity, channel: channel)
        #expect(result.reason == "no magic number E1 or E2")
        #expect(channel.isFinished)
    }

    struct Row: Decodable, Sendable {
        var hex: String
        var expect: String
        var type: String

        enum CodingKeys: String, CodingKey {
            case hex, expect
            case type = "tag_type"
        }
    }

    static var file: URL { `Shared tag images`.folder.appendingPathComponent("capability-containers.jsonl") }
    static var isPresent: Bool { FileManager.default.isReadableFile(atPath: file.path) }

    @Test(.enabled(if: isPresent, "capability-containers.jsonl is missing; set NFCD_VECTORS to its folder"))
    func `containers of the shared vectors are accepted or refused as expected`() throws {
        let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
        let rows = try lines.map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }.filter { $0.type == "T5" }
        #expect(rows.count == 8)
        for row in rows {
            let container = try #require(Type5CapabilityContainer(hex(row.hex)))
            #expect((container.fault != nil) == (row.expect == "no-ndef"), "\(row.hex)")
            if container.fault == nil { #expect(container.isWritable == (row.expect == "ok"), "\(row.hex)") }
        }
        #expect(Type5CapabilityContainer(hex("E140280100"))?.dataAreaSize == 320)
        #expect(Type5CapabilityContainer(hex("E240000100000400"))?.dataAreaSize == 8192)
        #expect(Type5CapabilityContainer(hex("E2400001000004")) == nil && Type5CapabilityContainer([0xE1]) == nil)
    }
}

@Suite struct `Shared Type 5 images` {
    @Test(
        .enabled(if: `Shared tag images`.isPresent, "tag-images.jsonl is missing; set NFCD_VECTORS to its folder"))
    func `are not NDEF without a valid container`() throws {
        let images = try `Shared tag images`.images().filter { $0.tagType == "T5" }
        #expect(images.count == 1)
        for image in images { #expect(Type5CapabilityContainer(image.memory)?.fault == "no magic number E1 or E2") }
    }
}
