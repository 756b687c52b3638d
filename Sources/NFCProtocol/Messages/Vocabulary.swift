// Parameters and results of methods use these types, so a file that imports NFCProtocol needs them too.
@_exported public import NFCTypes

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
