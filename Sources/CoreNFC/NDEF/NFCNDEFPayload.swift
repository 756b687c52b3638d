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

    /// The identifier of the record, empty if there is none; at most 255 bytes can be written.
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

    /// A record from an archive; nil if a field is missing or of another class.
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

    // The factories are here and not in an extension, so that they can be overridden.

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

    /// The URL of a URI record; nil if it is not a URI record, or its text is not a URL.
    open func wellKnownTypeURIPayload() -> URL? {
        fields.withLock { $0 }.wellKnown(URIRecord.self).flatMap { URL(string: $0.uri) }
    }

    /// The text of a text record and its locale; a pair of nils if it is not a text record.
    ///
    /// The locale is nil too where the record names no language.
    open func wellKnownTypeTextPayload() -> (String?, Locale?) {
        let form = fields.withLock { $0 }.wellKnown(TextRecord.self)
        guard let text = form else { return (nil, nil) }
        return (text.text, text.language.isEmpty ? nil : Locale(identifier: text.language))
    }
}

/// How the type of a record is to be read: the TNF field (NFC Forum NDEF 1.0, §3.2.6).
///
/// The reserved value 7 has no name here. A record that was read with it is ``unknown``, and is written as it was.
public enum NFCTypeNameFormat: UInt8, Sendable {
    /// No type, identifier or payload.
    case empty = 0
    /// A type of the NFC Forum's Record Type Definitions, such as `T` or `U`.
    case nfcWellKnown = 1
    /// A media type (RFC 2046), such as `text/vcard`.
    case media = 2
    /// The type is an absolute URI (RFC 3986).
    case absoluteURI = 3
    /// An NFC Forum external type, such as `example.com:lock`.
    case nfcExternal = 4
    /// A payload of unknown kind; there is no type.
    case unknown = 5
    /// A chunk after the first of a record; never in a message that was read.
    case unchanged = 6
}

extension NFCNDEFPayload {
    /// A record made by the class that is asked, which may be a subclass.
    ///
    /// `init?(coder:)` is the one initializer that every subclass has.
    static func making(_ make: () throws(NDEFPayloadError) -> NDEFRecord) -> Self? {
        guard let record = try? make() else { return nil }
        return Self(coder: RecordCarrier(record))
    }
}

/// Carries one record to ``NFCNDEFPayload/init(coder:)`` without an archive.
final class RecordCarrier: NSCoder {
    let record: NDEFRecord

    init(_ record: NDEFRecord) {
        self.record = record
    }

    override var allowsKeyedCoding: Bool { true }
    // A subclass that looks for its own fields finds none.
    override func containsValue(forKey key: String) -> Bool { false }
}

/// The fields of a record as clients see them: reading a byte of `Data` copies nothing.
struct PayloadFields: Sendable {
    /// Of our library, which knows the reserved value, too.
    var format: TypeNameFormat
    var type: Data
    var identifier: Data
    var payload: Data

    init(format: TypeNameFormat, type: Data, identifier: Data, payload: Data) {
        self.format = format
        (self.type, self.identifier, self.payload) = (type.fromZero, identifier.fromZero, payload.fromZero)
    }

    init(_ record: NDEFRecord) {
        self.init(
            format: record.typeNameFormat, type: Data(record.type), identifier: Data(record.identifier),
            payload: Data(record.payload))
    }

    /// The record for our NDEF library.
    var record: NDEFRecord {
        NDEFRecord(
            typeNameFormat: format, type: Array(type), identifier: Array(identifier), payload: Array(payload))
    }

    /// The payload in a form, where the record is of that well-known type and well formed.
    func wellKnown<Form: NDEFTypedPayload>(_ form: Form.Type) -> Form? {
        let isOfType = form.recordTypes.contains { $0.typeNameFormat == format && type.elementsEqual($0.type) }
        return isOfType ? try? form.init(payload: Array(payload)) : nil
    }
}

extension TypeNameFormat {
    init(_ format: NFCTypeNameFormat) {
        // The library has a case for every value of the field.
        self = TypeNameFormat(rawValue: format.rawValue) ?? .unknown
    }
}

extension NFCTypeNameFormat {
    /// The format; `reserved` is to be treated as `unknown` (NFC Forum NDEF 1.0, §3.2.6).
    init(_ format: TypeNameFormat) {
        self = NFCTypeNameFormat(rawValue: format.rawValue) ?? .unknown
    }
}

extension PayloadFields {
    /// Assumed, as the key of ``NFCNDEFMessage``.
    private enum Key {
        static let format = "typeNameFormat"
        static let type = "type"
        static let identifier = "identifier"
        static let payload = "payload"
    }

    /// The fields in an archive; nil if one is missing or of another class.
    init?(coder: NSCoder) {
        if let carrier = coder as? RecordCarrier {
            self.init(carrier.record)
            return
        }
        guard coder.containsValue(forKey: Key.format),
            let format = UInt8(exactly: coder.decodeInteger(forKey: Key.format)).flatMap(
                TypeNameFormat.init(rawValue:)),
            let type = coder.decodeObject(of: NSData.self, forKey: Key.type),
            let identifier = coder.decodeObject(of: NSData.self, forKey: Key.identifier),
            let payload = coder.decodeObject(of: NSData.self, forKey: Key.payload)
        else { return nil }
        self.init(
            format: format, type: Data(referencing: type), identifier: Data(referencing: identifier),
            payload: Data(referencing: payload))
    }

    /// Puts the fields into an archive.
    func encode(with coder: NSCoder) {
        coder.encode(Int(format.rawValue), forKey: Key.format)
        coder.encode(type as NSData, forKey: Key.type)
        coder.encode(identifier as NSData, forKey: Key.identifier)
        coder.encode(payload as NSData, forKey: Key.payload)
    }
}
