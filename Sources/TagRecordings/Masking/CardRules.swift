// Commands to cards of ISO/IEC 7816-4, and of DESFire and NTAG 424 DNA in class 90.

extension MaskContext {
    /// The AID of FIDO authenticators.
    private static let fido: [UInt8] = [0xA0, 0x00, 0x00, 0x06, 0x47, 0x2F, 0x00, 0x01]

    /// A command in the classes of ISO/IEC 7816-4.
    mutating func judgeCard(
        _ apdu: APDULayout, _ command: [UInt8], _ answer: [UInt8], _ secrecy: inout ExchangeSecrecy
    ) {
        let data = answer.withoutStatus
        if apdu.instruction == 0xA4 { return select(apdu, command, answer) }
        // CTAP: PIN, keys and credentials, in commands, in chains and in the answers that GET RESPONSE fetches.
        let isCTAP = apdu.instructionClass & 0x80 != 0 && (0x10...0x12).contains(apdu.instruction)
        if selected == .securityKey || isCTAP {
            secrecy.mark(command: apdu.data, .secret)
            return secrecy.mark(answer: data, .secret)
        }
        switch apdu.instruction {
        // GET CHALLENGE: from the challenge alone nothing follows.
        case 0x84: secrecy.mark(command: apdu.data, .content)
        // READ BINARY, READ RECORD, GET RESPONSE, GET DATA.
        case 0xB0, 0xB1, 0xB2, 0xB3, 0xC0, 0xCA, 0xCB:
            guard selected != .capabilityContainer || apdu.instruction != 0xB0 else { return }
            if selected == .unknown, apdu.instruction == 0xC0 { return secrecy.mark(answer: data, .secret) }
            secrecy.mark(answer: data, .content)
        // EXTERNAL and MUTUAL AUTHENTICATE: the cryptogram of the host. The card's answer stays.
        case 0x82: secrecy.mark(command: apdu.data, .secret)
        // VERIFY, CHANGE and RESET of PINs, GENERAL AUTHENTICATE (PACE), PERFORM SECURITY OPERATION, key import by PUT DATA and PUT KEY.
        case 0x20, 0x21, 0x24, 0x25, 0x26, 0x28, 0x2A, 0x2B, 0x2C, 0x2D, 0x86, 0x87, 0xD8, 0xDA, 0xDB:
            secrecy.mark(command: apdu.data, .secret)
            secrecy.mark(answer: data, .secret)
        default:
            secrecy.mark(command: apdu.data, .content)
            secrecy.mark(answer: data, .content)
        }
    }

    private mutating func select(_ apdu: APDULayout, _ command: [UInt8], _ answer: [UInt8]) {
        let name = command[apdu.data]
        guard answer.isSuccess || answer.count >= 2 && answer[answer.count - 2] == 0x61 else { return }
        if name.starts(with: Self.fido) {
            selected = .securityKey
        } else if name.elementsEqual([0xE1, 0x03]), apdu.parameter >> 8 != 0x04 {
            selected = .capabilityContainer
        } else {
            selected = .other
        }
    }

    /// A native command of DESFire, NTAG 424 DNA and their kin, wrapped in class 90.
    mutating func judgeDESFire(
        _ apdu: APDULayout, _ command: [UInt8], _ answer: [UInt8], _ secrecy: inout ExchangeSecrecy
    ) {
        let kind = apdu.instruction == 0xAF ? continuation : Self.kind(of: apdu.instruction)
        let data = answer.withoutStatus
        switch kind {
        case .open: break
        case .content:
            secrecy.mark(command: apdu.data, .content)
            secrecy.mark(answer: data, .content)
        // What the card sends in an authentication may stay: no key follows from it without the host's part.
        case .secret:
            secrecy.mark(command: apdu.data, .secret)
            if !Self.authentications.contains(apdu.instruction), apdu.instruction != 0xAF {
                secrecy.mark(answer: data, .secret)
            }
        }
        let isContinued = answer.suffix(2).elementsEqual([0x91, 0xAF])
        continuation = isContinued ? kind : .secret
        if apdu.instruction == 0x5A { selected = .other }
    }

    /// Authentications of DESFire: D40, ISO, AES, EV2 first and non-first.
    private static let authentications: Set<UInt8> = [0x0A, 0x1A, 0xAA, 0x71, 0x77]

    private static func kind(of instruction: UInt8) -> Continuation {
        switch instruction {
        // Versions, lists of applications and files, their settings, SELECT, free memory, key settings and versions, signature.
        case 0x60, 0x6A, 0x6D, 0x6F, 0x61, 0xF5, 0x45, 0x64, 0x6E, 0x5A, 0x51, 0x3C, 0xF6: .open
        // Reading and writing data, records and values; creation and deletion of files and applications.
        case 0xBD, 0xAD, 0xBB, 0xAB, 0x6C, 0x3D, 0x8D, 0x3B, 0x8B, 0xDB, 0xBA, 0x0C, 0xDC, 0x1C, 0xC7, 0xA7, 0xEB:
            .content
        case 0xCA, 0xDA, 0xCD, 0xCB, 0xCC, 0xC1, 0xC0, 0xDF, 0x5F, 0xFC: .content
        // Authentications, ChangeKey, ChangeKeySettings, SetConfiguration, key sets, and what is not known.
        default: .secret
        }
    }
}
