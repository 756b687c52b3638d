// Parameters and results of methods use these types, so a file that imports NFCProtocol needs them too.
@_exported public import NFCTypes

// The enumerations that are words in JSON.

extension TagType: Choice {}
extension MIFAREFamily: Choice {}
extension NDEFStatus: Choice {}
extension LockState: Choice {}
extension TagOriginality: Choice {}
extension TagLayout: Choice {}
extension PasswordScope: Choice {}
extension CounterUse: Choice {}
extension MirrorContent: Choice {}
extension PollingTechnology: Choice {}
extension ReaderStatus: Choice {}
extension ReaderServiceStatus: Choice {}
extension SessionKind: Choice {}
extension SessionDetection: Choice {}
extension SessionState: Choice {}
extension BusyPolicy: Choice {}
extension IdentifierForm: Choice {}
extension ClockQuality: Choice {}
extension JournalState: Choice {}

extension RPCError {
    /// CoreNFC's code; nil for an error of JSON-RPC.
    public var nfcCode: NFCErrorCode? { code > 0 ? NFCErrorCode(rawValue: code) : nil }
}

extension SessionDidInvalidate {
    /// CoreNFC's code.
    public var nfcCode: NFCErrorCode { NFCErrorCode(rawValue: code) }

    /// The end of a session with CoreNFC's name and text for the code.
    public init(session: String, _ code: NFCErrorCode, detail: String) {
        self.init(session: session, code: code.rawValue, name: code.name, message: code.text, detail: detail)
    }
}
