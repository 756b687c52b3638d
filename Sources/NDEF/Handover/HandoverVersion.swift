/// The version of Connection Handover that a handover message follows; its major part is always 1.
public struct HandoverVersion: Sendable, Hashable {
    /// The major part: 1.
    public let major: UInt8
    /// The minor part, 0 to 15. Newer ones than ``current`` are accepted, as the standard asks.
    public let minor: UInt8

    /// The version 1.`minor`.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_MAJOR_VERSION` where `major` is not 1, or `HO_MINOR_VERSION` where
    ///   `minor` is above 15.
    public init(major: UInt8 = 1, minor: UInt8) throws(NDEFPayloadError) {
        guard major == 1 else {
            let reason = "the handover message is of version \(major).\(minor), but only 1.x is known"
            throw NDEFPayloadError(.handoverMajorVersion, reason)
        }
        guard minor <= 0x0F else {
            throw NDEFPayloadError(.handoverMinorVersion, "a minor version of \(minor) is above 15")
        }
        self.init(minor)
    }

    private init(_ minor: UInt8) {
        major = 1
        self.minor = minor
    }

    /// Version 1.5, which messages are written in.
    public static let current = Self(5)

    /// The version in a version byte: four bits major, four bits minor.
    init(byte: UInt8) throws(NDEFPayloadError) {
        try self.init(major: byte >> 4, minor: byte & 0x0F)
    }

    /// The version byte.
    var byte: UInt8 { major << 4 | minor }
}

extension HandoverVersion: LosslessStringConvertible {
    /// Such as `1.5`.
    public var description: String { "\(major).\(minor)" }

    /// The version that ``description`` gives this text, or nil.
    public init?(_ description: String) {
        guard let match = (0...0x0F).lazy.map({ Self($0) }).first(where: { $0.description == description }) else {
            return nil
        }
        self = match
    }
}

extension NDEFPayloadError.Code {
    /// The major version of a handover message is not 1.
    public static let handoverMajorVersion = Self(rawValue: "HO_MAJOR_VERSION")
    /// A minor version to be encoded is above 15.
    public static let handoverMinorVersion = Self(rawValue: "HO_MINOR_VERSION")
}

extension HandoverVersion: Codable {
    /// Reads text such as `1.5`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let version = HandoverVersion(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a version from 1.0 to 1.15, such as 1.5")
        }
        self = version
    }

    /// Writes text such as `1.5`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
