import NFCTags
import Testing

@Suite struct `Frames in turn` {
    static let start = ["C0030090009000", "C0030090008F01009000"]
    static let end = "C0030090009000"
    static let refusal = "C0030164019000"

    static func reply(_ byte: String) -> String { "C003009000" + "9701" + byte + "9000" }

    @Test func `share one session`() async throws {
        let script = AnsweringChannel(Self.start + [Self.reply("01"), Self.reply("02"), Self.reply("03"), Self.end])
        let answers = try await TransparentChannel(channel: script).transceive(inTurn: [[0x30], [0x31], [0x32]])
        #expect(answers == [[1], [2], [3]])
        #expect(script.log.map(\.last) == [0, 0, 0, 0, 0, 0])
        #expect(script.log.map { $0[3] } == [0, 2, 1, 1, 1, 0])
        #expect(script.log.last == hex("FFC2000002820000"))
    }

    @Test func `stop at the first that fails, and the session is ended`() async {
        let script = AnsweringChannel(Self.start + [Self.reply("01"), Self.refusal, Self.end])
        let channel = TransparentChannel(channel: script)
        let error = await tagError { _ = try await channel.transceive(inTurn: [[0x30], [0x31], [0x32]]) }
        #expect(error?.code == .tagResponseError)
        #expect(script.log.count == 5)
        #expect(script.log.last == hex("FFC2000002820000"))
    }

    @Test func `are not begun where one of them is too long, or there is none`() async throws {
        let script = AnsweringChannel([String]())
        let channel = TransparentChannel(channel: script)
        let long = [UInt8](repeating: 0, count: 128)
        #expect(await tagError { _ = try await channel.transceive(inTurn: [[0x30], long]) }?.code == .packetTooLong)
        #expect(try await channel.transceive(inTurn: []) == [])
        #expect(script.log.isEmpty)
    }

    @Test func `are single exchanges elsewhere`() async throws {
        let script = AnsweringChannel(["019000", "029000"])
        let channel = DirectChannel(channel: script)
        #expect(try await channel.transceive(inTurn: [[0x30], [0x31]]) == [[1], [2]])
        #expect(script.log == [hex("FF0000000130"), hex("FF0000000131")])
        #expect(channel.framesInTurn == 1 && TransparentChannel(channel: script).framesInTurn > 1)
    }
}
