/// Something odd in a message or payload that was accepted all the same.
///
/// In the JSON form it is `{"code":"TNF_RESERVED","message":"…"}`.
public struct NDEFWarning: Sendable, Hashable {
    /// What is odd.
    public let code: Code
    /// The record concerned, counted from 0.
    public let recordIndex: Int
    /// Where the record starts, in bytes from the start of the message; nil for remarks about a payload.
    public let byteOffset: Int?

    init(_ code: Code, recordIndex: Int, byteOffset: Int?) {
        self.code = code
        self.recordIndex = recordIndex
        self.byteOffset = byteOffset
    }

    /// A sentence for people that says where and what. Records are counted from 1 here.
    public var message: String {
        located(code.sentence, recordIndex: recordIndex, byteOffset: byteOffset)
    }

    /// The name of a remark; more may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name as it is shown, such as `TNF_RESERVED`.
        public let rawValue: String

        /// The code of that name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension NDEFWarning: CustomStringConvertible {
    /// The code and the sentence.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension NDEFWarning: Encodable {
    /// Writes `code` and `message`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ReportKey.self)
        try container.encode(code.rawValue, forKey: .code)
        try container.encode(message, forKey: .message)
    }
}

extension NDEFWarning.Code {
    /// TNF 7: the record is delivered with its bytes, as one of unknown type.
    public static let tnfReserved = Self(rawValue: "TNF_RESERVED")
    /// TNF 1 without a TYPE.
    public static let typeLengthZeroTNF1 = Self(rawValue: "TYPE_LENGTH_ZERO_TNF1")
    /// TNF 2 without a TYPE.
    public static let typeLengthZeroTNF2 = Self(rawValue: "TYPE_LENGTH_ZERO_TNF2")
    /// TNF 3 without a TYPE.
    public static let typeLengthZeroTNF3 = Self(rawValue: "TYPE_LENGTH_ZERO_TNF3")
    /// TNF 4 without a TYPE.
    public static let typeLengthZeroTNF4 = Self(rawValue: "TYPE_LENGTH_ZERO_TNF4")
    /// IL is set, and the identifier length is 0.
    public static let ilWithEmptyID = Self(rawValue: "IL_WITH_EMPTY_ID")
    /// SR is clear, and the payload is below 256 bytes; of a chunked record the first chunk counts.
    public static let longFormForShortPayload = Self(rawValue: "LONG_FORM_FOR_SHORT_PAYLOAD")

    /// A text payload does not name its language.
    public static let textLanguageEmpty = Self(rawValue: "TEXT_LANG_EMPTY")
    /// The reserved bit 6 of the status byte of a text payload is set.
    public static let textReservedBit = Self(rawValue: "TEXT_RESERVED_BIT")
    /// A UTF-16 text payload without a byte order mark makes sense in little-endian order only, and was read so.
    public static let textLittleEndianWithoutBOM = Self(rawValue: "TEXT_LITTLE_ENDIAN_WITHOUT_BOM")

    /// A record within a handover message that is taken apart has an identifier, which is not kept.
    public static let handoverLocalIdentifier = Self(rawValue: "HO_LOCAL_IDENTIFIER")
    /// A handover message holds a collision resolution or error record where it has no place, or a second one.
    public static let handoverMisplacedRecord = Self(rawValue: "HO_MISPLACED_RECORD")
    /// A handover request offers no carrier.
    public static let handoverCarrierMissing = Self(rawValue: "HO_CARRIER_MISSING")
    /// Reserved bits of the first byte of an alternative carrier are set.
    public static let alternativeCarrierReservedBits = Self(rawValue: "AC_RESERVED_BITS")
    /// The carrier reference of an alternative carrier is empty.
    public static let alternativeCarrierReferenceEmpty = Self(rawValue: "AC_REFERENCE_EMPTY")
    /// Bytes follow the number of a collision resolution record.
    public static let collisionResolutionTrailingData = Self(rawValue: "CR_TRAILING_DATA")
    /// Bytes follow the data of a handover error.
    public static let handoverErrorTrailingData = Self(rawValue: "ERR_TRAILING_DATA")
    /// Reserved bits of the first byte of a handover carrier are set.
    public static let handoverCarrierReservedBits = Self(rawValue: "HC_RESERVED_BITS")
    /// The type of a handover carrier is of a format that carriers do not have: 0 or above 4.
    public static let handoverCarrierTypeFormat = Self(rawValue: "HC_TYPE_FORMAT")
    /// Zeros follow the last structure of Bluetooth data; they are not kept.
    public static let bluetoothDataPadding = Self(rawValue: "EIR_PADDING")
    /// A length of 0 ends Bluetooth data, and more than zeros follows; it is not kept.
    public static let bluetoothDataAfterEnd = Self(rawValue: "EIR_DATA_AFTER_END")
    /// A structure of Bluetooth data is not of the form of its type; it is kept as it is.
    public static let bluetoothDataMalformed = Self(rawValue: "EIR_MALFORMED")
    /// Bluetooth data has a second structure of a type; the first counts, and both are kept.
    public static let bluetoothDataRepeated = Self(rawValue: "EIR_REPEATED")
    /// Bluetooth Low Energy pairing data has no address.
    public static let bluetoothLEAddressMissing = Self(rawValue: "BTLE_ADDRESS_MISSING")
    /// Bluetooth Low Energy pairing data has no role.
    public static let bluetoothLERoleMissing = Self(rawValue: "BTLE_ROLE_MISSING")
    /// A record within a payload has an identifier, which is not kept.
    public static let innerIdentifierIgnored = Self(rawValue: "INNER_ID_IGNORED")
    /// A Smart Poster has a title that cannot be read.
    public static let titleIgnored = Self(rawValue: "TITLE_IGNORED")
    /// A Smart Poster has two titles in the same language.
    public static let titleLanguageRepeated = Self(rawValue: "TITLE_LANG_REPEATED")
    /// The action record of a Smart Poster has a reserved action.
    public static let actionReserved = Self(rawValue: "ACT_RFU")
    /// The action record of a Smart Poster is not one byte long.
    public static let actionLength = Self(rawValue: "ACT_LENGTH")
    /// A Smart Poster has a second action record.
    public static let actionRepeated = Self(rawValue: "ACT_REPEATED")
    /// The size record of a Smart Poster is not four bytes long.
    public static let sizeLength = Self(rawValue: "SIZE_LENGTH")
    /// A Smart Poster has a second size record.
    public static let sizeRepeated = Self(rawValue: "SIZE_REPEATED")
    /// A type record of a Smart Poster holds no media type, or another one came before.
    public static let typeIgnored = Self(rawValue: "TYPE_IGNORED")
    /// An element of a device information payload is repeated.
    public static let deviceInformationRepeated = Self(rawValue: "DI_REPEATED")
    /// The name of the vendor or of the model in a device information payload has no characters.
    public static let deviceInformationNameEmpty = Self(rawValue: "DI_NAME_EMPTY")
    /// The signature type, the hash type or the certificate format of a signature payload is reserved.
    public static let signatureReserved = Self(rawValue: "SIG_RFU")
    /// A target, action or data record of a Generic Control record is repeated or cannot be read.
    public static let genericControlIgnored = Self(rawValue: "GC_IGNORED")
    /// The attributes of a Wi-Fi credential stand alone, without the credential around them.
    public static let wifiCredentialUnwrapped = Self(rawValue: "WSC_UNWRAPPED")
    /// A Wi-Fi payload starts with its own length in two bytes.
    public static let wifiLengthInFront = Self(rawValue: "WSC_LENGTH_PREFIX")
    /// A Wi-Fi attribute comes again; the first counts, the others are kept as they are.
    public static let wifiAttributeRepeated = Self(rawValue: "WSC_ATTR_REPEATED")
    /// A Wi-Fi attribute is not of the form of its type, and is kept as it is.
    public static let wifiAttributeForm = Self(rawValue: "WSC_ATTR_FORM")
    /// A Wi-Fi credential does not name its network.
    public static let wifiSSIDMissing = Self(rawValue: "WSC_SSID_MISSING")
    /// A Wi-Fi payload has neither a credential nor a device password.
    public static let wifiWithoutCredential = Self(rawValue: "WSC_NO_CREDENTIAL")
    /// A vCard is not UTF-8, and was read as ISO-8859-1.
    public static let vCardNotUTF8 = Self(rawValue: "VCARD_NOT_UTF8")
    /// A vCard does not start with `BEGIN:VCARD`.
    public static let vCardWithoutBegin = Self(rawValue: "VCARD_NO_BEGIN")
    /// A vCard does not end with `END:VCARD`.
    public static let vCardWithoutEnd = Self(rawValue: "VCARD_NO_END")
    /// A line of a vCard is no property; it is in the text only.
    public static let vCardMalformedLine = Self(rawValue: "VCARD_MALFORMED_LINE")
    /// There are several vCards; the fields are those of the first.
    public static let vCardSeveral = Self(rawValue: "VCARD_SEVERAL")

    /// The code for a record of this format that has no type, or nil where none is needed.
    static func typeLengthZero(_ format: TypeNameFormat) -> Self? {
        switch format {
        case .nfcWellKnown: .typeLengthZeroTNF1
        case .media: .typeLengthZeroTNF2
        case .absoluteURI: .typeLengthZeroTNF3
        case .nfcExternal: .typeLengthZeroTNF4
        case .empty, .unknown, .unchanged, .reserved: nil
        }
    }

    /// What is odd, in words for people.
    package var sentence: String {
        switch self {
        case .tnfReserved: "the type name format is 7 (reserved); the record is treated as unknown"
        case .typeLengthZeroTNF1: "a well-known record has no type"
        case .typeLengthZeroTNF2: "a media record has no type"
        case .typeLengthZeroTNF3: "an absolute URI record has no URI in its type"
        case .typeLengthZeroTNF4: "an external record has no type"
        case .ilWithEmptyID: "the flag IL is set, but the identifier is empty"
        case .longFormForShortPayload: "a payload below 256 bytes has a four-byte length"
        case .textLanguageEmpty: "the text does not name its language"
        case .textReservedBit: "the reserved bit of the text's status byte is set"
        case .textLittleEndianWithoutBOM: "the text has no byte order mark and is little-endian"
        case .handoverLocalIdentifier: "a record of the handover message has an identifier, which is ignored"
        case .handoverMisplacedRecord:
            "the handover message has a collision resolution or error record where it has no place"
        case .handoverCarrierMissing: "the handover request offers no carrier"
        case .alternativeCarrierReservedBits: "reserved bits of the alternative carrier are set"
        case .alternativeCarrierReferenceEmpty: "the alternative carrier does not name the record that describes it"
        case .collisionResolutionTrailingData: "bytes follow the random number of the collision resolution record"
        case .handoverErrorTrailingData: "bytes follow the data of the handover error"
        case .handoverCarrierReservedBits: "reserved bits of the handover carrier are set"
        case .handoverCarrierTypeFormat: "the type of the handover carrier is of a format that carriers do not have"
        case .bluetoothDataPadding: "zeros follow the last structure of the Bluetooth data"
        case .bluetoothDataAfterEnd: "more than zeros follows the length of 0 that ends the Bluetooth data"
        case .bluetoothDataMalformed: "a structure of the Bluetooth data is not of the form of its type"
        case .bluetoothDataRepeated: "the Bluetooth data has two structures of one type; the first counts"
        case .bluetoothLEAddressMissing: "the Bluetooth Low Energy pairing data has no address"
        case .bluetoothLERoleMissing: "the Bluetooth Low Energy pairing data has no role"
        case .innerIdentifierIgnored: "a record inside has an identifier, which is not kept"
        case .titleIgnored: "a title cannot be read and is kept as a raw record"
        case .titleLanguageRepeated: "there are two titles in the same language"
        case .actionReserved: "the action is reserved and is kept as a raw record"
        case .actionLength: "the action record is not one byte long and is kept as a raw record"
        case .actionRepeated: "there is a second action record, which is kept as a raw record"
        case .sizeLength: "the size record is not four bytes long and is kept as a raw record"
        case .sizeRepeated: "there is a second size record, which is kept as a raw record"
        case .typeIgnored: "a type record holds no media type or is not the first, and is kept as a raw record"
        case .deviceInformationRepeated: "an element is repeated; the first one counts"
        case .deviceInformationNameEmpty: "the name of the vendor or of the model is empty"
        case .signatureReserved: "the signature type, the hash type or the certificate format is reserved"
        case .genericControlIgnored: "a target, action or data record is repeated or unreadable and is kept as it is"
        case .wifiCredentialUnwrapped: "the attributes of a network are not wrapped in a credential"
        case .wifiLengthInFront: "the attributes have their length in front of them"
        case .wifiAttributeRepeated: "an attribute comes again; the first counts"
        case .wifiAttributeForm: "an attribute is not of the form of its type"
        case .wifiSSIDMissing: "a credential does not name its network"
        case .wifiWithoutCredential: "there is neither a credential nor a device password"
        case .vCardNotUTF8: "the vCard is not UTF-8 and was read as ISO-8859-1"
        case .vCardWithoutBegin: "the vCard does not start with BEGIN:VCARD"
        case .vCardWithoutEnd: "the vCard does not end with END:VCARD"
        case .vCardMalformedLine: "a line of the vCard is no property"
        case .vCardSeveral: "there are several vCards; only the first was taken apart"
        default: rawValue
        }
    }
}
