public import CoreNFC

extension TestTag {
    /// Any product by its name, such as `slix2`, as it is delivered.
    public static func model(_ name: String) -> TestTag { TestTag(name, .asDelivered) }
    /// Any product by its name, holding a message.
    public static func model(_ name: String, message: NFCNDEFMessage) -> TestTag { TestTag(name, .message(message)) }
    /// Any product by its name, holding a link.
    public static func model(_ name: String, uri: String) -> TestTag { TestTag(name, .uri(uri)) }
}

// What there is for each type of CoreNFC. Without a message tags are formatted and empty.

extension TestTag {
    /// NTAG213, 144 bytes: `NFCMiFareTag`, family ultralight.
    public static func ntag213(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("ntag213", message) }
    /// NTAG213 with a link.
    public static func ntag213(uri: String) -> TestTag { model("ntag213", uri: uri) }
    /// NTAG215, 504 bytes: `NFCMiFareTag`, family ultralight.
    public static func ntag215(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("ntag215", message) }
    /// NTAG215 with a link.
    public static func ntag215(uri: String) -> TestTag { model("ntag215", uri: uri) }
    /// NTAG216, 888 bytes: `NFCMiFareTag`, family ultralight.
    public static func ntag216(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("ntag216", message) }
    /// NTAG216 with a link.
    public static func ntag216(uri: String) -> TestTag { model("ntag216", uri: uri) }
    /// MIFARE Classic 1K: `NFCMiFareTag`, family unknown.
    public static func classic1K(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("mifare-classic-1k", message) }
    /// MIFARE DESFire EV1 with an NDEF application: `NFCISO7816Tag` or `NFCMiFareTag`, as the session asks for.
    public static func desfire(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("desfire-ev1", message) }
    /// NTAG 424 DNA: as DESFire.
    public static func ntag424(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("ntag424", message) }
    /// An NFC Forum Type 4 tag: `NFCISO7816Tag`.
    public static func type4(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("type4", message) }
    /// An NFC Forum Type 4 tag with a link.
    public static func type4(uri: String) -> TestTag { model("type4", uri: uri) }
    /// FeliCa Lite-S: `NFCFeliCaTag`.
    public static func feliCaLiteS(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("felica-lite-s", message) }
    /// ICODE SLIX: `NFCISO15693Tag`.
    public static func slix(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("slix", message) }
    /// ST25DV04K: `NFCISO15693Tag`.
    public static func st25dv(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("st25dv04k", message) }

    private static func holding(_ name: String, _ message: NFCNDEFMessage?) -> TestTag {
        TestTag(name, TestTagContent(message))
    }
}
