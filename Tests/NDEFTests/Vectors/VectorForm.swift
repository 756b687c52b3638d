import NDEF

extension DecodedPayload {
    /// What is said, in the words of the vectors; nil where no typed form is defined.
    var vectorForm: VectorValue? {
        switch self {
        case .text(let text): text.vectorForm
        case .uri(let uri): uri.vectorForm
        case .handoverRequest(let request): request.vectorForm
        case .handoverSelect(let select): select.vectorForm
        case .handoverMediation(let mediation): mediation.vectorForm
        case .handoverInitiate(let initiate): initiate.vectorForm
        case .handoverCarrier(let carrier): carrier.vectorForm
        case .alternativeCarrier(let carrier): carrier.vectorForm
        case .collisionResolution(let resolution): resolution.vectorForm
        case .handoverError(let error): error.vectorForm
        case .bluetoothEasyPairing(let pairing): pairing.vectorForm
        case .bluetoothLowEnergy(let pairing): pairing.vectorForm
        case .smartPoster(let poster): poster.vectorForm
        case .action(let action): action.vectorForm
        case .size(let size): size.vectorForm
        case .type(let type): type.vectorForm
        case .deviceInformation(let device): device.vectorForm
        case .signature(let signature): signature.vectorForm
        case .genericControl(let request): request.vectorForm
        case .wifi(let wifi): wifi.vectorForm
        case .vCard(let card): card.vectorForm
        case .androidApplication(let application): application.vectorForm
        case .empty: ["kind": "empty"]
        case .media(let media): ["kind": "mime", "mime": .string(media.type)]
        case .absoluteURI(let absolute): ["kind": "absolute_uri", "uri": .string(absolute.uri)]
        case .external(let external): ["kind": "external", "type_name": .string(external.type)]
        case .unknown: ["kind": "unknown"]
        case .undecoded, .failed: nil
        }
    }

    /// Fields of the vectors that are not compared, by kind: what our types do not keep apart, and the remarks, which have
    /// names of their own there. A dot leads into the elements of a list. The prefix of a URI is part of it here, and whether
    /// a credential was wrapped is a warning.
    static let ignoredVectorFields: [String: Set<String>] = [
        "text": ["bom", "warnings"],
        "uri": ["prefix"],
        // The remarks are compared in SmartPosterVectorTests.
        "smartposter": ["warnings"],
        "wifi_wsc": ["credentials.wrapped"],
    ]
}

extension TextRecord {
    var vectorForm: VectorValue {
        [
            "kind": "text", "lang": .string(language), "text": .string(text),
            "encoding": .string(encoding.rawValue.uppercased()),
        ]
    }
}

extension VectorValue: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (String, VectorValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }
}
