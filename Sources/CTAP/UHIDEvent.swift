/// An event of `/dev/uhid` (Linux `include/uapi/linux/uhid.h`): one event for each read and write, packed, in the byte order of the
/// machine.
public enum UHIDEvent: Sendable, Hashable {
    // What the kernel reports.

    /// The device is ready.
    case start
    /// The driver was removed.
    case stop
    /// The first program opened the device.
    case open
    /// The last program closed it.
    case close
    /// A program wrote a report, with the report number in front where it came through hidraw.
    case output([UInt8])
    /// A program asks for a feature report.
    case getReport(id: UInt32)
    /// A program sets a feature report.
    case setReport(id: UInt32)
    /// An event that is not known, or not complete.
    case other(UInt32)

    /// What is written: creates the device.
    ///
    /// - Parameters:
    ///   - name: the product's name, at most 127 bytes.
    ///   - unique: a name that stays the same for the reader, at most 63 bytes.
    ///   - vendor: the number of the vendor.
    ///   - product: the number of the product.
    /// - Returns: the event, 4380 bytes.
    public static func create(name: String, unique: String, vendor: UInt32, product: UInt32) -> [UInt8] {
        var event = [UInt8](repeating: 0, count: size)
        event.put(UInt32(Number.create2), at: 0)
        event.put(name.utf8.prefix(127), at: 4)
        event.put("nfcd-fido".utf8, at: 4 + 128)
        event.put(unique.utf8.prefix(63), at: 4 + 192)
        event.put(UInt16(CTAPHID.reportDescriptor.count), at: 4 + 256)
        event.put(busUSB, at: 4 + 258)
        event.put(vendor, at: 4 + 260)
        event.put(product, at: 4 + 264)
        event.put(CTAPHID.reportDescriptor, at: 4 + 276)
        return event
    }

    /// What is written: removes the device, 4 bytes; the kernel takes the rest as zeros.
    public static let destroy: [UInt8] = header(Number.destroy)

    /// What is written: a report of the device, 70 bytes.
    public static func input(_ report: [UInt8]) -> [UInt8] {
        header(Number.input2) + bytes(of: UInt16(clamping: report.count)) + report
    }

    /// What is written: there are no feature reports (EIO).
    public static func refusal(ofGetReport id: UInt32) -> [UInt8] {
        header(Number.getReportReply) + bytes(of: id) + bytes(of: inputOutputError) + bytes(of: UInt16(0))
    }

    /// What is written: there are no feature reports (EIO).
    public static func refusal(ofSetReport id: UInt32) -> [UInt8] {
        header(Number.setReportReply) + bytes(of: id) + bytes(of: inputOutputError)
    }

    /// The size of an event in bytes: what to read at most.
    public static let size = 4380

    /// Decodes what was read.
    public init(_ bytes: [UInt8]) {
        guard let number = Self.integer(UInt32.self, bytes, 0) else {
            self = .other(0)
            return
        }
        let id = Self.integer(UInt32.self, bytes, 4)
        self =
            switch (number, id) {
            case (Number.start, _): .start
            case (Number.stop, _): .stop
            case (Number.open, _): .open
            case (Number.close, _): .close
            case (Number.output, _): Self.output(of: bytes)
            case (Number.getReport, let id?): .getReport(id: id)
            case (Number.setReport, let id?): .setReport(id: id)
            default: .other(number)
            }
    }

    private static func output(of bytes: [UInt8]) -> UHIDEvent {
        guard let size = integer(UInt16.self, bytes, 4 + 4096), Int(size) <= 4096 else { return .other(Number.output) }
        return .output(Array(bytes[4..<(4 + Int(size))]))
    }

    private enum Number {
        static let destroy: UInt32 = 1
        static let start: UInt32 = 2
        static let stop: UInt32 = 3
        static let open: UInt32 = 4
        static let close: UInt32 = 5
        static let output: UInt32 = 6
        static let getReport: UInt32 = 9
        static let getReportReply: UInt32 = 10
        static let create2: UInt32 = 11
        static let input2: UInt32 = 12
        static let setReport: UInt32 = 13
        static let setReportReply: UInt32 = 14
    }

    /// BUS_USB: libfido2 lists only devices on USB.
    private static let busUSB: UInt16 = 3
    /// EIO.
    private static let inputOutputError: UInt16 = 5

    private static func header(_ number: UInt32) -> [UInt8] { bytes(of: number) }

    fileprivate static func bytes(of value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    private static func integer<Value: FixedWidthInteger>(_: Value.Type, _ bytes: [UInt8], _ offset: Int) -> Value? {
        guard bytes.count >= offset + MemoryLayout<Value>.size else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ bytes: some Collection<UInt8>, at offset: Int) {
        replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }

    fileprivate mutating func put(_ value: some FixedWidthInteger, at offset: Int) {
        put(UHIDEvent.bytes(of: value), at: offset)
    }
}
