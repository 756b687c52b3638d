public import Foundation
import NDEF
import Synchronization

/// One record of an ``NFCNDEFMessage``.
///
/// The four fields are kept as they were found. Reading and writing them is safe from any thread.
open class NFCNDEFPayload: NSObject, NSSecureCoding, @unchecked Sendable {
    // A subclass may add what is not safe; of this class only the fields change, under their lock.
    private let fields: Mutex<PayloadFields>

    /// How ``type`` is to be read.
    open var typeNameFormat: NFCTypeNameFormat {
        get { NFCTypeNameFormat(fields.withLock { $0.format }) }
        set { fields.withLock { $0.format = TypeNameFormat(newValue) } }
    }

    /// The type of the record; at most 255 bytes can be written.
    open var type: Data {
        get { fields.withLock { $0.type } }
        set { fields.withLock { $0.type = newValue.fromZero } }
    }

    /// The identifier of the record, empty where there is none; at most 255 bytes can be written.
    open var identifier: Data {
        get { fields.withLock { $0.identifier } }
        set { fields.withLock { $0.identifier = newValue.fromZero } }
    }

    /// The payload of the record. An iPhone takes up to 128 kB.
    open var payload: Data {
        get { fields.withLock { $0.payload } }
        set { fields.withLock { $0.payload = newValue.fromZero } }
    }

    /// A record of these fields. Nothing is checked before it is written.
    public init(format: NFCTypeNameFormat, type: Data, identifier: Data, payload: Data) {
        fields = Mutex(
            PayloadFields(format: TypeNameFormat(format), type: type, identifier: identifier, payload: payload))
    }

    /// A record of these fields that asks to be written in chunks.
    ///
    /// A reader puts chunks together again, and sees the same record. nfcd writes every record whole, in the shortest
    /// form, so that `chunkSize` has no effect on Linux.
    ///
    /// - Parameters:
    ///   - format: how the type is to be read.
    ///   - type: the type of the record.
    ///   - identifier: the identifier; empty for none.
    ///   - payload: the payload.
    ///   - chunkSize: the most payload bytes in a chunk; 0 for one piece.
    public init(format: NFCTypeNameFormat, type: Data, identifier: Data, payload: Data, chunkSize: Int) {
        fields = Mutex(
            PayloadFields(format: TypeNameFormat(format), type: type, identifier: identifier, payload: payload))
    }

    /// A record of our NDEF library.
    init(_ record: NDEFRecord) {
        fields = Mutex(PayloadFields(record))
    }

    /// The record for our NDEF library.
    var record: NDEFRecord { fields.withLock { $0 }.record }

    /// A record from an archive; nil where a field is missing or is none.
    public required init?(coder: NSCoder) {
        guard let archived = PayloadFields(coder: coder) else { return nil }
        fields = Mutex(archived)
    }

    /// Puts the four fields into an archive.
    open func encode(with coder: NSCoder) {
        fields.withLock { $0 }.encode(with: coder)
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    // The factories stand here and not in an extension, so that they can be overridden.

    /// A URI record (NFC Forum RTD URI 1.0) of a text, which is stored as UTF-8 and need not be ASCII.
    ///
    /// - Returns: nil where the text has control characters.
    open class func wellKnownTypeURIPayload(string uri: String) -> Self? {
        making { () throws(NDEFPayloadError) in try .uri(uri) }
    }

    /// A URI record (NFC Forum RTD URI 1.0) of a URL.
    open class func wellKnownTypeURIPayload(url: URL) -> Self? {
        wellKnownTypeURIPayload(string: url.absoluteString)
    }

    /// A text record (NFC Forum RTD Text 1.0) in UTF-8, with the language code of the locale.
    ///
    /// - Returns: nil where the locale has no language.
    open class func wellKnownTypeTextPayload(string text: String, locale: Locale) -> Self? {
        guard let language = locale.language.languageCode?.identifier else { return nil }
        return making { () throws(NDEFPayloadError) in try .text(text, language: language) }
    }

    /// The misspelt name of ``wellKnownTypeTextPayload(string:locale:)``.
    @available(iOS, deprecated: 13.0, renamed: "wellKnownTypeTextPayload(string:locale:)")
    open class func wellKnowTypeTextPayload(string text: String, locale: Locale) -> Self? {
        wellKnownTypeTextPayload(string: text, locale: locale)
    }

    /// The URL of a URI record; nil where the record is none, or its text is no URL.
    open func wellKnownTypeURIPayload() -> URL? {
        fields.withLock { $0 }.wellKnown(URIRecord.self).flatMap { URL(string: $0.uri) }
    }

    /// The text of a text record and its locale; a pair of nils where the record is none.
    ///
    /// The locale is nil too where the record names no language.
    open func wellKnownTypeTextPayload() -> (String?, Locale?) {
        let form = fields.withLock { $0 }.wellKnown(TextRecord.self)
        guard let text = form else { return (nil, nil) }
        return (text.text, text.language.isEmpty ? nil : Locale(identifier: text.language))
    }
}
