/// What to do with the URI of the Smart Poster around: local type `act` (NFC Forum RTD Smart Poster 1.0).
///
/// The payload is one byte.
public struct ActionRecord: NDEFTypedPayload {
    /// The action.
    public let action: SmartPosterAction

    /// An action to be written.
    public init(_ action: SmartPosterAction) {
        self.action = action
    }

    /// Well-known type `act`.
    public static let recordTypes = [NDEFRecordType.wellKnown("act")]
    /// `action`.
    public static let kind = "action"

    /// Decodes a payload.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `ACT_LENGTH` or `ACT_RFU`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard payload.count == 1, let byte = payload.first else {
            let reason = "the action record has \(counted(payload.count, "byte")) instead of 1"
            throw NDEFPayloadError(.actionLength, reason)
        }
        guard let action = SmartPosterAction(rawValue: byte) else {
            throw NDEFPayloadError(.actionReserved, "action \(byte) is reserved; the last in use is 2")
        }
        self.action = action
    }

    /// The action's byte.
    public var payload: [UInt8] { [action.rawValue] }

    /// Such as `Action save`.
    public var description: String { "Action \(action)" }
}

extension NDEFWarning.Code {
    /// The action record of a Smart Poster has a reserved action.
    public static let actionReserved = Self("ACT_RFU", "the action is reserved and is kept as a raw record")
    /// The action record of a Smart Poster is not one byte long.
    public static let actionLength = Self(
        "ACT_LENGTH", "the action record is not one byte long and is kept as a raw record")
    /// A Smart Poster has a second action record.
    public static let actionRepeated = Self(
        "ACT_REPEATED", "there is a second action record, which is kept as a raw record")
    /// The size record of a Smart Poster is not four bytes long.
    public static let sizeLength = Self(
        "SIZE_LENGTH", "the size record is not four bytes long and is kept as a raw record")
    /// A Smart Poster has a second size record.
    public static let sizeRepeated = Self(
        "SIZE_REPEATED", "there is a second size record, which is kept as a raw record")
    /// A type record of a Smart Poster holds no media type, or another one came before.
    public static let typeIgnored = Self(
        "TYPE_IGNORED", "a type record holds no media type or is not the first, and is kept as a raw record")
}

extension NDEFPayloadError.Code {
    /// An action payload is not one byte long.
    public static let actionLength = Self(rawValue: "ACT_LENGTH")
    /// An action is reserved: 3 or above.
    public static let actionReserved = Self(rawValue: "ACT_RFU")
}

/// What a reader should do with the URI of a Smart Poster (NFC Forum RTD Smart Poster 1.0, the action record).
///
/// The raw value is the byte on the tag; 3 and above are reserved.
public enum SmartPosterAction: UInt8, Sendable, Hashable, CaseIterable {
    /// Do it: call the number, open the page, send the message.
    case execute = 0
    /// Save it for later: as a contact, a bookmark, a message.
    case save = 1
    /// Open it for editing.
    case edit = 2
}

extension SmartPosterAction: NamedNumber {
    static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, "\($0)") })
}

extension ActionRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case action
    }

    /// Writes `action` (`execute`, `save` or `edit`).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(named: action, forKey: .action)
    }

    /// Reads `action`, by its name or number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decodeNamed(SmartPosterAction.self, forKey: .action))
    }
}

extension ActionRecord: JSONDescribed {
    package static var jsonSummary: String {
        "What to do with the URI of the Smart Poster around (well-known type `act`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .action:
                .required(.named(SmartPosterAction.self, numbers: 0...2), "The action.")
            }
        }
    }
}

/// How large the object is that the URI of the Smart Poster around leads to: local type `s` (NFC Forum RTD Smart Poster
/// 1.0).
///
/// The payload is a number of four bytes, the highest first.
public struct SizeRecord: NDEFTypedPayload {
    /// The size in bytes.
    public let size: UInt32

    /// A size in bytes to be written.
    public init(_ size: UInt32) {
        self.size = size
    }

    /// Well-known type `s`.
    public static let recordTypes = [NDEFRecordType.wellKnown("s")]
    /// `size`.
    public static let kind = "size"

    /// Decodes a payload.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `SIZE_LENGTH`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var reader = ByteReader(payload)
        guard let size = reader.uint32(), reader.isAtEnd else {
            let reason = "the size record has \(counted(payload.count, "byte")) instead of 4"
            throw NDEFPayloadError(.sizeLength, reason)
        }
        self.size = size
    }

    /// The size in four bytes, the highest first.
    public var payload: [UInt8] { size.bigEndianBytes }

    /// Such as `Size 10000`.
    public var description: String { "Size \(size)" }
}

extension NDEFPayloadError.Code {
    /// A size payload is not four bytes long.
    public static let sizeLength = Self(rawValue: "SIZE_LENGTH")
}

extension SizeRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case size
    }

    /// Writes `size`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
    }

    /// Reads `size`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decodeInteger(UInt32.self, forKey: .size))
    }
}

extension SizeRecord: JSONDescribed {
    package static var jsonSummary: String {
        "How large the object is that the URI of the Smart Poster around leads to (well-known type `s`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .size:
                .required(.integer(0...0xFFFF_FFFF), "The size in bytes.")
            }
        }
    }
}

/// Of what media type the object is that the URI of the Smart Poster around leads to: local type `t` (NFC Forum RTD
/// Smart Poster 1.0).
///
/// The payload is the media type in UTF-8.
public struct TypeRecord: NDEFTypedPayload {
    /// The media type, such as `text/html`, perhaps with parameters: characters on both sides of a `/`.
    public let type: String

    /// A media type to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `TYPE_NOT_MIME`.
    public init(_ type: String) throws(NDEFPayloadError) {
        let subtype = type.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst()
        guard !subtype.isEmpty, type.utf8.first != UInt8(ascii: "/") else {
            throw NDEFPayloadError(.typeNotMIME, "the media type is not of the form type/subtype")
        }
        self.type = type
    }

    /// Well-known type `t`.
    public static let recordTypes = [NDEFRecordType.wellKnown("t")]
    /// `type`.
    public static let kind = "type"

    /// Decodes a payload.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `TYPE_NOT_UTF8` or `TYPE_NOT_MIME`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard let type = String(utf8: payload[...]) else {
            throw NDEFPayloadError(.typeNotUTF8, "the media type is not UTF-8")
        }
        try self.init(type)
    }

    /// The media type in UTF-8.
    public var payload: [UInt8] { Array(type.utf8) }

    /// Such as `Type text/html`.
    public var description: String { "Type \(type.escaped)" }
}

extension NDEFPayloadError.Code {
    /// The media type of a type payload is not well-formed UTF-8.
    public static let typeNotUTF8 = Self(rawValue: "TYPE_NOT_UTF8")
    /// The media type is not of the form `type/subtype`.
    public static let typeNotMIME = Self(rawValue: "TYPE_NOT_MIME")
}

extension TypeRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type
    }

    /// Writes `type`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
    }

    /// Reads `type`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let type = try container.decode(String.self, forKey: .type)
        self = try container.accepting(.type) { () throws(NDEFPayloadError) in try TypeRecord(type) }
    }
}

extension TypeRecord: JSONDescribed {
    package static var jsonSummary: String {
        "Of what media type the object is that the URI of the Smart Poster around leads to (well-known type `t`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .type:
                .required(.text, "The media type, of the form `type/subtype`.")
            }
        }
    }
}
