/// What a record says, as far as its form is known. More cases may be added, one per record type.
public enum DecodedPayload: Sendable, Hashable {
    /// A text (well-known type `T`).
    case text(TextRecord)
    /// A URI (well-known type `U`).
    case uri(URIRecord)
    /// The start of a handover request message (well-known type `Hr`).
    case handoverRequest(HandoverRequestRecord)
    /// The start of a handover select message (well-known type `Hs`).
    case handoverSelect(HandoverSelectRecord)
    /// The start of a handover mediation message (well-known type `Hm`).
    case handoverMediation(HandoverMediationRecord)
    /// The start of a handover initiate message (well-known type `Hi`).
    case handoverInitiate(HandoverInitiateRecord)
    /// A carrier that is asked for (well-known type `Hc`).
    case handoverCarrier(HandoverCarrierRecord)
    /// A carrier of a handover message (local type `ac`).
    case alternativeCarrier(AlternativeCarrierRecord)
    /// The random number of a handover request (local type `cr`).
    case collisionResolution(CollisionResolutionRecord)
    /// The error of a handover select message (local type `err`).
    case handoverError(HandoverErrorRecord)
    /// Bluetooth pairing data (media type `application/vnd.bluetooth.ep.oob`).
    case bluetoothEasyPairing(BluetoothEasyPairingRecord)
    /// Bluetooth Low Energy pairing data (media type `application/vnd.bluetooth.le.oob`).
    case bluetoothLowEnergy(BluetoothLowEnergyRecord)
    /// A URI with titles and an action (well-known type `Sp`).
    case smartPoster(SmartPosterRecord)
    /// The action of a Smart Poster (well-known type `act`).
    case action(ActionRecord)
    /// The size of what a Smart Poster leads to (well-known type `s`).
    case size(SizeRecord)
    /// The media type of what a Smart Poster leads to (well-known type `t`).
    case type(TypeRecord)
    /// What device the message comes from (well-known type `Di`).
    case deviceInformation(DeviceInformationRecord)
    /// A signature of the records before (well-known type `Sig`).
    case signature(SignatureRecord)
    /// A request to do something on a device (well-known type `Gc`).
    case genericControl(GenericControlRecord)
    /// Wi-Fi networks to join (media type `application/vnd.wfa.wsc`).
    case wifi(WiFiConfigurationRecord)
    /// A business card (media type `text/vcard`).
    case vCard(VCardRecord)
    /// An Android application to start (external type `android.com:pkg`).
    case androidApplication(AndroidApplicationRecord)
    /// Material for 3D printers (media type `application/vnd.openprinttag`).
    case openPrintTag(OpenPrintTagRecord)
    /// A spool of filament (media type `application/json` with the protocol `openspool`).
    case openSpool(OpenSpoolRecord)
    /// A spool of filament (media type `application/opentag3d`).
    case openTag3D(OpenTag3DRecord)

    /// The empty record.
    case empty(EmptyRecord)
    /// Content of a media type without its own form.
    case media(MediaRecord)
    /// Content whose type is a URI.
    case absoluteURI(AbsoluteURIRecord)
    /// Content of an external type without its own form.
    case external(ExternalRecord)
    /// Content of unknown type; also the records of reserved type name format.
    case unknown(UnknownRecord)
    /// A well-known type whose form is not known here.
    case undecoded
    /// The type is known, but the payload is not of its form; the record still has the bytes.
    case failed(NDEFPayloadError)

    /// The content of the case, where it has one.
    public var content: (any NDEFContent)? {
        switch self {
        case .text(let content): content
        case .uri(let content): content
        case .handoverRequest(let content): content
        case .handoverSelect(let content): content
        case .handoverMediation(let content): content
        case .handoverInitiate(let content): content
        case .handoverCarrier(let content): content
        case .alternativeCarrier(let content): content
        case .collisionResolution(let content): content
        case .handoverError(let content): content
        case .bluetoothEasyPairing(let content): content
        case .bluetoothLowEnergy(let content): content
        case .smartPoster(let content): content
        case .action(let content): content
        case .size(let content): content
        case .type(let content): content
        case .deviceInformation(let content): content
        case .signature(let content): content
        case .genericControl(let content): content
        case .wifi(let content): content
        case .vCard(let content): content
        case .androidApplication(let content): content
        case .openPrintTag(let content): content
        case .openSpool(let content): content
        case .openTag3D(let content): content
        case .empty(let content): content
        case .media(let content): content
        case .absoluteURI(let content): content
        case .external(let content): content
        case .unknown(let content): content
        case .undecoded, .failed: nil
        }
    }
}

extension NDEFRecord {
    /// What the record says. It is decoded at each call.
    public var decoded: DecodedPayload {
        var warnings: [NDEFWarning.Code] = []
        return decode(warnings: &warnings)
    }

    /// What the record says; `warnings` gains a code for each defect of the payload that is tolerated.
    package func decode(warnings: inout [NDEFWarning.Code]) -> DecodedPayload {
        switch typeNameFormat {
        case .empty: .empty(EmptyRecord())
        case .nfcWellKnown: decodeTyped(&warnings) ?? .undecoded
        case .media: decodeTyped(&warnings) ?? .media(MediaRecord(type: typeString, data: payload))
        case .absoluteURI: .absoluteURI(AbsoluteURIRecord(typeString, data: payload))
        case .nfcExternal: decodeTyped(&warnings) ?? .external(ExternalRecord(type: typeString, data: payload))
        case .unknown, .reserved: .unknown(UnknownRecord(data: payload))
        case .unchanged: .undecoded
        }
    }

    private func decodeTyped(_ warnings: inout [NDEFWarning.Code]) -> DecodedPayload? {
        guard let form = PayloadRegistry.form(of: self), form.recognizes(payload) else { return nil }
        do throws(NDEFPayloadError) {
            return try form.decode(payload, &warnings)
        } catch {
            return .failed(error)
        }
    }

    /// The type as text, with U+FFFD for what is not UTF-8.
    package var typeString: String { String(decoding: type, as: UTF8.self) }
}

extension DecodedPayload: CustomStringConvertible {
    /// What is said, on one line without control characters: `URI https://example.com`, `Text "hello" (en)`,
    /// `Media image/png`.
    public var description: String {
        if let content { return content.description }
        return switch self {
        case .failed(let error): "Undecodable (\(error.description.escaped))"
        default: "Undecoded"
        }
    }
}

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
        PayloadForm(OpenPrintTagRecord.self, DecodedPayload.openPrintTag),
        PayloadForm(OpenSpoolRecord.self, DecodedPayload.openSpool),
        PayloadForm(OpenTag3DRecord.self, DecodedPayload.openTag3D),
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
    package let content: any (NDEFContent & JSONDescribed).Type
    /// Whether a payload of the record type is of this form; for most types, each is meant to be.
    let recognizes: @Sendable ([UInt8]) -> Bool
    let decode: @Sendable ([UInt8], inout [NDEFWarning.Code]) throws(NDEFPayloadError) -> DecodedPayload

    init<Payload: NDEFTypedPayload & JSONDescribed>(
        _: Payload.Type, _ wrap: @escaping @Sendable (Payload) -> DecodedPayload
    ) {
        recordTypes = Payload.recordTypes
        content = Payload.self
        let recognized = Payload.self as? any RecognizedPayload.Type
        recognizes = { payload in recognized?.recognizes(payload) ?? true }
        decode = { payload, warnings throws(NDEFPayloadError) in
            wrap(try Payload(payload: payload, warnings: &warnings))
        }
    }
}

/// The `decoded` object of a record's JSON form: `kind`, and the fields of that kind.
package struct DecodedForm {
    package let content: any NDEFContent

    package init(content: any NDEFContent) {
        self.content = content
    }

    private enum CodingKeys: String, CodingKey {
        case kind
    }
}

extension DecodedForm: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type(of: content).kind, forKey: .kind)
        try content.encode(to: encoder)
    }
}

extension DecodedForm: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(String.self, forKey: .kind)
        guard let form = Self.forms.first(where: { $0.kind == kind }) else {
            let kinds = Self.forms.map { $0.kind }.joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: container, debugDescription: "there is no such kind, only \(kinds)")
        }
        content = try form.init(from: decoder)
    }

    /// Every form that a record can be made from.
    package static let forms: [any (NDEFContent & JSONDescribed).Type] =
        PayloadRegistry.all.map { $0.content } + [
            MediaRecord.self, ExternalRecord.self, AbsoluteURIRecord.self, UnknownRecord.self, EmptyRecord.self,
        ]
}

extension DecodedPayload {
    /// The URI of a URI record, a Smart Poster, or a record whose type is a URI; nil for others.
    public var uri: String? {
        switch self {
        case .uri(let record): record.uri
        case .smartPoster(let record): record.uri.uri
        case .absoluteURI(let record): record.uri
        default: nil
        }
    }
}
