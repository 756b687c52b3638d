import NFCProtocol

/// A card of ISO/IEC 7816-4. As the only tag of its session it is connected to by its first command.
final class LiveISO7816Tag: LiveTag, NFCISO7816Tag, @unchecked Sendable {
    override var type: __NFCTagType { .iso7816Compatible }

    var initialSelectedAID: String { facts.initialSelectedAID?.description ?? "" }
    var applicationData: Data? { facts.applicationData.map { Data($0.bytes) } }
    var supportsPACE: Bool { facts.supportsPACE ?? false }

    /// Of type B: whether the two bits of the protocol information say so. nfcd does not tell them; false.
    var proprietaryApplicationDataCoding: Bool { false }

    @preconcurrency
    func sendCommand(
        apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
        send(ISO7816SendCommand.self, apdu) { data, sw1, sw2, error in
            // nfcd may have connected to the card for this command.
            if error == nil { self.engine.didConnect(to: self) }
            completionHandler(data, sw1, sw2, error)
        }
    }
}
