import FoundationEssentials

/// A driver of pcscd's for USB readers: a bundle whose Info.plist lists the readers that it drives.
struct ReaderBundle: Sendable {
    /// The bundle's name, such as `ifd-ccid`.
    let name: String
    /// Where its Info.plist is.
    let path: String
    let version: String
    /// Each reader and the name that pcscd gives it.
    let readers: [USBIdentity: String]
    /// Whether escape commands may pass (bit 0 of ifdDriverOptions).
    let allowsEscape: Bool

    /// Where distributions keep the bundles.
    private static let folders = [
        "/usr/lib/pcsc/drivers", "/usr/lib64/pcsc/drivers", "/usr/local/lib/pcsc/drivers",
    ]

    /// The drivers that are installed and whose lists can be read.
    static func all(_ tree: any SystemTree) -> [ReaderBundle] {
        folders.flatMap { folder in
            tree.names(in: folder).filter { $0.hasSuffix(".bundle") }.compactMap {
                ReaderBundle(tree, name: String($0.dropLast(".bundle".count)), folder: "\(folder)/\($0)")
            }
        }
    }

    private init?(_ tree: any SystemTree, name: String, folder: String) {
        let path = "\(folder)/Contents/Info.plist"
        guard let content = tree.bytes(path, limit: MachineFiles.largestFile),
            let list = try? PropertyListDecoder().decode(InfoList.self, from: Data(content))
        else { return nil }
        self.name = name
        self.path = path
        version = list.version ?? "of an unknown version"
        readers = list.readers
        allowsEscape = (list.options.flatMap(number) ?? 0) & 1 == 1
    }

    /// pcscd runs as a user of its own from 2.4.0 on; libccid's udev rule gives that user the readers from 1.7.0 on.
    func isTooOld(for pcsc: PCSCService) -> Bool {
        let parts = version.split(separator: ".").compactMap { Int($0) }
        guard name == "ifd-ccid", !parts.isEmpty else { return false }
        return !pcsc.version.lexicographicallyPrecedes([2, 4]) && parts.lexicographicallyPrecedes([1, 7])
    }

    /// Debian's name for it.
    var package: String { name == "ifd-ccid" ? "libccid" : name.hasPrefix("ifd-") ? "lib\(name.dropFirst(4))" : name }
}

/// The keys of an Info.plist that pcscd looks at.
private struct InfoList: Decodable {
    let version: String?
    let options: String?
    private let vendors: [String]
    private let products: [String]
    private let names: [String]

    private enum CodingKeys: String, CodingKey {
        case version = "CFBundleShortVersionString"
        case options = "ifdDriverOptions"
        case vendors = "ifdVendorID"
        case products = "ifdProductID"
        case names = "ifdFriendlyName"
    }

    init(from decoder: any Decoder) throws {
        let list = try decoder.container(keyedBy: CodingKeys.self)
        version = try list.decodeIfPresent(String.self, forKey: .version)
        options = try list.decodeIfPresent(String.self, forKey: .options)
        vendors = try list.words(.vendors)
        products = try list.words(.products)
        names = try list.words(.names)
    }

    /// The n-th of each list belong together.
    var readers: [USBIdentity: String] {
        let rows = zip(zip(vendors, products), names).compactMap { numbers, name -> (USBIdentity, String)? in
            guard let vendor = number(numbers.0).flatMap({ UInt16(exactly: $0) }),
                let product = number(numbers.1).flatMap({ UInt16(exactly: $0) })
            else { return nil }
            return (USBIdentity(vendor: vendor, product: product), name)
        }
        return Dictionary(rows) { first, _ in first }
    }
}

extension KeyedDecodingContainer {
    /// A list, or one word in the place of a list of one.
    fileprivate func words(_ key: Key) throws -> [String] {
        if let word = try? decodeIfPresent(String.self, forKey: key) { return [word] }
        return try decodeIfPresent([String].self, forKey: key) ?? []
    }
}

/// `0x072F` or `7`.
private func number(_ text: String) -> UInt32? {
    let word = text.trimmed
    return word.lowercased().hasPrefix("0x") ? UInt32(word.dropFirst(2), radix: 16) : UInt32(word)
}
