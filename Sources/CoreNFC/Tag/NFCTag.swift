/// A tag that an ``NFCTagReaderSession`` found, by its kind.
public enum NFCTag {
    /// A FeliCa tag (NFC-F).
    case feliCa(any NFCFeliCaTag)
    /// A tag of ISO/IEC 7816-4 with one of the listed applications.
    case iso7816(any NFCISO7816Tag)
    /// A tag of ISO/IEC 15693 (NFC-V).
    case iso15693(any NFCISO15693Tag)
    /// A MIFARE tag, or one of type A that is much like it (NFC-A).
    case miFare(any NFCMiFareTag)

    /// Whether the tag is connected and still on the reader.
    public var isAvailable: Bool {
        switch self {
        case .feliCa(let tag): tag.isAvailable
        case .iso7816(let tag): tag.isAvailable
        case .iso15693(let tag): tag.isAvailable
        case .miFare(let tag): tag.isAvailable
        }
    }
}
