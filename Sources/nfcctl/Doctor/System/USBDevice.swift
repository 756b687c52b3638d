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
