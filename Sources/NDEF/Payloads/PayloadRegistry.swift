/// The typed payloads that are known; a new one is one more line in `all`.
package enum PayloadRegistry {
    package static let all: [PayloadForm] = [
        PayloadForm(TextRecord.self, DecodedPayload.text),
        PayloadForm(URIRecord.self, DecodedPayload.uri),
        PayloadForm(HandoverRequestRecord.self, DecodedPayload.handoverRequest),
        PayloadForm(HandoverSelectRecord.self, DecodedPayload.handoverSelect),
        PayloadForm(HandoverMediationRecord.self, DecodedPayload.handoverMediation),
        PayloadForm(HandoverInitiateRecord.self, DecodedPayload.handoverInitiate),
        PayloadForm(HandoverCarrierRecord.self, DecodedPayload.handoverCarrier),
        PayloadForm(AlternativeCarrierRecord.self, DecodedPayload.alternativeCarrier),
        PayloadForm(CollisionResolutionRecord.self, DecodedPayload.collisionResolution),
        PayloadForm(HandoverErrorRecord.self, DecodedPayload.handoverError),
        PayloadForm(BluetoothEasyPairingRecord.self, DecodedPayload.bluetoothEasyPairing),
        PayloadForm(BluetoothLowEnergyRecord.self, DecodedPayload.bluetoothLowEnergy),
        PayloadForm(SmartPosterRecord.self, DecodedPayload.smartPoster),
        PayloadForm(ActionRecord.self, DecodedPayload.action),
        PayloadForm(SizeRecord.self, DecodedPayload.size),
        PayloadForm(TypeRecord.self, DecodedPayload.type),
        PayloadForm(DeviceInformationRecord.self, DecodedPayload.deviceInformation),
        PayloadForm(SignatureRecord.self, DecodedPayload.signature),
        PayloadForm(GenericControlRecord.self, DecodedPayload.genericControl),
        PayloadForm(WiFiConfigurationRecord.self, DecodedPayload.wifi),
        PayloadForm(VCardRecord.self, DecodedPayload.vCard),
        PayloadForm(AndroidApplicationRecord.self, DecodedPayload.androidApplication),
    ]

    private static let byRecordType = Dictionary(
        all.flatMap { form in form.recordTypes.map { ($0, form) } }, uniquingKeysWith: { first, _ in first })

    /// The forms of well-known types of one letter, by that letter: looking them up takes most of the time otherwise.
    private static let byLetter: [PayloadForm?] = (0...UInt8.max).map { letter in
        byRecordType[NDEFRecordType(.nfcWellKnown, [letter])]
    }

    /// The form of the payload of this record, or nil where none is known.
    static func form(of record: NDEFRecord) -> PayloadForm? {
        if record.typeNameFormat == .nfcWellKnown, record.type.count == 1, let letter = record.type.first {
            return byLetter[Int(letter)]
        }
        return byRecordType[NDEFRecordType(record.typeNameFormat, record.type)]
    }
}

/// One type of typed payload, and the case of ``DecodedPayload`` that holds it.
package struct PayloadForm: Sendable {
    package let recordTypes: [NDEFRecordType]
    package let content: any NDEFContent.Type
    let decode: @Sendable ([UInt8], inout [NDEFWarning.Code]) throws(NDEFPayloadError) -> DecodedPayload

    init<Payload: NDEFTypedPayload>(_: Payload.Type, _ wrap: @escaping @Sendable (Payload) -> DecodedPayload) {
        recordTypes = Payload.recordTypes
        content = Payload.self
        decode = { payload, warnings throws(NDEFPayloadError) in
            wrap(try Payload(payload: payload, warnings: &warnings))
        }
    }
}
