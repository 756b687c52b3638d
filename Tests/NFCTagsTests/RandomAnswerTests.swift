import NFCTags
import Synchronization
import Testing
import TestSupport

/// Answers with random bytes, most of them with a good status word, and gives up when it is asked too often.
final class RandomChannel: CardChannel {
    private let state: Mutex<(random: SplitMix, count: Int)>
    private let prefixes: [[UInt8]]

    init(seed: UInt64, prefixes: [[UInt8]]) {
        state = Mutex((SplitMix(seed: seed), 0))
        self.prefixes = prefixes
    }

    var count: Int { state.withLock { $0.count } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let answer = state.withLock { state -> [UInt8]? in
            state.count += 1
            return state.count > Self.limit ? nil : Self.answer(&state.random, prefixes)
        }
        guard let answer else { throw .tagLost }
        return answer
    }

    /// Above what the largest tag takes.
    static let limit = 20_000

    private static func answer(_ random: inout SplitMix, _ prefixes: [[UInt8]]) -> [UInt8] {
        let prefix = prefixes.randomElement(using: &random) ?? []
        let lengths = [0, 0, 1, 3, 4, 5, 16, 16, 17, 240]
        let length = lengths.randomElement(using: &random) ?? 0
        let rest = (0..<max(0, length - prefix.count)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let words: [[UInt8]] = [[0x90, 0x00], [0x90, 0x00], [0x90, 0x00], [0x63, 0x00], [0x6C, 0x10], []]
        return prefix + rest + (words.randomElement(using: &random) ?? [])
    }
}

@Suite struct `Random answers` {
    static let directory = hex("140103E103E103E103E103E103E103E1")
    static let rest = hex("03E103E103E103E103E103E103E103E1")
    static let trailer = hex("000000000000 7F0788C1 000000000000")
    static let sector = hex("000000000000 7F078840 000000000000")

    @Test(arguments: 0..<40) func `end in an error or a result, soon, on MIFARE Classic`(seed: Int) async {
        for (index, size) in MIFAREClassicSize.allCases.enumerated() {
            let channel = RandomChannel(
                seed: UInt64(seed * 8 + index),
                prefixes: [[], [], [], Self.directory, Self.rest, Self.trailer, Self.sector, [0x03, 0x10]])
            let reader = MIFAREClassicReader(maximumRead: seed.isMultiple(of: 2) ? 16 : 240)
            let reconnection = CardReconnection(identifier: []) {}
            await exercise(
                MIFAREClassicNDEFTag(channel: channel, size: size, reader: reader, reconnection: reconnection))
            #expect(channel.count < 5000)
        }
    }

    @Test(arguments: 0..<40) func `end in an error or a result, soon, on Type 5 Tags`(seed: Int) async {
        let container = hex("00 E1402801 0303D00000FE")
        let information = hex("000F 81DCD049080104E0 00 00 4F 03 01")
        let prefixes = [
            [], [0x00], [0x01, 0x03], container, Array(container.dropFirst()), information, hex("E2400001"),
        ]
        let frames = RandomChannel(seed: UInt64(seed), prefixes: prefixes)
        await exercise(Type5Tag(native: UTrustISO15693Channel(channel: frames)))
        let blocks = RandomChannel(seed: UInt64(seed + 1000), prefixes: prefixes)
        await exercise(Type5Tag(channel: blocks))
        #expect(frames.count < 5000 && blocks.count < 5000)
    }

    @Test(arguments: 0..<40) func `end in an error or a result, soon, on Type 2 Tags`(seed: Int) async {
        let header = hex("046E1102 4D5A8017 00480000 E1101200")
        // GET_VERSION of NTAG213 and of MIFARE Ultralight AES, PACK, the challenge and the proof of an AES key, a configuration.
        let answers = [
            "0004040201000F03", "0004030104000F03", "A1A2", "AF", "00", "0000003C0C050000 0000000000000000",
        ].map { hex($0) }
        // The ACR122U puts three bytes in front of what a tag answers to a frame.
        for (profile, front) in [(ReaderProfile.acr122u, hex("D54300")), (.acr1252u, [])] {
            let prefixes = [[], header, hex("0316D101")] + answers.map { front + $0 }
            let channel = RandomChannel(seed: UInt64(seed), prefixes: prefixes)
            let tag = Type2Tag(channel: channel, profile: profile)
            await exercise(tag)
            for password in [[1, 2, 3, 4], [UInt8](repeating: 5, count: 16)] {
                _ = try? await tag.authenticate(password: password)
                _ = try? await tag.setPassword(TagPassword(password: HexBytes(password), attempts: 5))
                try? await tag.removePassword()
                _ = try? await tag.configure(TagSettingChanges(counter: .on, mirror: .uid, mirrorPage: 9))
            }
            #expect(channel.count < 10_000)
        }
    }

    /// Whatever comes back is as good as any other; it must only come back.
    private func exercise(_ tag: any NDEFTag) async {
        for _ in 0..<10 {
            _ = try? await tag.readNDEF()
            try? await tag.writeNDEF([0xD0, 0x00, 0x00], verifying: true)
            try? await tag.writeNDEF([UInt8](repeating: 7, count: 300), verifying: false)
            try? await tag.formatNDEF()
            try? await tag.makeReadOnly()
            _ = try? await tag.queryStatus()
            _ = try? await tag.describe()
            _ = try? await tag.dump()
        }
    }
}
