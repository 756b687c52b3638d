public import Foundation

extension NFCISO7816Tag {
    /// Sends a command. A status word other than 9000 is no error.
    @preconcurrency
    public func sendCommand(
        apdu: NFCISO7816APDU,
        resultHandler: @escaping @Sendable (Result<NFCISO7816ResponseAPDU, any Error>) -> Void
    ) {
        sendCommand(apdu: apdu) { data, sw1, sw2, error in
            resultHandler(outcome(NFCISO7816ResponseAPDU(statusWord1: sw1, statusWord2: sw2, payload: data), error))
        }
    }

    /// Sends a command and gives the response data, SW1 and SW2. A status word other than 9000 is no error.
    public func sendCommand(apdu: NFCISO7816APDU) async throws -> (Data, UInt8, UInt8) {
        try await awaiting { finish in sendCommand(apdu: apdu) { finish(($0, $1, $2), $3) } }
    }

    /// Sends a command. A status word other than 9000 is no error.
    @_disfavoredOverload
    public func sendCommand(apdu: NFCISO7816APDU) async throws -> NFCISO7816ResponseAPDU {
        let (data, sw1, sw2): (Data, UInt8, UInt8) = try await sendCommand(apdu: apdu)
        return NFCISO7816ResponseAPDU(statusWord1: sw1, statusWord2: sw2, payload: data)
    }
}
