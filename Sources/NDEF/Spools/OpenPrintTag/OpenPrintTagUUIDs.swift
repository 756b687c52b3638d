/// What an OpenPrintTag is about, as UUIDs of 16 bytes: those on the tag, and those that follow from other fields.
public struct OpenPrintTagUUIDs: Hashable, Sendable {
    /// The brand; nil where the tag names none.
    public let brand: [UInt8]?
    /// The material.
    public let material: [UInt8]?
    /// The package, which is what is sold.
    public let package: [UInt8]?
    /// The spool or bottle.
    public let instance: [UInt8]?

    /// The fields of the tag whose UUID is the one that follows from other fields, so that they could be left out.
    public let redundantFields: [String]

    /// The UUIDs of a record.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - tagIdentifier: the 8 bytes of the tag's identifier, E0 first; nil where it is not known.
    ///   - sha1: the SHA-1 of bytes.
    public init(of record: OpenPrintTagRecord, tagIdentifier: [UInt8]?, sha1: ([UInt8]) -> [UInt8]) {
        let main = record.main
        var redundant: [String] = []
        func derived(_ name: String, _ namespace: [UInt8], _ hashed: [UInt8]?) -> [UInt8]? {
            let derived = hashed.map { Self.version5(sha1(namespace + $0)) }
            guard case .uuid(let bytes)? = main?[name]?.value else { return derived }
            if bytes == derived { redundant.append(name) }
            return bytes
        }
        let brand = derived("brand_uuid", Self.brandNamespace, main?.textBytes("brand_name"))
        let material = main?.textBytes("material_name")
        let number = main?.decimalDigits("gtin")
        self.brand = brand
        self.material = derived(
            "material_uuid", Self.materialNamespace, brand.flatMap { brand in material.map { brand + $0 } })
        package = derived("package_uuid", Self.packageNamespace, brand.flatMap { brand in number.map { brand + $0 } })
        // The specification's tool derives it for a known brand only, though it does not depend on the brand.
        instance = derived("instance_uuid", Self.instanceNamespace, brand.flatMap { _ in tagIdentifier })
        redundantFields = redundant
    }

    /// The UUIDs by the names of their fields.
    public var byName: [(name: String, uuid: [UInt8]?)] {
        [("brand_uuid", brand), ("material_uuid", material), ("package_uuid", package), ("instance_uuid", instance)]
    }

    /// The text of a UUID: groups of 8, 4, 4, 4 and 12 lower-case digits.
    public static func text(_ uuid: [UInt8]) -> String { uuid.uuidText }

    private static let brandNamespace: [UInt8] = [
        0x52, 0x69, 0xDF, 0xB7, 0x15, 0x59, 0x44, 0x0A, 0x85, 0xBE, 0xAB, 0xA5, 0xF3, 0xEF, 0xF2, 0xD2,
    ]
    private static let materialNamespace: [UInt8] = [
        0x61, 0x6F, 0xC8, 0x6D, 0x7D, 0x99, 0x49, 0x53, 0x96, 0xC7, 0x46, 0xD2, 0x83, 0x6B, 0x9B, 0xE9,
    ]
    private static let packageNamespace: [UInt8] = [
        0x6F, 0x7D, 0x48, 0x5E, 0xDB, 0x8D, 0x49, 0x79, 0x90, 0x4E, 0xA2, 0x31, 0xCD, 0x66, 0x02, 0xB2,
    ]
    private static let instanceNamespace: [UInt8] = [
        0x31, 0x06, 0x2F, 0x81, 0xB5, 0xBD, 0x4F, 0x86, 0xA5, 0xF8, 0x46, 0x36, 0x7E, 0x84, 0x15, 0x08,
    ]

    /// The UUID of version 5 (RFC 9562, §5.5) that a hash gives.
    private static func version5(_ hash: [UInt8]) -> [UInt8] {
        hash.prefix(16).enumerated().map { index, byte in
            switch index {
            case 6: byte & 0x0F | 0x50
            case 8: byte & 0x3F | 0x80
            default: byte
            }
        }
    }
}

extension OpenPrintTagRegion {
    fileprivate func textBytes(_ name: String) -> [UInt8]? {
        if case .text(let text)? = self[name]?.value { Array(text.utf8) } else { nil }
    }

    /// The digits of a whole number.
    fileprivate func decimalDigits(_ name: String) -> [UInt8]? {
        guard case .number(let number)? = self[name]?.value, let integer = Int64(exactly: number) else { return nil }
        return Array(String(integer).utf8)
    }
}
