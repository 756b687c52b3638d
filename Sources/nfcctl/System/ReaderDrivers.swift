import FoundationEssentials

/// A USB device, as shown in sysfs.
struct USBDevice: Sendable, Equatable {
    /// An interface of a device.
    struct Interface: Sendable, Equatable {
        /// The class code in hexadecimal; 0b is a smart card reader (CCID).
        let classCode: String
        /// The interface string; empty if there is none.
        let name: String
        /// The kernel driver bound to it.
        let driver: String?
    }

    /// The bus position, such as `1-1.3`.
    let port: String
    let identity: USBIdentity
    /// The manufacturer and product strings; empty if there are none.
    let name: String
    let interfaces: [Interface]
    /// Whether the kernel may suspend the device while it is idle.
    let mayBeSuspended: Bool
    /// The slots of the reader; nil if no descriptor of a reader can be read.
    let slots: Int?
    /// The owner and mode of its device node; nil if there is none.
    let node: FileAttributes?

    /// Whether an interface has the class of smart card readers.
    var isCardReader: Bool { interfaces.contains { $0.classCode == "0b" } }

    /// The name and the USB identity, as text.
    var summary: String { name.isEmpty ? "USB device \(identity)" : "\(name) (\(identity))" }
}

/// Vendor and product of a USB device.
struct USBIdentity: Sendable, Hashable, CustomStringConvertible {
    let vendor: UInt16
    let product: UInt16

    /// Four hexadecimal digits each, as printed by lsusb.
    var description: String {
        "\(HexDump.hexadecimal(Int(vendor), digits: 4)):\(HexDump.hexadecimal(Int(product), digits: 4))"
    }
}

extension USBDevice {
    private static let folder = "/sys/bus/usb/devices"

    /// Every USB device.
    static func all(_ files: any SystemFiles) -> [USBDevice] {
        let names = files.names(in: folder)
        let interfaces = Dictionary(grouping: names.filter { $0.contains(":") }) { $0.prefix { $0 != ":" } }
        return names.compactMap { USBDevice(files, $0, interfaces: interfaces[$0[...]] ?? []) }
    }

    private init?(_ files: any SystemFiles, _ port: String, interfaces: [String]) {
        func word(_ file: String) -> String? { files.word("\(Self.folder)/\(port)/\(file)") }
        guard !port.contains(":"), let vendor = word("idVendor").flatMap({ UInt16($0, radix: 16) }),
            let product = word("idProduct").flatMap({ UInt16($0, radix: 16) })
        else { return nil }
        self.port = port
        identity = USBIdentity(vendor: vendor, product: product)
        name = [word("manufacturer"), word("product")].compactMap(\.self).joined(separator: " ")
        mayBeSuspended = word("power/control") == "auto"
        self.interfaces = interfaces.map { Interface(files, "\(Self.folder)/\($0)") }
        slots = Self.slots(files.bytes("\(Self.folder)/\(port)/descriptors", limit: MachineFiles.longestWord) ?? [])
        node = Self.node(bus: word("busnum"), device: word("devnum")).flatMap { files.attributes($0) }
    }

    /// The slots that the class descriptor of a reader declares (CCID 1.1, §5.1): bMaxSlotIndex is the last one's number.
    private static func slots(_ descriptors: [UInt8]) -> Int? {
        var rest = descriptors[...]
        var slots: Int?
        while let length = rest.first.map({ Int($0) }), length >= 2, rest.count >= length {
            let descriptor = Array(rest.prefix(length))
            // Other classes have descriptors of the same type, but of other lengths.
            if length == 54, descriptor[1] == 0x21 { slots = max(slots ?? 0, Int(descriptor[4]) + 1) }
            rest = rest.dropFirst(length)
        }
        return slots
    }

    private static func node(bus: String?, device: String?) -> String? {
        guard let bus = bus.flatMap({ Int($0) }), let device = device.flatMap({ Int($0) }) else { return nil }
        func threeDigits(_ number: Int) -> String { String("00\(number)".suffix(max(3, "\(number)".count))) }
        return "/dev/bus/usb/\(threeDigits(bus))/\(threeDigits(device))"
    }
}

extension USBDevice.Interface {
    fileprivate init(_ files: any SystemFiles, _ folder: String) {
        classCode = files.word("\(folder)/bInterfaceClass")?.lowercased() ?? ""
        name = files.word("\(folder)/interface") ?? ""
        driver = files.linkedName("\(folder)/driver")
    }
}

/// A driver bundle of pcscd for USB readers; its Info.plist lists the supported readers.
struct ReaderBundle: Sendable {
    /// The bundle's name, such as `ifd-ccid`.
    let name: String
    /// The path of its Info.plist.
    let path: String
    let version: String
    /// The supported readers and the names that pcscd gives them.
    let readers: [USBIdentity: String]
    /// Whether the driver allows escape commands (bit 0 of ifdDriverOptions).
    let allowsEscape: Bool

    /// The directories where distributions install the bundles.
    private static let folders = [
        "/usr/lib/pcsc/drivers", "/usr/lib64/pcsc/drivers", "/usr/local/lib/pcsc/drivers",
    ]

    /// The installed drivers with a valid Info.plist.
    static func all(_ files: any SystemFiles) -> [ReaderBundle] {
        folders.flatMap { folder in
            files.names(in: folder).filter { $0.hasSuffix(".bundle") }.compactMap {
                ReaderBundle(files, name: String($0.dropLast(".bundle".count)), folder: "\(folder)/\($0)")
            }
        }
    }

    private init?(_ files: any SystemFiles, name: String, folder: String) {
        let path = "\(folder)/Contents/Info.plist"
        guard let content = files.bytes(path, limit: MachineFiles.largestFile),
            let list = try? PropertyListDecoder().decode(InfoList.self, from: Data(content))
        else { return nil }
        self.name = name
        self.path = path
        version = list.version ?? "(unknown version)"
        readers = list.readers
        allowsEscape = (list.options.flatMap(number) ?? 0) & 1 == 1
    }

    /// Whether the driver is older than its udev rules that give readers to pcscd's own user: libccid has them since 1.7.0, acsccid since
    /// 1.1.13; nil of another driver, about which nothing is known.
    var isOlderThanItsRules: Bool? {
        guard let first = ["ifd-ccid": [1, 7], "ifd-acsccid": [1, 1, 13]][name] else { return nil }
        return numbers.isEmpty || numbers.lexicographicallyPrecedes(first)
    }

    private var numbers: [Int] { version.split(separator: ".").compactMap { Int($0) } }

    /// Since 2.4.0 pcscd runs as its own user; only since 1.7.0 libccid's udev rule gives that user access to readers.
    func isTooOld(for pcsc: PCSCService) -> Bool {
        guard name == "ifd-ccid", !numbers.isEmpty, let isOlder = isOlderThanItsRules else { return false }
        return !pcsc.version.lexicographicallyPrecedes([2, 4]) && isOlder
    }

    /// The name of the Debian package.
    var package: String { name == "ifd-ccid" ? "libccid" : name.hasPrefix("ifd-") ? "lib\(name.dropFirst(4))" : name }
}

/// The keys of an Info.plist that pcscd uses.
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
        vendors = try list.strings(.vendors)
        products = try list.strings(.products)
        names = try list.strings(.names)
    }

    /// The n-th elements of the three lists describe one reader.
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
    /// A list of strings; a single string counts as a list with one element.
    fileprivate func strings(_ key: Key) throws -> [String] {
        if let string = try? decodeIfPresent(String.self, forKey: key) { return [string] }
        return try decodeIfPresent([String].self, forKey: key) ?? []
    }
}

/// Parses `0x072F` or `7`.
private func number(_ text: String) -> UInt32? {
    let word = text.trimmed
    return word.lowercased().hasPrefix("0x") ? UInt32(word.dropFirst(2), radix: 16) : UInt32(word)
}

/// The kernel's own NFC drivers: which are loaded, which are blacklisted.
struct KernelModules: Sendable {
    /// The modules that claim readers, so that PC/SC cannot use them, in the order in which they can be unloaded.
    static let known = ["pn533_usb", "pn533_i2c", "pn532_uart", "port100", "nfcsim", "pn533", "nfc"]
    /// The modules that distribution kernels load for an ACR122U; nfcd's package blacklists them.
    static let unwanted = ["pn533_usb", "pn533", "nfc"]

    /// Whether the list of loaded modules can be read.
    let isReadable: Bool
    /// The modules of ``known`` that are loaded.
    let loaded: [String]
    /// The modules that modprobe.d(5) blacklists.
    let blacklisted: Set<String>

    private static let folders = [
        "/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d",
    ]

    init(_ files: any SystemFiles) {
        isReadable = files.canRead("/proc/modules")
        let names = Set(files.lines("/proc/modules").map { String($0.prefix { !$0.isWhitespace }) })
        loaded = Self.known.filter { names.contains($0) }
        blacklisted = Set(
            Self.folders.flatMap { folder in
                files.names(in: folder).filter { $0.hasSuffix(".conf") }.flatMap {
                    files.lines("\(folder)/\($0)").compactMap(Self.blacklisted)
                }
            })
    }

    /// Whether none of ``unwanted`` will be loaded for a reader. Blacklisting pn533_usb is enough: it loads the others.
    var areBlacklisted: Bool { blacklisted.contains("pn533_usb") }

    /// The module in a line `blacklist MODULE`. Dashes and underscores are equivalent (modprobe.d(5)).
    private static func blacklisted(_ line: String) -> String? {
        let words = line.split { $0.isWhitespace }
        guard words.count == 2, words[0] == "blacklist" else { return nil }
        return String(words[1].map { $0 == "-" ? "_" : $0 })
    }
}
