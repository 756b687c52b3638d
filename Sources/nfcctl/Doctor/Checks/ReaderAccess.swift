/// Whether pcscd may open a reader. Since 2.4.0 it runs as its own user, and udev rules of the drivers give the readers to its group.
enum ReaderAccess {
    /// The finding for a reader that pcscd may not open; nil if it may, or if nfcd has the reader.
    static func problem(_ device: USBDevice, _ snapshot: SystemSnapshot) -> Finding? {
        guard let account = account(snapshot), let node = device.node, !mayOpen(node, account, snapshot),
            snapshot.daemon.state.flatMap({ ReadersCheck.listing(of: device, $0, snapshot) }) == nil
        else { return nil }
        let driver = snapshot.bundles.first { $0.readers[device.identity] != nil }
        return DriverCheck.finding(
            snapshot.severity, "pcscd runs as \(account.name), which may not open \(device.summary.printable).",
            detail(driver), fix: rules(of: driver, device, account, snapshot) + apply(device, snapshot))
    }

    /// The user that pcscd runs as, or would run as; nil for root.
    private static func account(_ snapshot: SystemSnapshot) -> AccountFiles.User? {
        if let running = snapshot.programs.first(where: { $0.name == "pcscd" }) {
            return running.user == 0 ? nil : snapshot.accounts.user(running.user)
        }
        guard !snapshot.pcsc.version.lexicographicallyPrecedes([2, 4]) else { return nil }
        return snapshot.accounts.users.first { $0.name == "pcscd" }
    }

    private static func mayOpen(
        _ node: FileAttributes, _ account: AccountFiles.User, _ snapshot: SystemSnapshot
    ) -> Bool {
        if node.user == account.number { return node.mode & 0o600 == 0o600 }
        if snapshot.accounts.isMember(account.number, of: node.group) { return node.mode & 0o060 == 0o060 }
        return node.mode & 0o006 == 0o006
    }

    private static func detail(_ driver: ReaderBundle?) -> String {
        guard let driver else { return "No driver has a udev rule for it." }
        let name = "\(driver.package) \(driver.version.printable)"
        switch driver.isOlderThanItsRules {
        case true: return "\(name) has no udev rules for that user; newer versions have."
        case false: return "The udev rules of \(name) have not been applied to it."
        case nil: return "\(name) may have no udev rule for that user."
        }
    }

    /// The commands after which there is a rule for the reader.
    private static func rules(
        of driver: ReaderBundle?, _ device: USBDevice, _ account: AccountFiles.User, _ snapshot: SystemSnapshot
    ) -> [String] {
        switch driver?.isOlderThanItsRules {
        case true:
            [snapshot.asRoot(snapshot.packages.upgrade([driver?.name == "ifd-acsccid" ? .acsccid : .ccid]))]
        case false: []
        case nil: [rule(device, account, snapshot)]
        }
    }

    /// Writes a rule for the reader (udev(7)).
    private static func rule(_ device: USBDevice, _ account: AccountFiles.User, _ snapshot: SystemSnapshot) -> String {
        let group = snapshot.accounts.group(account.group)?.name ?? account.name
        let (vendor, product) = (digits(device.identity.vendor), digits(device.identity.product))
        let line = """
            SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="\(vendor)", ATTR{idProduct}=="\(product)", \
            GROUP="\(group)"
            """
        let file = "/etc/udev/rules.d/92-pcscd-\(vendor)-\(product).rules"
        return "echo '\(line)' | \(snapshot.asRoot("tee \(file)"))"
    }

    private static func digits(_ number: UInt16) -> String {
        HexDump.hexadecimal(Int(number), digits: 4).lowercased()
    }

    private static func apply(_ device: USBDevice, _ snapshot: SystemSnapshot) -> [String] {
        [
            snapshot.asRoot("udevadm control --reload"),
            snapshot.asRoot("udevadm trigger --action=add /sys/bus/usb/devices/\(device.port)"),
            snapshot.restartPCSC,
        ]
    }
}
