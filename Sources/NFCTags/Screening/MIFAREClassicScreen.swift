import NFCTypes

/// A command to a block of a MIFARE Classic.
public enum MIFAREClassicCommand: Sendable, Hashable {
    /// It opens the sector of the block.
    case authenticate
    /// It reads a block.
    case read(block: Int)
    /// It changes a block.
    case write(block: Int)
}

/// What the raw commands to a MIFARE Classic do.
struct MIFAREClassicScreen: Sendable, Hashable {
    /// The block of a two-part command whose data is due.
    private var pending: Int?

    /// What a command to a block does.
    func judge(_ command: MIFAREClassicCommand) -> CommandJudgement {
        switch command {
        case .authenticate: return CommandJudgement(.read, "the authentication")
        case .read: return CommandJudgement(.read, "reading a block")
        case .write(let block):
            let (effect, what) = Self.change(block)
            return CommandJudgement(effect, "the write, which \(what),")
        }
    }

    /// What a frame does.
    func judge(_ frame: [UInt8]) -> CommandJudgement {
        if let pending, [4, 16].contains(frame.count) {
            let (effect, what) = Self.change(pending)
            return CommandJudgement(effect, "the data, which \(what),")
        }
        let judged = frame.judged(by: Self.rules, frame.first, knowing: self)
        return CommandJudgement(judged.effect, judged.words)
    }

    /// Records the effect of a frame that was sent.
    mutating func record(_ frame: [UInt8]) {
        let isFirstPart = frame.count == 2 && [0xA0, 0xC0, 0xC1, 0xC2].contains(frame[0])
        pending = isFirstPart && pending == nil ? Int(frame[1]) : nil
    }

    /// The trailer of a sector holds its keys and access bits. The sectors of more than four blocks begin at block 128, so a
    /// block that is a trailer on any product is one here.
    static func change(_ block: Int) -> (CommandEffect, String) {
        if block == 0 { return (.lock, "changes block 0, the manufacturer's") }
        guard block < 128 ? block % 4 == 3 : block % 16 == 15 else { return (.write, "changes block \(block)") }
        return (.lock, "changes the keys and access bits of a sector, in block \(block)")
    }
}

extension MIFAREClassicScreen {
    private static let blockCases: CommandRule<MIFAREClassicScreen>.Cases = [
        (.write, "blocks with data"), (.lock, "sector trailers, block 0"),
    ]

    /// The commands.
    static let rules: [CommandRule<MIFAREClassicScreen>] = [
        .always(0x30, "30 block", "READ", 2...2, .read),
        .always(0x50, "50 00", "HALT", 2...2, .read),
        .always(0x60, "60 block key UID", "AUTHENTICATE with key A", 2...18, .read),
        .always(0x61, "61 block key UID", "AUTHENTICATE with key B", 2...18, .read),
        change(0xA0, "A0 block, 16 bytes", "WRITE"), change(0xC0, "C0 block, 4 bytes", "DECREMENT"),
        change(0xC1, "C1 block, 4 bytes", "INCREMENT"), change(0xC2, "C2 block, 4 bytes", "RESTORE"),
        change(0xB0, "B0 block", "TRANSFER"),
    ]

    /// In one frame with its data or, as on the air, in two.
    private static func change(_ code: UInt8, _ form: String, _ name: String) -> CommandRule<MIFAREClassicScreen> {
        let longest = [0xA0: 18, 0xB0: 2][code] ?? 6
        return .depending(code, form, name, 2...longest, blockCases) { frame, _ in
            [2, longest].contains(frame.count)
                ? MIFAREClassicScreen.change(Int(frame[1])) : (.unknown, "has \(frame.count) bytes")
        }
    }

    /// The methods for blocks, for the documentation.
    static let methods: [CommandRule<MIFAREClassicScreen>] = [
        .always(0, "`.authenticate`, `.readBlock`", "authenticate, read", 0...0, .read),
        .depending(0, "`.writeBlock`, `.increment`, `.decrement`, `.restore`", "change a block", 0...0, blockCases) {
            _, _ in (.lock, "")
        },
    ]
}
