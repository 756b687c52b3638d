/// The Android application that is to be started for the message: external type `android.com:pkg` (Android documentation,
/// "Android Application Records").
///
/// The payload is the name of the application's package in UTF-8.
public struct AndroidApplicationRecord: NDEFTypedPayload {
    /// The name of the package, such as `com.example.app`; not empty.
    public let package: String

    /// An application to be named.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `AAR_EMPTY`.
    public init(_ package: String) throws(NDEFPayloadError) {
        guard !package.isEmpty else {
            throw NDEFPayloadError(.applicationEmpty, "the application record names no package")
        }
        self.package = package
    }

    /// External type `android.com:pkg`.
    public static let recordTypes = [NDEFRecordType.external("android.com:pkg")]
    /// `androidApplication`.
    public static let kind = "androidApplication"

    /// Decodes a payload.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `AAR_EMPTY` or `AAR_NOT_UTF8`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard let package = String(utf8: payload[...]) else {
            throw NDEFPayloadError(.applicationNotUTF8, "the package name is not UTF-8")
        }
        try self.init(package)
    }

    /// The package name in UTF-8.
    public var payload: [UInt8] { Array(package.utf8) }

    /// Such as `Android application com.example.app`.
    public var description: String { "Android application \(package.escaped)" }
}

extension NDEFRecord {
    /// A record that names an Android application.
    ///
    /// - Throws: ``NDEFPayloadError`` where the package name is empty.
    public static func androidApplication(
        _ package: String, identifier: [UInt8] = []
    ) throws(NDEFPayloadError) -> NDEFRecord {
        NDEFRecord(try AndroidApplicationRecord(package), identifier: identifier)
    }
}

extension NDEFPayloadError.Code {
    /// An application record names no package.
    public static let applicationEmpty = Self(rawValue: "AAR_EMPTY")
    /// The package name of an application record is not well-formed UTF-8.
    public static let applicationNotUTF8 = Self(rawValue: "AAR_NOT_UTF8")
}

extension AndroidApplicationRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case package
    }

    /// Writes `package`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(package, forKey: .package)
    }

    /// Reads `package`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let package = try container.decode(String.self, forKey: .package)
        self = try container.accepting(.package) { () throws(NDEFPayloadError) in
            try AndroidApplicationRecord(package)
        }
    }
}

extension AndroidApplicationRecord: JSONDescribed {
    package static var jsonSummary: String { "The Android application to start (external type `android.com:pkg`)." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .package:
                .required(.text, "The name of the package, not empty.")
            }
        }
    }
}
