/// What device the message comes from: well-known type `Di` (NFC Forum Device Information RTD 1.0).
///
/// The payload is a row of elements: a byte for the type, a byte for the length, and the value. Texts are in UTF-8 and
/// take at most 255 bytes each.
public struct DeviceInformationRecord: NDEFTypedPayload {
    /// Who made the device (element 00).
    public let vendorName: String
    /// The name of the model (element 01).
    public let modelName: String
    /// The name of this one device (element 02).
    public let uniqueName: String?
    /// The UUID of this one device (element 03; RFC 4122): 16 bytes. See ``uuidString``.
    public let uuid: [UInt8]?
    /// The version of the firmware (element 04).
    public let firmwareVersion: String?
    /// Elements of other types, such as the vendor's own (FF), and repeated ones.
    public let other: [Element]

    /// One element in its raw form.
    public struct Element: Sendable, Hashable {
        /// What the element tells.
        public let type: UInt8
        /// The value; at most 255 bytes can be encoded.
        public let data: [UInt8]

        /// An element of these fields. Nothing is checked before it becomes part of a record.
        public init(type: UInt8, data: [UInt8]) {
            self.type = type
            self.data = data
        }
    }

    /// Device information to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `DI_TOO_LONG` where a value is longer than 255 bytes; `DI_UUID_LEN`; or
    ///   `DI_OTHER` where one of the others would be read as one of the fields.
    public init(
        vendorName: String,
        modelName: String,
        uniqueName: String? = nil,
        uuid: [UInt8]? = nil,
        firmwareVersion: String? = nil,
        other: [Element] = []
    ) throws(NDEFPayloadError) {
        self.vendorName = vendorName
        self.modelName = modelName
        self.uniqueName = uniqueName
        self.uuid = uuid
        self.firmwareVersion = firmwareVersion
        self.other = other
        if let uuid { try Self.check(uuid: uuid) }
        for element in elements { try Self.check(length: element.data.count) }
        // An element of a field that is not set would be read as that field.
        let free = Set(ElementType.allCases.map(\.rawValue)).subtracting(fields.map(\.type))
        guard !other.contains(where: { free.contains($0.type) }) else { throw .deviceInformationOther }
    }

    static func check(length: Int) throws(NDEFPayloadError) {
        guard length <= 0xFF else {
            let reason = "a value of \(length) bytes is longer than the 255 bytes that can be encoded"
            throw NDEFPayloadError(.deviceInformationTooLong, reason)
        }
    }

    static func check(uuid: [UInt8]) throws(NDEFPayloadError) {
        guard uuid.count == 16 else {
            let reason = "the UUID has \(counted(uuid.count, "byte")) in place of 16"
            throw NDEFPayloadError(.deviceInformationUUIDLength, reason)
        }
    }

    /// Well-known type `Di`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Di")]
    /// `deviceInformation`.
    public static let kind = "deviceInformation"
}

// MARK: - For people

extension DeviceInformationRecord {
    /// The UUID as people write it (RFC 4122, §3), such as `6361ae18-d5b0-11ea-9d08-40a3ccfd0957`.
    public var uuidString: String? {
        guard let uuid else { return nil }
        var reader = ByteReader(uuid)
        let groups = [4, 2, 2, 2, 6].compactMap { reader.bytes($0) }
        return groups.map { Array($0).hexadecimal.lowercased() }.joined(separator: "-")
    }

    /// Such as `Device "ABC Company" "Reader 1", name "Front door", firmware "1.0.0"`.
    public var description: String {
        var parts = ["Device \"\(vendorName.escaped)\" \"\(modelName.escaped)\""]
        if let uniqueName { parts.append("name \"\(uniqueName.escaped)\"") }
        if let uuidString { parts.append("UUID \(uuidString)") }
        if let firmwareVersion { parts.append("firmware \"\(firmwareVersion.escaped)\"") }
        if !other.isEmpty { parts.append(counted(other.count, "other element")) }
        return parts.joined(separator: ", ")
    }
}

extension NDEFPayloadError.Code {
    /// An element of a device information payload runs past its end.
    public static let deviceInformationShort = Self(rawValue: "DI_SHORT")
    /// A device information payload does not name the vendor or the model.
    public static let deviceInformationMandatoryMissing = Self(rawValue: "DI_MANDATORY_MISSING")
    /// A name or a version of a device information payload is not well-formed UTF-8.
    public static let deviceInformationNotUTF8 = Self(rawValue: "DI_NOT_UTF8")
    /// The UUID of a device is not 16 bytes long.
    public static let deviceInformationUUIDLength = Self(rawValue: "DI_UUID_LEN")
    /// A value of device information to be encoded is longer than 255 bytes.
    public static let deviceInformationTooLong = Self(rawValue: "DI_TOO_LONG")
    /// One of the other elements of device information to be encoded belongs in a field.
    public static let deviceInformationOther = Self(rawValue: "DI_OTHER")
}

extension NDEFPayloadError {
    fileprivate static let deviceInformationOther = Self(
        .deviceInformationOther, "one of the other elements would be read as a name, a UUID or a version")
}
