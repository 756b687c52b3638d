import NFCClient
import NFCProtocol

/// A tag of ISO/IEC 15693. Its commands are addressed: the UID is sent along, unless the caller passes `.select`.
final class LiveISO15693Tag: LiveTag, NFCISO15693Tag, @unchecked Sendable {
    override var type: __NFCTagType { .ISO15693 }

    var icManufacturerCode: Int { identifier.count == 8 ? Int(identifier[1]) : 0 }
    var icSerialNumber: Data { identifier.count == 8 ? identifier.dropFirst(2) : Data() }

    /// The UID as it goes over the air, least significant byte first.
    var wireIdentifier: [UInt8] { facts.identifier.bytes.reversed() }

    /// Sends a request of which everything is given.
    func send<Value: Sendable>(
        _ request: @escaping @Sendable () throws(NFCReaderError) -> VicinityRequest,
        read: @escaping @Sendable (VicinityAnswer) throws(NFCReaderError) -> Value,
        completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void
    ) {
        let name = name
        engine.perform(on: self) { client, session in
            let request = try request()
            let parameters = ISO15693SendRequest.Parameters(
                session: session, tag: name, requestFlags: request.flags, commandCode: request.command,
                data: HexBytes(try request.checkedData()))
            let answer = try await client.call(ISO15693SendRequest.self, parameters)
            return try read(VicinityAnswer(answer.responseFlag, answer.data.bytes))
        } completion: {
            completion($0)
        }
    }

    /// Sends a command with its UID and parameters; an answer that is an error fails with 102.
    func command<Value: Sendable>(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag,
        _ parameters: @escaping @Sendable () throws(NFCReaderError) -> [UInt8] = { () throws(NFCReaderError) in [] },
        read: @escaping @Sendable (VicinityAnswer) throws(NFCReaderError) -> Value,
        completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void
    ) {
        let identifier = wireIdentifier
        send { () throws(NFCReaderError) in
            VicinityRequest(code, flags, to: identifier, try parameters())
        } read: { answer throws(NFCReaderError) in
            try answer.checkError()
            return try read(answer)
        } completion: {
            completion($0)
        }
    }

    /// Sends a command whose answer says nothing but that it was done.
    func command(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag,
        _ parameters: @escaping @Sendable () throws(NFCReaderError) -> [UInt8] = { () throws(NFCReaderError) in [] },
        done: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(code, flags, parameters) { _ throws(NFCReaderError) in
        } completion: {
            done($0.failure)
        }
    }

    /// Sends a command that no tag answers: silence is success.
    func unanswered(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag,
        _ parameters: @escaping @Sendable () throws(NFCReaderError) -> [UInt8] = { () throws(NFCReaderError) in [] },
        done: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(code, flags, parameters) { error in
            let isSilence = (error as? NFCReaderError)?.code == .readerTransceiveErrorTagResponseError
            done(isSilence ? nil : error)
        }
    }
}
