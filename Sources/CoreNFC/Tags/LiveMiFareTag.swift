import NFCProtocol

/// A MIFARE tag.
final class LiveMiFareTag: LiveTag, NFCMiFareTag, @unchecked Sendable {
    var mifareFamily: NFCMiFareFamily {
        switch facts.mifareFamily {
        case .ultralight: .ultralight
        case .plus: .plus
        case .desfire: .desfire
        case .unknown, nil: .unknown
        }
    }

    @preconcurrency
    func sendMiFareCommand(
        commandPacket command: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        let frame = HexBytes(Array(command))
        ask(MiFareSendCommand.self) {
            MiFareSendCommand.Parameters(session: $0, tag: $1, command: frame)
        } completion: { result in
            switch result {
            case .success(let answer): completionHandler(Data(answer.data.bytes), nil)
            case .failure(let error): completionHandler(Data(), error)
            }
        }
    }

    @preconcurrency
    func sendMiFareISO7816Command(
        _ apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
        guard mifareFamily == .plus || mifareFamily == .desfire else {
            let reason = "only MIFARE Plus and DESFire take command APDUs"
            let error = NFCReaderError(.readerErrorUnsupportedFeature, reason: reason)
            return engine.refuse(error) { completionHandler(Data(), 0, 0, $0) }
        }
        send(MiFareSendISO7816Command.self, apdu, completionHandler)
    }
}
