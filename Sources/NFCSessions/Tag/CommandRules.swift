import ISO7816
import NFCTags

/// Which commands of a client's own a session lets through to its tags.
///
/// A card takes a SELECT in more than one dress, and what it makes of an odd one nobody knows. So where there is a list,
/// everything that may select an application by name is refused unless it plainly names one of the list.
struct CommandRules: Sendable, Hashable {
    /// Whether there are commands of a client's own at all.
    let allowsRawCommands: Bool
    /// The applications that may be selected by name; nil: any.
    let selectIdentifiers: [[UInt8]]?
    /// The FeliCa systems that may be polled; nil: any.
    let systemCodes: [UInt16]?

    /// Everything is let through.
    static let open = CommandRules(allowsRawCommands: true, selectIdentifiers: nil, systemCodes: nil)

    /// Refuses commands of a client's own in a session that has none.
    func checkKind() throws(TagError) {
        guard !allowsRawCommands else { return }
        throw TagError(.unsupportedFeature, "commands of one's own need a session of kind tag")
    }

    /// Refuses a command APDU that may select an application that is not on the list.
    func check(apdu: [UInt8]) throws(TagError) {
        try checkKind()
        guard let names = selectIdentifiers, apdu.count >= 4 else { return }
        switch SelectionAttempt(apdu) {
        case .none: return
        case .application(let name) where names.contains(name): return
        case .application(let name):
            throw .notListed(
                "application \(Hexadecimal.string(name)) is not one of the session's iso7816SelectIdentifiers")
        case .hidden(let why): throw .notListed(why)
        }
    }

    /// Refuses a FeliCa packet that polls for a system that is not on the list. A wildcard byte (FF) is on none.
    func check(packet: [UInt8]) throws(TagError) {
        try checkKind()
        guard let systemCodes, packet.first == 0x00 else { return }
        let code = packet.dropFirst().prefix(2)
        guard code.count == 2, systemCodes.contains(code.reduce(0) { $0 << 8 | UInt16($1) }) else {
            throw .notListed("system \(Hexadecimal.string(Array(code))) is not one of the session's feliCaSystemCodes")
        }
    }
}

/// What a command APDU of at least 4 bytes does about selecting an application by name.
private enum SelectionAttempt {
    /// Nothing.
    case none
    /// It selects the application of this name; no bytes stand for the card's default one.
    case application([UInt8])
    /// It may select one without the name being seen.
    case hidden(String)

    /// The pseudo-APDUs of PC/SC that talk to storage cards: Get Data, Load Keys, General Authenticate, Read and Update
    /// Binary. Others may carry a command APDU through.
    private static let storageCardCommands: Set<UInt8> = [0xCA, 0x82, 0x86, 0x88, 0xB0, 0xD6]

    init(_ apdu: [UInt8]) {
        let (cla, ins, p1) = (apdu[0], apdu[1], apdu[2])
        let isInterindustry = cla & 0x80 == 0
        switch ins {
        case _ where cla == 0xFF:
            let isPlain = Self.storageCardCommands.contains(ins)
            self =
                isPlain ? .none : .hidden("of the reader's own commands, only those of storage cards are let through")
        case 0xC2 where isInterindustry, 0xC3 where isInterindustry:
            self = .hidden("ENVELOPE may carry a SELECT")
        case 0xA4 where isInterindustry && cla & 0x10 != 0, 0xA5 where isInterindustry && cla & 0x10 != 0:
            self = .hidden("a SELECT in several commands is not let through")
        // The two low bits of P1 mean nothing in a selection by name, so that a card may pass over them.
        case 0xA4 where p1 & 0xFC == 0x04, 0xA5 where p1 & 0xFC == 0x04:
            self = CommandAPDU(bytes: apdu).map { .application($0.data) } ?? .hidden("its lengths do not add up")
        default: self = .none
        }
    }
}

extension TagError {
    fileprivate static func notListed(_ detail: String) -> TagError { TagError(.securityViolation, detail) }
}
