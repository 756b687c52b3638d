import NFCProtocol

extension LiveTag {
    /// The handler of a command APDU: data, SW1, SW2; no data and zeros with an error.
    typealias APDUHandler = @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void

    /// Sends a command APDU by one of the methods that do.
    func send<M: Method & SendableMetatype>(_ method: M.Type, _ apdu: NFCISO7816APDU, _ handler: @escaping APDUHandler)
    where M.Parameters == ISO7816SendCommand.Parameters, M.Result == ISO7816SendCommand.Result {
        let encoded: [UInt8]
        do throws(NFCReaderError) {
            encoded = try apdu.encoded()
        } catch {
            return engine.refuse(error) { handler(Data(), 0, 0, $0) }
        }
        ask(method) {
            ISO7816SendCommand.Parameters(session: $0, tag: $1, apdu: HexBytes(encoded))
        } completion: { result in
            switch result {
            case .success(let response): handler(Data(response.data.bytes), response.sw1, response.sw2, nil)
            case .failure(let error): handler(Data(), 0, 0, error)
            }
        }
    }
}
