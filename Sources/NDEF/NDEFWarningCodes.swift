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

    var sentence: String {
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
        default: rawValue
        }
    }
}
