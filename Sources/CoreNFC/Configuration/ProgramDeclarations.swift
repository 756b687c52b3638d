import NFCProtocol

/// What a program declares of itself, as an app does in its Info.plist and its entitlements.
///
/// The files are looked for once, when the first session begins: `Info.plist` where `NFC_INFO_PLIST` says, else beside the
/// executable; the entitlements where `NFC_ENTITLEMENTS` says, else `NAME.entitlements` beside the executable NAME. Of a file that is
/// not there nothing is asked, and the daemon alone decides.
struct ProgramDeclarations: Sendable {
    /// `com.apple.developer.nfc.readersession.formats`; nil without entitlements.
    var formats: [String]?
    /// `NFCReaderUsageDescription` and the lists; nil without an Info.plist.
    var information: Information?
    /// Why a file cannot be used, in words.
    var defect: String?

    struct Information: Sendable {
        var usageDescription = ""
        var selectIdentifiers: [String] = []
        var systemCodes: [String] = []
    }

    /// Nothing declared, nothing asked.
    static let none = ProgramDeclarations()

    /// What sessions look for.
    struct Polling: Sendable {
        var options: [NFCProtocol.PollingOption]
        var selectIdentifiers: [HexBytes]?
        var systemCodes: [HexBytes]?
    }

    /// - Throws: 2 where a session for messages may not begin.
    func checkMessages() throws(NFCReaderError) {
        try check(anyOf: ["NDEF", "TAG"])
    }

    /// What a configuration makes a session for tags look for.
    ///
    /// - Throws: 2 where the session may not begin, 3 where it looks for nothing.
    func polling(by configuration: NFCTagReaderSession.Configuration) throws(NFCReaderError) -> Polling {
        let option = configuration.pollingOption
        try check(anyOf: ["TAG"])
        if option.contains(.pace) { try check(anyOf: ["PACE"]) }
        let options = option.names
        guard !options.isEmpty else {
            throw NFCReaderError(.readerErrorInvalidParameter, reason: "the polling option is empty")
        }
        return Polling(
            options: options, selectIdentifiers: try selectIdentifiers(configuration, option),
            systemCodes: try systemCodes(configuration, option))
    }

    // MARK: Steps

    private func check(anyOf wanted: [String]) throws(NFCReaderError) {
        if let defect { throw NFCReaderError(.readerErrorSecurityViolation, reason: defect) }
        if let formats, !formats.contains(where: wanted.contains) {
            throw .missing("\(DeclarationKey.formats) in the entitlements: add \(wanted.last ?? "")")
        }
        if let information, information.usageDescription.isEmpty {
            throw .missing("\(DeclarationKey.usageDescription) in Info.plist: say what NFC is used for")
        }
    }

    /// Without any, no card is delivered as one of ISO/IEC 7816; MIFARE tags are, so that this is no error.
    private func selectIdentifiers(
        _ configuration: NFCTagReaderSession.Configuration, _ option: NFCTagReaderSession.PollingOption
    ) throws(NFCReaderError) -> [HexBytes]? {
        let names = HexList(
            configuration.iso7816SelectIdentifiers, within: information?.selectIdentifiers, lengths: 5...16)
        guard let information else { return names.bytes.isEmpty ? nil : names.bytes }
        if information.selectIdentifiers.isEmpty, !option.isDisjoint(with: [.iso14443, .pace]) {
            Log.once("no ISO 7816 card is delivered: Info.plist has no \(DeclarationKey.selectIdentifiers)")
        }
        return names.bytes
    }

    private func systemCodes(
        _ configuration: NFCTagReaderSession.Configuration, _ option: NFCTagReaderSession.PollingOption
    ) throws(NFCReaderError) -> [HexBytes]? {
        let codes = HexList(configuration.feliCaSystemCodes, within: information?.systemCodes, lengths: 2...2) {
            !$0.contains(0xFF)
        }
        guard information != nil else { return codes.bytes.isEmpty ? nil : codes.bytes }
        if option.contains(.iso18092), codes.bytes.isEmpty {
            throw .missing("\(DeclarationKey.systemCodes) in Info.plist: list the FeliCa systems to poll for")
        }
        return codes.bytes
    }
}

extension NFCReaderError {
    fileprivate static func missing(_ what: String) -> NFCReaderError {
        NFCReaderError(.readerErrorSecurityViolation, reason: "missing: \(what)")
    }
}

extension NFCTagReaderSession.PollingOption {
    /// The options by their names on the wire.
    fileprivate var names: [NFCProtocol.PollingOption] {
        let all: [(Self, NFCProtocol.PollingOption)] = [
            (.iso14443, .iso14443), (.iso15693, .iso15693), (.iso18092, .iso18092), (.pace, .pace),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
