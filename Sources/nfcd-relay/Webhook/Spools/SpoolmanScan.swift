import FoundationEssentials
import NDEF
import NFCProtocol
import NFCTypes

/// A scan for Spoolman, which finds the spool by the UID: the body of `POST /api/v1/tag/scan` (Spoolman 0.27).
///
/// The UID has the order that nfcd has, for tags of ISO/IEC 15693 E0 first: to Spoolman, the reverse is another tag.
struct SpoolmanScan: Encodable, Sendable {
    private static let (longestID, longestName, longestPayload) = (64, 64, 8_192)

    let uid: String
    let readerID: String
    let name: String
    /// Nil: it is not known.
    let format: Format?
    /// The NDEF message in base64; nil: it is not to be sent, there is none, or it is too long.
    let payload: String?

    private enum CodingKeys: String, CodingKey {
        case uid
        case readerID = "reader_id"
        case name, format
        case payload = "payload_b64"
    }

    /// The scan of a tap.
    ///
    /// - Parameter contents: whether the message is sent too.
    init(_ tap: RecordedTap, _ identity: RelayIdentity, contents: Bool) throws(WebhookBody.Unsuitable) {
        if let form = tap.tag.identifierForm, form != .plain {
            // Where the journal still stores UIDs in this form, the consumer is held, and gets no tap.
            throw WebhookBody.Unsuitable(
                .unacceptable(
                    "the journal has the UID of the tap \(form.rawValue), and Spoolman finds a spool by the UID; discard it,"
                        + " and tap the tag again"))
        }
        guard !tap.tag.identifier.bytes.isEmpty else {
            throw WebhookBody.Unsuitable(
                .unacceptable("the tap has no UID, which Spoolman finds a spool by; discard it, and tap the tag again"))
        }
        self.init(
            uid: tap.tag.identifier.description, tap.reader, tap.readerName, identity,
            format: Format(tap.message), payload: contents ? Self.payload(tap.message) : nil)
    }

    /// Why no spool can be found by the taps of a journal that stores UIDs in this form; nil: it can.
    static func objection(to form: IdentifierForm) -> String? {
        guard form != .plain else { return nil }
        return "the journal stores identifiers \(form.rawValue), and Spoolman finds a spool by the UID; write"
            + " identifiers = \"plain\" into section [journal] of nfcd.toml and restart nfcd, or remove this consumer"
    }

    /// A scan of no tag, which tests the connection.
    init(test identity: RelayIdentity) {
        self.init(uid: "00000000", "test", "Test of nfcd-relay", identity)
    }

    private init(
        uid: String, _ reader: String, _ readerName: String, _ identity: RelayIdentity, format: Format? = nil,
        payload: String? = nil
    ) {
        self.uid = uid
        readerID = Self.readerID("\(identity.device):\(reader)")
        name = String(String.UnicodeScalarView(readerName.unicodeScalars.prefix(Self.longestName)))
        self.format = format
        self.payload = payload
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(uid, forKey: .uid)
        try values.encode(readerID, forKey: .readerID)
        try values.encode(name, forKey: .name)
        try values.encodeIfPresent(format?.rawValue, forKey: .format)
        try values.encodeIfPresent(payload, forKey: .payload)
    }

    /// An id has characters of a few kinds.
    private static func readerID(_ text: String) -> String {
        let id = text.map { character -> Character in
            let isAllowed =
                character.isASCII && (character.isLetter || character.isNumber || "._:-".contains(character))
            return isAllowed ? character : "-"
        }
        return String(id.prefix(longestID))
    }

    private static func payload(_ message: NDEFMessage?) -> String? {
        guard let bytes = try? message?.encoded() else { return nil }
        let text = Data(bytes).base64EncodedString()
        return text.utf8.count <= longestPayload ? text : nil
    }
}

extension SpoolmanScan {
    /// The kind of a spool tag, as far as its message shows it, by the names that Spoolman uses.
    ///
    /// A tap has the message and the UID: a format without its own record (Bambu, TigerTag, Qidi) cannot be recognised in it.
    enum Format: String, Sendable {
        case openprinttag, opentag3d, openspool

        /// The format of the first record that shows one; nil if there is none.
        init?(_ message: NDEFMessage?) {
            guard let format = message?.records.lazy.compactMap(Self.format).first else { return nil }
            self = format
        }

        private static func format(of record: NDEFRecord) -> Format? {
            let type = NDEFRecordType(record.typeNameFormat, record.type)
            if OpenPrintTagRecord.recordTypes.contains(type) { return .openprinttag }
            if OpenTag3DRecord.recordTypes.contains(type) { return .opentag3d }
            // Other JSON is not OpenSpool.
            if case .openSpool = record.decoded { return .openspool }
            return nil
        }
    }
}

extension WebhookAnswer {
    /// What an answer of Spoolman to a scan means. A scan that it does not understand is parked at once: until it is repeated, it
    /// would be too old.
    ///
    /// - Parameter setting: where its address is configured.
    func scanDelivery(_ clocks: ClockReading, address setting: String) -> Delivery {
        switch status {
        case 400, 413, 422: .unacceptable("Spoolman refuses the scan: HTTP \(status)\(text.isEmpty ? "" : ": \(text)")")
        case 404, 405:
            .held(
                "HTTP \(status): Spoolman does not take scans, which it does since version 0.27; update it, or correct"
                    + " \(setting)")
        default: delivery(clocks)
        }
    }
}
