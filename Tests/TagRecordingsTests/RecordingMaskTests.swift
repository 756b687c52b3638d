import NFCTypes
import TagRecordings
import Testing

/// An exchange with a marked part: `S` bytes are secret, `C` bytes are contents, and the rest has to stay.
struct MaskCase: Sendable, CustomTestStringConvertible {
    let name: String
    let atr: String
    var before: [(String, String)] = []
    let command: String
    let answer: String
    /// What the recording without contents has.
    let masked: (command: String, answer: String)
    /// What the recording with contents has.
    let withContent: (command: String, answer: String)

    var testDescription: String { name }
}

private let type2 = "3B8F8001804F0CA0000003060300030000000068"
private let classic = "3B8F8001804F0CA000000306030001000000006A"
private let feliCa = "3B8F8001804F0CA00000030611003B0000000042"
private let vicinity = "3B8F8001804F0CA0000003060B00140000000077"
private let card = "3B8180018080"

@Suite struct RecordingMaskTests {
    static let cases: [MaskCase] = [
        .secret("LOAD KEYS of a reader", classic, "FF82000006A0A1A2A3A4A5", "9000", "FF82000006************", "9000"),
        .open("GENERAL AUTHENTICATE of a reader", classic, "FF860000050100076000", "9000"),
        .open("the obsolete AUTHENTICATE of a reader", classic, "FF8800076000", "9000"),
        .open("GET DATA", type2, "FFCA000000", "04A1B2C3D4E5809000"),
        .content("a page with contents", type2, "FFB0000404", "0103A00C9000", "FFB0000404", "********9000"),
        .open("the first pages", type2, "FFB0000010", "04A1B21F6A8040802A480000E11012009000"),
        MaskCase(
            name: "a write of PWD on an unknown Type 2 tag", atr: type2, command: "FFD6008504DEADBEEF", answer: "9000",
            masked: ("FFD6008504********", "9000"), withContent: ("FFD6008504********", "9000")),
        .content(
            "lock bits where another product has its password", type2, "FFB0002804", "0000007F9000", "FFB0002804",
            "********9000"),
        MaskCase(
            name: "a write of PWD on NTAG215", atr: type2,
            before: [("FF00000003D44260", "D543000004040201001103 9000")],
            command: "FF00000008D442A285DEADBEEF", answer: "D543000A9000",
            masked: ("FF00000008D442A285********", "D543000A9000"),
            withContent: ("FF00000008D442A285********", "D543000A9000")),
        MaskCase(
            name: "a write of contents on NTAG215 where NTAG216 has no password", atr: type2,
            before: [("FF00000003D44260", "D5430000040402010011039000")],
            command: "FFD600E50411223344", answer: "9000",
            masked: ("FFD600E504********", "9000"), withContent: ("FFD600E50411223344", "9000")),
        .secret(
            "PWD_AUTH through an ACR122U", type2, "FF00000007D4421BDEADBEEF", "D54300ABCD9000",
            "FF00000007D4421B********", "D54300****9000"),
        .secret(
            "PWD_AUTH through an ACR1252U", type2, "FF000000051BDEADBEEF", "ABCD9000", "FF000000051B********",
            "****9000"),
        .secret(
            "PWD_AUTH through an OMNIKEY", type2, "FFA00005080100051BDEADBEEF", "ABCD9000",
            "FFA00005080100051B********", "****9000"),
        .secret(
            "PWD_AUTH in objects that are cut off", type2, "FFC200010E5F460400000000951B1BDEADBEEF00", "9000",
            "FFC200010E" + String(repeating: "*", count: 28) + "00", "9000"),
        .secret(
            "PWD_AUTH in a transparent session", type2, "FFC200010E5F46040000000095051BDEADBEEF00",
            "C0030090009702ABCD9000", "FFC200010E5F46040000000095051B********00", "C0030090009702****9000"),
        .secret(
            "the host's part of an Ultralight C authentication", type2,
            "FF00000013D442AF00112233445566778899AABBCCDDEEFF", "D54300000102030405060708099000",
            "FF00000013D442AF********************************", "D54300000102030405060708099000"),
        MaskCase(
            name: "a sector trailer that is read", atr: classic, command: "FFB0000710",
            answer: "000000000000FF078069B0B1B2B3B4B59000",
            masked: ("FFB0000710", "********************************9000"),
            withContent: ("FFB0000710", "************FF078069************9000")),
        MaskCase(
            name: "a sector trailer that is written", atr: classic,
            command: "FFD6000710A0A1A2A3A4A5FF078069B0B1B2B3B4B5",
            answer: "9000", masked: ("FFD6000710********************************", "9000"),
            withContent: ("FFD6000710************FF078069************", "9000")),
        .secret(
            "a Classic authentication of a PN532", classic, "FF0000000FD4400160075A5B5C5D5E5F01020304", "D541009000",
            "FF0000000FD4400160**********************", "D541009000"),
        .secret("VERIFY", card, "00200080083132333435360000", "9000", "0020008008****************", "9000"),
        .secret("CHANGE REFERENCE DATA", card, "002400800431323334", "9000", "0024008004********", "9000"),
        .secret("RESET RETRY COUNTER", card, "002C00800431323334", "9000", "002C008004********", "9000"),
        .secret("EXTERNAL AUTHENTICATE", card, "008200000401020304", "9000", "0082000004********", "9000"),
        .secret(
            "EXTERNAL AUTHENTICATE with secure messaging", card, "848200000401020304", "9000", "8482000004********",
            "9000"),
        .secret(
            "GENERAL AUTHENTICATE of PACE", card, "1086000004017C0200", "7C028000AA9000", "1086000004********",
            "**********9000"),
        .secret("PSO", card, "002A9E9A0401020304", "55669000", "002A9E9A04********", "****9000"),
        .secret("PUT KEY", card, "80D8000004A1A2A3A4", "9000", "80D8000004********", "9000"),
        .secret("CTAP", card, "8010000003040102", "00A1019000", "8010000003******", "******9000"),
        MaskCase(
            name: "U2F after the selection of FIDO", atr: card,
            before: [("00A4040008A0000006472F000100", "5532465F56329000")], command: "0001030004AABBCCDD",
            answer: "05EE9000",
            masked: ("0001030004********", "****9000"), withContent: ("0001030004********", "****9000")),
        .secret(
            "DESFire authentication", card, "90AA00000100", "112233445566778891AF", "90AA000001**",
            "112233445566778891AF"),
        MaskCase(
            name: "DESFire: the host's part", atr: card, before: [("90AA0000010000", "112233445566778891AF")],
            command: "90AF000004AABBCCDD00", answer: "55669100", masked: ("90AF000004********00", "55669100"),
            withContent: ("90AF000004********00", "55669100")),
        .secret("ChangeKey", card, "90C4000004AABBCCDD00", "9100", "90C4000004********00", "9100"),
        .secret("SetConfiguration", card, "905C000004AABBCCDD00", "9100", "905C000004********00", "9100"),
        .secret(
            "a DESFire command that is not known", card, "90F1000004AABBCCDD00", "EE9100", "90F1000004********00",
            "**9100"),
        MaskCase(
            name: "DESFire: a version that continues", atr: card, before: [("9060000000", "0401010104180591AF")],
            command: "90AF000000", answer: "0401010104180591AF",
            masked: ("90AF000000", "0401010104180591AF"), withContent: ("90AF000000", "0401010104180591AF")),
        .content("READ BINARY", card, "00B0000004", "D1010C559000", "00B0000004", "********9000"),
        MaskCase(
            name: "the capability container of a Type 4 tag", atr: card, before: [("00A4000C02E103", "9000")],
            command: "00B000000F", answer: "000F20003B00349000", masked: ("00B000000F", "000F20003B00349000"),
            withContent: ("00B000000F", "000F20003B00349000")),
        .content("UPDATE BINARY", card, "00D6000003D1010C", "9000", "00D6000003******", "9000"),
        .content("a command of a card's own", card, "80500000020102", "0A0B9000", "8050000002****", "****9000"),
        .secret(
            "FeliCa: a write of the card key", feliCa,
            "FF00000020200801020304050607080109000180871112131415161718191A1B1C1D1E1F20",
            "0C09010203040506070800009000",
            nil, "0C09010203040506070800009000"),
        .content(
            "FeliCa: a read", feliCa, "FF0000001010060102030405060708010B00018000",
            "1D0701020304050607080000011112131415161718191A1B1C1D1E1F209000",
            "FF0000001010060102030405060708010B00018000",
            "1D0701020304050607080000 01********************************9000"),
        .secret(
            "ISO 15693: SET PASSWORD", vicinity, "FF00000008 02B30401020304AA", "009000", "FF0000000802B3************",
            "**9000"),
        .secret(
            "ISO 15693: PRESENT PASSWORD", vicinity, "FF0000000702B30201020304", "009000", "FF0000000702B3**********",
            "**9000"),
        .content(
            "ISO 15693: a block", vicinity, "FF000000030220 04", "00112233449000", "FF00000003022004", "**********9000"),
        .content(
            "ISO 15693: blocks in the answers of an inventory", vicinity, "FF0000000726A004000001 01", "00112233449000",
            "FF0000000726A00400000101", "**********9000"),
        .secret("a pseudo-APDU that is not known", type2, "FF99000003AABBCC", "DD9000", "FF99000003******", "**9000"),
        .secret("bytes that are not an APDU", card, "00D6FF", "9000", "00D6**", "9000"),
    ]

    @Test(arguments: cases)
    func `secrets and contents are masked`(_ row: MaskCase) throws {
        var mask = RecordingMask(answerToReset: try bytes(row.atr), isNew: true)
        for (command, answer) in row.before { _ = mask.take(try bytes(command), try bytes(answer)) }
        let taken = mask.take(try bytes(row.command), try bytes(row.answer))
        #expect(taken.withoutContent.command.description == row.masked.command.without(" "))
        #expect(taken.withoutContent.answer?.description == row.masked.answer.without(" "))
        #expect(taken.withContent.command.description == row.withContent.command.without(" "))
        #expect(taken.withContent.answer?.description == row.withContent.answer.without(" "))
    }

    /// Where a recording begins in the middle, what depends on earlier commands is masked.
    @Test func `a frame that continues an unknown command is secret`() throws {
        var mask = RecordingMask(answerToReset: try bytes(card), isNew: false)
        let taken = mask.take(try bytes("90AF000004AABBCCDD00"), try bytes("9100"))
        #expect(taken.withContent.command.description == "90AF000004********00")
        let response = mask.take(try bytes("00C0000004"), try bytes("AABBCCDD9000"))
        #expect(response.withContent.answer?.description == "********9000")
    }

    /// Whatever comes, lengths stay, the status word of an answer stays, and a secret of a known command is never visible.
    @Test func `random exchanges keep their lengths, and never show a password`() throws {
        var random = SplitMix(seed: 40)
        let atrs = try [type2, classic, feliCa, vicinity, card, "3B00", ""].map { try bytes($0) }
        let password: [UInt8] = [0xDE, 0xAD, 0xBE, 0xEF]
        for _ in 0..<20_000 {
            var mask = RecordingMask(
                answerToReset: atrs[Int(random.next() % UInt64(atrs.count))], isNew: random.next() & 1 == 0)
            for _ in 0..<3 {
                let noise = random.bytes(upTo: 40)
                let command =
                    switch random.next() % 4 {
                    case 0: [0xFF, 0x00, 0x00, 0x00, 0x07, 0xD4, 0x42, 0x1B] + password
                    case 1: [0x00, 0x20, 0x00, 0x80, 0x04] + password
                    case 2: [0xFF, 0x82, 0x00, 0x00, 0x06] + password + [0, 0]
                    default: [[0xFF, 0x90, 0x00, 0x80][Int(random.next() % 4)]] + noise
                    }
                let answer = random.bytes(upTo: 30)
                let taken = mask.take(command, answer)
                for exchange in [taken.withContent, taken.withoutContent] {
                    try #require(exchange.command.matches(command))
                    try #require(exchange.answer?.matches(answer) == true)
                    try #require(!exchange.command.description.contains("DEADBEEF"))
                }
            }
        }
    }

    /// Frames in every wrapping of a reader, whole and cut: what is looked for in them is never outside of them.
    @Test func `random exchanges keep their lengths where identifiers are looked for`() throws {
        var random = SplitMix(seed: 41)
        let atrs = try [type2, classic, feliCa, vicinity, card, "3B00", ""].map { try bytes($0) }
        let starts: [[UInt8]] = [
            [0xFF, 0xCA, 0, 0, 0], [0xFF, 0xB0, 0, 0, 16], [0xFF, 0x00, 0, 0, 4, 0xD4, 0x42],
            [0xFF, 0x00, 0, 0, 4, 0xD4, 0x4A],
            [0xFF, 0xC2, 0, 1, 8, 0x95, 6], [0x90, 0x60, 0, 0, 0], [0x90, 0xAF, 0, 0, 0], [0x90, 0x3C, 0, 0, 1],
            [0x00, 0xA4, 4, 0, 6, 0xD2, 0x76, 0, 1, 0x24, 1], [],
        ]
        for _ in 0..<20_000 {
            var mask = IdentifierMask(answerToReset: atrs[Int(random.next() % UInt64(atrs.count))])
            for _ in 0..<4 {
                let command = starts[Int(random.next() % UInt64(starts.count))] + random.bytes(upTo: 20)
                let heads: [[UInt8]] = [[], [0xD5, 0x43, 0], [0x97, 10], [0x00, 0x07], [0xC0, 3]]
                let answer = heads[Int(random.next() % UInt64(heads.count))] + random.bytes(upTo: 20)
                let ending: [UInt8] = random.next() & 1 == 0 ? [0x91, 0xAF] : [0x90, 0x00]
                let taken = mask.take(MaskedBytes(command), MaskedBytes(answer + ending))
                try #require(taken.command.matches(command) && taken.answer?.matches(answer + ending) == true)
                try #require(taken.identifiers.allSatisfy { (4...10).contains($0.count) })
            }
        }
    }
}

extension MaskCase {
    static func open(_ name: String, _ atr: String, _ command: String, _ answer: String) -> MaskCase {
        MaskCase(
            name: name, atr: atr, command: command, answer: answer, masked: (command, answer),
            withContent: (command, answer))
    }

    static func content(
        _ name: String, _ atr: String, _ command: String, _ answer: String, _ masked: String, _ maskedAnswer: String
    ) -> MaskCase {
        MaskCase(
            name: name, atr: atr, command: command, answer: answer, masked: (masked, maskedAnswer),
            withContent: (command, answer))
    }

    /// - Parameter masked: nil for the command of a FeliCa write, whose data are the last 16 bytes.
    static func secret(
        _ name: String, _ atr: String, _ command: String, _ answer: String, _ masked: String?, _ maskedAnswer: String
    ) -> MaskCase {
        let masked = masked ?? String(command.without(" ").dropLast(32)) + String(repeating: "*", count: 32)
        return MaskCase(
            name: name, atr: atr, command: command, answer: answer, masked: (masked, maskedAnswer),
            withContent: (masked, maskedAnswer))
    }
}

/// Bytes of hexadecimal digits; blanks do not count.
func bytes(_ text: String) throws -> [UInt8] { try #require(Hexadecimal.bytes(text.without(" "))) }

extension String {
    func without(_ character: Character) -> String { filter { $0 != character } }
}

/// A generator whose numbers are the same in every run.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    mutating func bytes(upTo count: UInt64) -> [UInt8] {
        (0..<next() % count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
