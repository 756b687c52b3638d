import FoundationEssentials

/// A device on the USB, as sysfs shows it.
struct USBDevice: Sendable, Equatable {
    /// One function of a device.
    struct Interface: Sendable, Equatable {
        /// The class code in hexadecimal; 0b is a smart card reader (CCID).
        let classCode: String
        /// What it calls itself.
        let name: String
        /// The kernel driver that holds it.
        let driver: String?
    }

    /// Its place, such as `1-1.3`.
    let place: String
    let identity: USBIdentity
    /// What it calls itself.
    let name: String
    let interfaces: [Interface]
    /// Whether the kernel may suspend it while nobody uses it.
    let mayBeSuspended: Bool

    /// Whether it is a reader by its class.
    var isCardReader: Bool { interfaces.contains { $0.classCode == "0b" } }

    /// Its name and numbers, for people.
    var words: String { name.isEmpty ? "USB device \(identity)" : "\(name) (\(identity))" }
}

/// Vendor and product of a USB device.
struct USBIdentity: Sendable, Hashable, CustomStringConvertible {
    let vendor: UInt16
    let product: UInt16

    /// Four hexadecimal digits each, as lsusb shows them.
    var description: String { "\(Self.digits(vendor)):\(Self.digits(product))" }

    private static func digits(_ number: UInt16) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension USBDevice {
    private static let folder = "/sys/bus/usb/devices"

    /// Every device on the bus.
    static func all(_ tree: any SystemTree) -> [USBDevice] {
        let names = tree.names(in: folder)
        let interfaces = Dictionary(grouping: names.filter { $0.contains(":") }) { $0.prefix { $0 != ":" } }
        return names.compactMap { USBDevice(tree, $0, interfaces: interfaces[$0[...]] ?? []) }
    }

    private init?(_ tree: any SystemTree, _ place: String, interfaces: [String]) {
        func word(_ file: String) -> String? { tree.word("\(Self.folder)/\(place)/\(file)") }
        guard !place.contains(":"), let vendor = word("idVendor").flatMap({ UInt16($0, radix: 16) }),
            let product = word("idProduct").flatMap({ UInt16($0, radix: 16) })
        else { return nil }
        self.place = place
        identity = USBIdentity(vendor: vendor, product: product)
        name = [word("manufacturer"), word("product")].compactMap(\.self).joined(separator: " ")
        mayBeSuspended = word("power/control") == "auto"
        self.interfaces = interfaces.map { Interface(tree, "\(Self.folder)/\($0)") }
    }
}

extension USBDevice.Interface {
    fileprivate init(_ tree: any SystemTree, _ folder: String) {
        classCode = tree.word("\(folder)/bInterfaceClass")?.lowercased() ?? ""
        name = tree.word("\(folder)/interface") ?? ""
        driver = tree.linkedName("\(folder)/driver")
    }
}

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

/// The kernel's own NFC drivers, as far as they are loaded or kept away.
struct KernelModules: Sendable {
    /// Those that take readers away from PC/SC, in the order in which they can be unloaded.
    static let known = ["pn533_usb", "pn533_i2c", "pn532_uart", "port100", "nfcsim", "pn533", "nfc"]
    /// Those that Debian's and others' kernels load for an ACR122U; nfcd keeps them away.
    static let unwanted = ["pn533_usb", "pn533", "nfc"]

    /// Whether the list of what is loaded is to be seen.
    let isSeen: Bool
    /// Those of ``known`` that are loaded.
    let loaded: [String]
    /// Those that a blacklist keeps from being loaded for a device.
    let blacklisted: Set<String>

    private static let folders = [
        "/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d",
    ]

    init(_ tree: any SystemTree) {
        isSeen = tree.canRead("/proc/modules")
        let names = Set(tree.lines("/proc/modules").map { String($0.prefix { !$0.isWhitespace }) })
        loaded = Self.known.filter { names.contains($0) }
        blacklisted = Set(
            Self.folders.flatMap { folder in
                tree.names(in: folder).filter { $0.hasSuffix(".conf") }.flatMap {
                    tree.lines("\(folder)/\($0)").compactMap(Self.blacklisted)
                }
            })
    }

    /// Whether none of ``unwanted`` is loaded at the next plug. What needs pn533_usb is not loaded without it.
    var areKeptAway: Bool { blacklisted.contains("pn533_usb") }

    /// The module of a line `blacklist MODULE`, whose dashes and underscores mean the same (modprobe.d(5)).
    private static func blacklisted(_ line: String) -> String? {
        let words = line.split { $0.isWhitespace }
        guard words.count == 2, words[0] == "blacklist" else { return nil }
        return String(words[1].map { $0 == "-" ? "_" : $0 })
    }
}
