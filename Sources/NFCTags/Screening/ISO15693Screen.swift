import NFCTypes

/// What the raw requests to a tag of ISO/IEC 15693 do.
struct ISO15693Screen: Sendable, Hashable {
    /// The UID, E0 first.
    let identifier: [UInt8]
    /// Whether a capability container was read from block 0.
    private var hasContainer = false

    init(identifier: [UInt8]) {
        self.identifier = identifier
    }

    /// The flags of a request (ISO/IEC 15693-3, 7.3.1).
    private enum Flags {
        static let inventory: UInt8 = 0x04
        static let select: UInt8 = 0x10
        static let address: UInt8 = 0x20
        static let option: UInt8 = 0x40
        /// Protocol extension and the one that is reserved: they change what follows.
        static let unusual: UInt8 = 0x88
    }

    /// What a request does, from the flags on.
    func judge(_ request: [UInt8]) -> CommandJudgement {
        guard request.count >= 2 else { return CommandJudgement(.unknown, "a request without a command") }
        let (flags, command) = (request[0], request[1])
        guard flags & Flags.unusual == 0 else {
            return CommandJudgement(.unknown, "a request with the flags \(Hexadecimal.string([flags]))")
        }
        if flags & Flags.inventory != 0 {
            return CommandJudgement(command == 0x01 ? .read : .unknown, "a request to all tags")
        }
        guard let parameters = parameters(of: request) else {
            return CommandJudgement(.unknown, "a request that is not addressed to this tag")
        }
        let judged = ([command] + parameters).judged(by: Self.rules, command, knowing: self)
        return CommandJudgement(judged.effect, judged.words)
    }

    /// What follows the command, without the address; nil for another tag's. A custom command has the code of the maker in front of the
    /// address.
    private func parameters(of request: [UInt8]) -> [UInt8]? {
        let maker = (0xA0...0xDF).contains(request[1]) ? Array(request.dropFirst(2).prefix(1)) : []
        let rest = request.dropFirst(2 + maker.count)
        switch request[0] & (Flags.address | Flags.select) {
        case 0, Flags.select: return maker + rest
        case Flags.address:
            return identifier.count == 8 && Array(rest.prefix(8)) == identifier.reversed()
                ? maker + rest.dropFirst(8) : nil
        default: return nil
        }
    }

    /// Records the effect of a request that was sent, and its answer: a read that begins at block 0 shows whether a container is there.
    mutating func record(_ request: [UInt8], answer: [UInt8]?) {
        guard request.count >= 2, request[0] & (Flags.unusual | Flags.inventory) == 0, let answer, answer.first == 0,
            let parameters = parameters(of: request)
        else { return }
        let readsFirst =
            switch request[1] {
            case 0x20, 0x23: parameters.first == 0
            case 0x30, 0x33: parameters.prefix(2) == [0, 0]
            default: false
            }
        guard readsFirst else { return }
        // With the option flag, a byte about its lock comes before each block.
        let data = answer.dropFirst(request[0] & Flags.option == 0 ? 1 : 2)
        hasContainer = data.first.map(Self.isMagic) ?? false
    }

    private static func isMagic(_ byte: UInt8) -> Bool { byte == 0xE1 || byte == 0xE2 }

    /// A write that begins at block 0 and sets the access bits of a capability container makes the message read-only, or takes
    /// the right to read it from every user; one that writes a container where none was formats the tag.
    private func write(first: Int, _ data: ArraySlice<UInt8>) -> (CommandEffect, String) {
        let container = Array(data.prefix(2))
        guard first == 0, container.count == 2, Self.isMagic(container[0]) else { return (.write, "changes data") }
        if container[1] & 0x0F != 0 { return (.lock, "makes the message read-only, in the capability container") }
        return hasContainer
            ? (.write, "changes data")
            : (.format, "may format the tag, in block 0: whether it is formatted is known after reading that block")
    }

    private func isNXP(_ request: [UInt8]) -> Bool {
        identifier.starts(with: [0xE0, 0x04]) && request.dropFirst().first == 0x04
    }
}

extension ISO15693Screen {
    private static let writeCases: CommandRule<ISO15693Screen>.Cases = [
        (.write, "data"), (.format, "block 0 with a capability container, unless one was read from it"),
        (.lock, "block 0 with a capability container that says read-only"),
    ]
    private static let passwordCases: CommandRule<ISO15693Screen>.Cases = [
        (.read, "tags of NXP, with its manufacturer code"), (.lock, "the same, for the privacy password (kind 04)"),
        (.unknown, "other tags"),
    ]

    private static func ofNXP(_ effect: CommandEffect) -> CommandRule<ISO15693Screen>.Cases {
        [(effect, "tags of NXP, with its manufacturer code"), (.unknown, "other tags")]
    }

    /// A custom command of NXP.
    private static func nxp(
        _ code: UInt8, _ form: String, _ name: String, _ length: Int, _ effect: CommandEffect, _ what: String = ""
    ) -> CommandRule<ISO15693Screen> {
        .depending(code, form, name, length...length, ofNXP(effect)) { request, tag in
            tag.isNXP(request) ? (effect, what) : (.unknown, "")
        }
    }

    /// The commands, after the flags and the UID.
    static let rules: [CommandRule<ISO15693Screen>] = [
        .always(0x02, "02", "Stay Quiet", 1...1, .read),
        .always(0x25, "25", "Select", 1...1, .read),
        .always(0x26, "26", "Reset to Ready", 1...1, .read),
        .always(0x20, "20 block", "Read Single Block", 2...2, .read),
        .always(0x23, "23 first count", "Read Multiple Blocks", 3...3, .read),
        .always(0x2B, "2B", "Get System Information", 1...1, .read),
        .always(0x2C, "2C first count", "Get Multiple Block Security Status", 3...3, .read),
        .always(0x30, "30 block", "Extended Read Single Block", 3...3, .read),
        .always(0x33, "33 first count", "Extended Read Multiple Blocks", 5...5, .read),
        .always(0x3B, "3B fields", "Extended Get System Information", 2...2, .read),
        .always(0x3C, "3C first count", "Extended Get Multiple Block Security Status", 5...5, .read),
        .depending(0x21, "21 block data", "Write Single Block", 3...34, writeCases) { request, tag in
            tag.write(first: Int(request[1]), request[2...])
        },
        .depending(0x24, "24 first count data", "Write Multiple Blocks", 4...255, writeCases) { request, tag in
            tag.write(first: Int(request[1]), request[3...])
        },
        .depending(0x31, "31 block data", "Extended Write Single Block", 4...35, writeCases) { request, tag in
            tag.write(first: Int(request[1]) | Int(request[2]) << 8, request[3...])
        },
        .depending(0x34, "34 first count data", "Extended Write Multiple Blocks", 6...255, writeCases) { request, tag in
            tag.write(first: Int(request[1]) | Int(request[2]) << 8, request[5...])
        },
        .always(0x27, "27 AFI", "Write AFI", 2...2, .write, "changes the AFI"),
        .always(0x29, "29 DSFID", "Write DSFID", 2...2, .write, "changes the DSFID"),
        .always(0x22, "22 block", "Lock Block", 2...2, .lock, "locks a block"),
        .always(0x32, "32 block", "Extended Lock Block", 3...3, .lock, "locks a block"),
        .always(0x28, "28", "Lock AFI", 1...1, .lock, "locks the AFI"),
        .always(0x2A, "2A", "Lock DSFID", 1...1, .lock, "locks the DSFID"),
        nxp(0xA2, "A2 04", "Set EAS", 2, .write, "turns EAS on"),
        nxp(0xA3, "A3 04", "Reset EAS", 2, .write, "turns EAS off"),
        nxp(0xA4, "A4 04", "Lock EAS", 2, .lock, "locks EAS"),
        nxp(0xA5, "A5 04", "EAS Alarm", 2, .read),
        nxp(0xA6, "A6 04", "Password Protect EAS/AFI", 2, .lock, "protects EAS or the AFI permanently"),
        nxp(0xAB, "AB 04", "Get NXP System Information", 2, .read),
        nxp(0xB2, "B2 04", "Get Random Number", 2, .read),
        .depending(0xB3, "B3 04 kind password", "Set Password", 7...7, passwordCases) { request, tag in
            guard tag.isNXP(request) else { return (.unknown, "") }
            return request[2] == 0x04 ? (.lock, "may end privacy mode") : (.read, "")
        },
        nxp(0xB4, "B4 04 kind password", "Write Password", 7, .lock, "changes a password"),
        nxp(0xB5, "B5 04 kind", "Lock Password", 3, .lock, "locks a password"),
        nxp(0xB6, "B6 04 block conditions", "Protect Page", 4, .lock, "changes what needs a password"),
        nxp(0xB7, "B7 04 block", "Lock Page Protection Condition", 3, .lock, "locks what needs a password"),
        nxp(0xB8, "B8 04 first count", "Get Multiple Block Protection Status", 4, .read),
        nxp(0xBA, "BA 04 password", "Enable Privacy", 6, .lock, "hides the tag from readers"),
        nxp(0xBB, "BB 04", "64 Bit Password Protection", 2, .lock, "requires both passwords permanently"),
        nxp(0xBD, "BD 04", "Read Signature", 2, .read),
    ]
}
