import ISO7816
import NFCTypes

/// A command to the FIDO application of a card: CTAP messages (CTAP 2.1, 11.3), which may be chained, and U2F messages.
public struct FIDOCommand: Sendable, Hashable {
    /// The name of the application.
    public static let application: [UInt8] = [0xA0, 0x00, 0x00, 0x06, 0x47, 0x2F, 0x00, 0x01]

    /// The instruction byte.
    let ins: UInt8
    /// The command of a CTAP message, which is the first byte of its first part; nil for another instruction.
    private let message: UInt8?
    /// Whether more parts follow.
    let isChained: Bool

    /// nil for a command that nfcd does not know.
    ///
    /// - Parameter begun: the command of the message whose next part this is.
    init?(_ apdu: CommandAPDU, begun: UInt8?) {
        let isMessage = apdu.ins == Self.messageInstruction
        switch apdu.cla {
        case 0x80 where isMessage || Self.transport.contains { $0.code == apdu.ins }: break
        case 0x90 where isMessage: break
        case 0x00 where Self.u2f.contains { $0.code == apdu.ins }: break
        default: return nil
        }
        (ins, isChained) = (apdu.ins, apdu.cla == 0x90)
        message = isMessage ? begun ?? apdu.data.first : nil
    }

    /// The command of the message that the next part belongs to, if the card took this one.
    var begun: UInt8? { isChained ? message : nil }

    /// What it does.
    func judge() -> CommandJudgement {
        let judged =
            if ins == Self.messageInstruction {
                [message ?? 0].judged(by: Self.messages, message, knowing: ())
            } else {
                [ins].judged(by: Self.transport + Self.u2f, ins, knowing: ())
            }
        return CommandJudgement(judged.effect, judged.words, reach: .current)
    }

    private static let messageInstruction: UInt8 = 0x10
}

extension FIDOCommand {
    private typealias Rule = CommandRule<Void>

    /// The commands, for the documentation.
    static let rules: [CommandRule<Void>] = messages + transport + u2f

    /// By the command byte.
    private static let messages: [Rule] = [
        message(0x01, "authenticatorMakeCredential", .write, "makes a credential"),
        message(0x02, "authenticatorGetAssertion", .write, "counts a signature"),
        message(0x04, "authenticatorGetInfo", .read),
        message(0x06, "authenticatorClientPIN", .lock, "may set the PIN or use up its attempts"),
        message(0x07, "authenticatorReset", .lock, "erases all credentials"),
        message(0x08, "authenticatorGetNextAssertion", .read),
        message(0x09, "authenticatorBioEnrollment", .lock, "changes who may use the key"),
        message(0x0A, "authenticatorCredentialManagement", .lock, "may delete credentials"),
        message(0x0B, "authenticatorSelection", .read),
        message(0x0C, "authenticatorLargeBlobs", .write, "changes data"),
        message(0x0D, "authenticatorConfig", .lock, "changes the configuration"),
        message(0x40, "authenticatorBioEnrollment, preview", .lock, "changes who may use the key"),
        message(0x41, "authenticatorCredentialManagement, preview", .lock, "may delete credentials"),
    ]

    /// By the instruction byte, with class 80.
    private static let transport: [Rule] = [
        .always(0x11, "80 11", "NFCCTAP_GETRESPONSE", 1...1, .read),
        .always(0x12, "80 12", "NFCCTAP_CONTROL", 1...1, .read),
        .always(0xC0, "80 C0", "GET RESPONSE", 1...1, .read),
    ]

    /// By the instruction byte, with class 00.
    private static let u2f: [Rule] = [
        .always(0x01, "00 01", "U2F_REGISTER", 1...1, .write, "makes a credential"),
        .always(0x02, "00 02", "U2F_AUTHENTICATE", 1...1, .write, "counts a signature"),
        .always(0x03, "00 03", "U2F_VERSION", 1...1, .read),
    ]

    private static func message(
        _ code: UInt8, _ name: String, _ effect: CommandEffect, _ what: String = ""
    ) -> Rule {
        .always(code, "80 10, 90 10: \(Hexadecimal.string([code]))", name, 1...1, effect, what)
    }
}
