import ISO7816
import NFCTags

/// The raw commands that a session may send to its tags.
///
/// Where there is a list of applications, everything that may select an application by name is refused unless it plainly names
/// one of the list.
struct CommandRules: Sendable, Hashable {
    /// Whether raw commands are allowed at all.
    let allowsRawCommands: Bool
    /// The applications that may be selected by name; nil: any.
    let selectIdentifiers: [[UInt8]]?
    /// The FeliCa systems that may be polled; nil: any.
    let systemCodes: [UInt16]?

    /// Everything is allowed.
    static let open = CommandRules(allowsRawCommands: true, selectIdentifiers: nil, systemCodes: nil)

    /// Refuses raw commands in a session that is not of kind tag.
    func checkKind() throws(TagError) {
        guard !allowsRawCommands else { return }
        throw TagError(
            .unsupportedFeature, "raw commands are not supported in a session of kind ndef; begin one of kind tag")
    }

    /// Refuses a command APDU that may select an application that is not on the list.
    func check(apdu: [UInt8]) throws(TagError) {
        try checkKind()
        guard let names = selectIdentifiers else { return }
        switch ApplicationSelection(command: apdu) {
        case .none: return
        case .application(let name) where names.contains(name): return
        case .application(let name):
            throw .notListed(
                "application \(Hexadecimal.string(name)) is not one of the session's iso7816SelectIdentifiers")
        case .hidden(let reason):
            throw .notListed("\(reason), and the session may select only its iso7816SelectIdentifiers")
        }
    }

    /// Refuses a FeliCa packet that polls for a system that is not on the list. A wildcard byte (FF) is on none.
    func check(packet: [UInt8]) throws(TagError) {
        try checkKind()
        guard let systemCodes, FeliCaCommand.isPolling(packet) else { return }
        guard let system = FeliCaSystemCode(polling: packet) else {
            throw .notListed("the Polling packet names no system; name one of the session's feliCaSystemCodes")
        }
        guard systemCodes.contains(system.rawValue) else {
            throw .notListed("system \(system) is not one of the session's feliCaSystemCodes")
        }
    }
}

extension TagError {
    fileprivate static func notListed(_ detail: String) -> TagError { TagError(.securityViolation, detail) }
}
