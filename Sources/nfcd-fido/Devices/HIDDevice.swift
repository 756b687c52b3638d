import CTAP

/// A HID device that exists until it is removed: `/dev/uhid`, or what takes its place in tests.
protocol HIDDevice: Sendable {
    /// What the kernel reports next; nil where the device was removed or lost. Only one task at a time may wait.
    func next() async -> UHIDEvent?

    /// Notes that an event was handled. So many reports that were not are kept, and no more.
    func handled(_ event: UHIDEvent)

    /// Writes an event of ``UHIDEvent``. A program that does not read loses reports, as with any HID device.
    func write(_ event: [UInt8])

    /// Removes the device.
    func remove()
}

/// What makes HID devices.
protocol HIDDeviceMaker: Sendable {
    /// Creates a HID device.
    ///
    /// - Parameters:
    ///   - name: the product's name, at most 127 bytes.
    ///   - unique: a name that stays the same for the reader, at most 63 bytes.
    /// - Throws: ``HIDDeviceError``.
    func makeDevice(name: String, unique: String) throws(HIDDeviceError) -> any HIDDevice
}

/// Why there is no HID device.
struct HIDDeviceError: Error, CustomStringConvertible {
    let description: String
}
