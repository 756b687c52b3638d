/// What a command APDU does about selecting an application by its name (ISO/IEC 7816-4, SELECT).
///
/// A card accepts a SELECT in several forms, and what it makes of an unusual one is unknown. Whatever may select an application
/// without plainly naming it is therefore ``hidden(_:)``.
public enum ApplicationSelection: Sendable, Hashable {
    /// It selects no application.
    case none
    /// It selects the application of this name; no bytes stand for the default application of the card.
    case application([UInt8])
    /// It may select one, and the name cannot be seen; with the reason in words.
    case hidden(String)

    /// The pseudo-APDUs of PC/SC for storage cards: Get Data, Load Keys, General Authenticate, Read and Update
    /// Binary. Others may carry a command APDU to the card.
    private static let storageCardCommands: Set<UInt8> = [0xCA, 0x82, 0x86, 0x88, 0xB0, 0xD6]

    /// Judges the bytes of a command APDU. Fewer than four bytes are not a command APDU.
    public init(command: [UInt8]) {
        guard command.count >= 4 else {
            self = .none
            return
        }
        let (cla, ins, p1) = (command[0], command[1], command[2])
        let isInterindustry = cla & 0x80 == 0
        switch ins {
        case _ where cla == 0xFF:
            let isPlain = Self.storageCardCommands.contains(ins)
            self = isPlain ? .none : .hidden("a command of the reader may contain a SELECT")
        case 0xC2 where isInterindustry, 0xC3 where isInterindustry:
            self = .hidden("ENVELOPE may contain a SELECT")
        case 0xA4 where isInterindustry && cla & 0x10 != 0, 0xA5 where isInterindustry && cla & 0x10 != 0:
            self = .hidden("a chained SELECT hides the name; send it as one command")
        // The two low bits of P1 mean nothing in a selection by name, so that a card may ignore them.
        case 0xA4 where p1 & 0xFC == 0x04, 0xA5 where p1 & 0xFC == 0x04:
            self = CommandAPDU(bytes: command).map { .application($0.data) } ?? .hidden("its lengths are inconsistent")
        default: self = .none
        }
    }
}

extension CommandAPDU {
    /// SELECT of an application by name, the first or only one, with Le (ISO/IEC 7816-4, SELECT). Of a name longer than the
    /// 16 bytes of the standard, the first 255 are sent.
    public static func select(application name: [UInt8]) -> CommandAPDU {
        CommandAPDU(header: (0x00, 0xA4, 0x04, 0x00), data: Array(name.prefix(255)), expectedLength: 256, form: .short)
    }

    /// SELECT of an elementary file under the current directory, without response data (ISO/IEC 7816-4, SELECT).
    public static func select(elementaryFile identifier: UInt16) -> CommandAPDU {
        let bytes = [UInt8(truncatingIfNeeded: identifier >> 8), UInt8(truncatingIfNeeded: identifier)]
        return CommandAPDU(cla: 0x00, ins: 0xA4, p1: 0x02, p2: 0x0C, shortData: bytes)
    }
}

extension StatusWord {
    /// Whether the command was carried out, possibly with a warning: 9000, 61XX, 62XX and 63XX (ISO/IEC 7816-4).
    public var isCompleted: Bool { isSuccess || [0x61, 0x62, 0x63].contains(sw1) }
}
