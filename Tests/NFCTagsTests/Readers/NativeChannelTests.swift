import ISO7816
import NFCTags
import Testing
import TestSupport

@Suite struct `A native transport` {
    static func channel(_ profile: ReaderProfile, _ script: AnsweringChannel) throws -> any NativeChannel {
        try #require(profile.nativeChannel(over: script))
    }

    static let session = ["C0030090009000", "C0030090008F01009000"]
    static let end = "C0030090009000"

    struct Exchange: Sendable {
        let profile: ReaderProfile
        let answers: [String]
        let commands: [String]
        var answer = "0004040201000F03"
    }

    static let exchanges = [
        Exchange(profile: .acr122u, answers: ["D543000004040201000F039000"], commands: ["FF00000003D44260"]),
        // The upper two bits of the status do not indicate an error.
        Exchange(profile: .acr122u, answers: ["D543400004040201000F039000"], commands: ["FF00000003D44260"]),
        Exchange(profile: .acr1252u, answers: ["0004040201000F039000"], commands: ["FF0000000160"]),
        Exchange(profile: .omnikey5321, answers: ["0004040201000F039000"], commands: ["FFA000050401000160"]),
        Exchange(
            profile: .acr1552u,
            answers: session + ["C003009000920100960200009708" + "0004040201000F03" + "9000", end],
            commands: [
                "FFC2000002810000", "FFC20002048F02000300", "FFC200010A5F46040001010095016000", "FFC2000002820000",
            ]),
        // A length of two bytes.
        Exchange(
            profile: .acr1552u, answers: session + ["C003009000920100960200009781" + "029122" + "9000", end],
            commands: [
                "FFC2000002810000", "FFC20002048F02000300", "FFC200010A5F46040001010095016000", "FFC2000002820000",
            ], answer: "9122"),
        // Four bits: an ACK.
        Exchange(
            profile: .acr1552u, answers: session + ["C0030090009201049602000097010A9000", end],
            commands: [
                "FFC2000002810000", "FFC20002048F02000300", "FFC200010A5F46040001010095016000", "FFC2000002820000",
            ], answer: "0A"),
    ]

    @Test(arguments: exchanges)
    func `wraps a frame and unwraps the answer`(row: Exchange) async throws {
        let script = AnsweringChannel(row.answers)
        let channel = try Self.channel(row.profile, script)
        #expect(try await channel.transceive([0x60]) == hex(row.answer))
        #expect(script.log == row.commands.map { hex($0) })
    }

    struct InvalidAnswer: Sendable {
        let profile: ReaderProfile
        let answer: String
        var code = NFCErrorCode.tagResponseError
    }

    static let invalid: [InvalidAnswer] =
        ["", "90", "9000", "6300", "D5439000", "D543019000", "D543029000", "D543149000", "D54100AA9000", "D59000"].map {
            InvalidAnswer(profile: .acr122u, answer: $0)
        }
        + ["", "90", "6300", "6D00"].flatMap {
            [InvalidAnswer(profile: .acr1252u, answer: $0), InvalidAnswer(profile: .omnikey5321, answer: $0)]
        }

    @Test(arguments: invalid)
    func `reports an invalid answer as an error`(row: InvalidAnswer) async throws {
        let script = AnsweringChannel([row.answer])
        let channel = try Self.channel(row.profile, script)
        let error = await tagError { _ = try await channel.transceive([0x60]) }
        #expect(error?.code == row.code)
        #expect(script.log.count == 1)
    }

    static let failing = [
        "", "90", "9000", "6300", "C0030164019000", "C0030163009000", "C003009000", "C00300" + "9000",
        "C0030090009201009602000097109000", "C0030090009700", "C0030090009201049602000097010" + "09000",
        "C003009000920100960201009702AABB9000", "C0030090009000", "C00300900097FF9000", "5F9000",
        "C003009000978200029000",
    ]

    @Test(arguments: failing)
    func `ends a transparent session after every error`(answer: String) async throws {
        let script = AnsweringChannel(Self.session + [answer, Self.end])
        let channel = try Self.channel(.acr1552u, script)
        let error = await tagError { _ = try await channel.transceive([0x30, 0xFF]) }
        #expect(error?.code == .tagResponseError)
        #expect(script.log.count == 4)
        #expect(script.log.last == hex("FFC2000002820000"))
    }

    @Test func `ends a session that failed to start`() async throws {
        for answers in [["6900"], ["C0030164019000"], ["C0030090009000", "C0030164019000"]] {
            let script = AnsweringChannel(answers + [Self.end])
            let channel = try Self.channel(.acr1552u, script)
            #expect(await tagError { _ = try await channel.transceive([0x60]) } != nil)
            #expect(script.log.last == hex("FFC2000002820000"))
            #expect(script.log.count == answers.count + 1)
        }
    }

    @Test(arguments: [ReaderProfile.acr122u, .acr1252u, .omnikey5321, .acr1552u])
    func `reports a tag that left`(profile: ReaderProfile) async throws {
        let script = AnsweringChannel([String]())
        let channel = try Self.channel(profile, script)
        #expect(await tagError { _ = try await channel.transceive([0x60]) }?.code == .tagConnectionLost)
    }

    @Test(arguments: [(ReaderProfile.acr122u, 253), (.acr1252u, 255), (.omnikey5321, 252), (.acr1552u, 127)])
    func `refuses frames that are empty or too long`(profile: ReaderProfile, limit: Int) async throws {
        for count in [0, limit + 1, 10_000] {
            let script = AnsweringChannel([String]())
            let channel = try Self.channel(profile, script)
            let frame = [UInt8](repeating: 0x60, count: count)
            #expect(await tagError { _ = try await channel.transceive(frame) }?.code == .packetTooLong)
            #expect(script.log.isEmpty)
        }
    }

    @Test func `selects the tag again if the reader supports it`() async throws {
        let pn53x = AnsweringChannel(["D54B0101004400079000"])
        #expect(try await PN53xChannel(channel: pn53x).reactivate())
        #expect(pn53x.log == [hex("FF00000004D44A0100")])
        let gone = AnsweringChannel(["D54B009000"])
        #expect(await tagError { _ = try await PN53xChannel(channel: gone).reactivate() }?.code == .tagConnectionLost)
        let direct = AnsweringChannel([String]())
        #expect(try await DirectChannel(channel: direct).reactivate() == false)
        #expect(direct.log.isEmpty)
        let session = AnsweringChannel(Self.session + [Self.end])
        #expect(try await TransparentChannel(channel: session).reactivate())
    }

    @Test(arguments: TransparentChannel.Timer.allCases)
    func `uses times that are the same in both byte orders`(timer: TransparentChannel.Timer) async throws {
        let script = AnsweringChannel(Self.session + ["C00300900097010A9000", Self.end])
        _ = try await TransparentChannel(channel: script, technology: .iso15693, timer: timer).transceive([0x02])
        #expect(script.log[1] == hex("FFC20002048F02020300"))
        let time = Array(script.log[2].dropFirst(8).prefix(4))
        #expect(time == time.reversed())
        #expect(time.contains { $0 != 0 })
    }
}

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

    @Test func `stop at the first failure, and the session ends`() async {
        let script = AnsweringChannel(Self.start + [Self.reply("01"), Self.refusal, Self.end])
        let channel = TransparentChannel(channel: script)
        let error = await tagError { _ = try await channel.transceive(inTurn: [[0x30], [0x31], [0x32]]) }
        #expect(error?.code == .tagResponseError)
        #expect(script.log.count == 5)
        #expect(script.log.last == hex("FFC2000002820000"))
    }

    @Test func `are not sent if one of them is too long or there are none`() async throws {
        let script = AnsweringChannel([String]())
        let channel = TransparentChannel(channel: script)
        let long = [UInt8](repeating: 0, count: 128)
        #expect(await tagError { _ = try await channel.transceive(inTurn: [[0x30], long]) }?.code == .packetTooLong)
        #expect(try await channel.transceive(inTurn: []) == [])
        #expect(script.log.isEmpty)
    }

    @Test func `are single exchanges on other readers`() async throws {
        let script = AnsweringChannel(["019000", "029000"])
        let channel = DirectChannel(channel: script)
        #expect(try await channel.transceive(inTurn: [[0x30], [0x31]]) == [[1], [2]])
        #expect(script.log == [hex("FF0000000130"), hex("FF0000000131")])
        #expect(channel.framesInTurn == 1 && TransparentChannel(channel: script).framesInTurn > 1)
    }
}
