public import Foundation

extension NFCMiFareTag {
    /// Sends a native command.
    @preconcurrency
    public func sendMiFareCommand(
        commandPacket command: Data, resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        sendMiFareCommand(commandPacket: command) { resultHandler(outcome($0, $1)) }
    }

    /// Sends a command APDU to a tag of the families Plus and DESFire.
    @preconcurrency
    public func sendMiFareISO7816Command(
        _ apdu: NFCISO7816APDU,
        resultHandler: @escaping @Sendable (Result<NFCISO7816ResponseAPDU, any Error>) -> Void
    ) {
        sendMiFareISO7816Command(apdu) { data, sw1, sw2, error in
            resultHandler(outcome(NFCISO7816ResponseAPDU(statusWord1: sw1, statusWord2: sw2, payload: data), error))
        }
    }

    /// Sends a native command and gives the reply.
    public func sendMiFareCommand(commandPacket command: Data) async throws -> Data {
        try await awaiting { sendMiFareCommand(commandPacket: command, completionHandler: $0) }
    }

    /// Sends a command APDU and gives the response data, SW1 and SW2.
    public func sendMiFareISO7816Command(_ apdu: NFCISO7816APDU) async throws -> (Data, UInt8, UInt8) {
        try await awaiting { finish in sendMiFareISO7816Command(apdu) { finish(($0, $1, $2), $3) } }
    }

    /// Sends a command APDU.
    @_disfavoredOverload
    public func sendMiFareISO7816Command(_ apdu: NFCISO7816APDU) async throws -> NFCISO7816ResponseAPDU {
        let (data, sw1, sw2): (Data, UInt8, UInt8) = try await sendMiFareISO7816Command(apdu)
        return NFCISO7816ResponseAPDU(statusWord1: sw1, statusWord2: sw2, payload: data)
    }
}
