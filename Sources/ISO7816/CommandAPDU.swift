/// A command APDU: four header bytes, command data Nc and the expected response length Ne (ISO/IEC 7816-4).
///
/// ```swift
/// let select = try CommandAPDU(cla: 0x00, ins: 0xA4, p1: 0x04, p2: 0x00, data: name, expectedLength: 256)
/// channel.transmit(select.bytes)
/// ```
public struct CommandAPDU: Sendable, Hashable {
    /// How Lc and Le are written (ISO/IEC 7816-4, "short and extended length fields").
    public enum Form: Sendable, Hashable {
        /// One byte each: Nc up to 255, Ne up to 256.
        case short
        /// Two bytes each after a leading 00: Nc up to 65,535, Ne up to 65,536.
        case extended
    }

    /// Class byte.
    public let cla: UInt8
    /// Instruction byte.
    public let ins: UInt8
    /// First parameter byte.
    public let p1: UInt8
    /// Second parameter byte.
    public let p2: UInt8
    /// The command data field, 0…65,535 bytes; empty means that there is no Lc.
    public let data: [UInt8]
    /// Ne, 1…65,536 bytes; `nil` means that no response data is expected and there is no Le.
    public let expectedLength: Int?
    /// The form of the length fields: the shortest that fits, or what the parsed bytes used.
    public let form: Form

    /// Makes a command in the shortest form that carries its lengths.
    ///
    /// - Throws: ``CommandAPDUError/dataTooLong(_:)`` above 65,535 bytes of data,
    ///   ``CommandAPDUError/expectedLengthOutOfRange(_:)`` outside 1…65,536.
    public init(
        cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [], expectedLength: Int? = nil
    ) throws(CommandAPDUError) {
        guard data.count <= 65_535 else { throw .dataTooLong(data.count) }
        if let expectedLength, !(1...65_536).contains(expectedLength) {
            throw .expectedLengthOutOfRange(expectedLength)
        }
        let isShort = data.count <= 255 && (expectedLength ?? 0) <= 256
        self.init(
            header: (cla, ins, p1, p2), data: data, expectedLength: expectedLength, form: isShort ? .short : .extended)
    }

    /// A short command without data whose Le byte is given as it goes over the wire: 00 asks for 256 bytes.
    package init(cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, le: UInt8) {
        self.init(header: (cla, ins, p1, p2), data: [], expectedLength: le == 0 ? 256 : Int(le), form: .short)
    }

    /// A short command whose data is known to be short: what exceeds 255 bytes is dropped. Without Le.
    package init(cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, shortData: [UInt8]) {
        self.init(header: (cla, ins, p1, p2), data: Array(shortData.prefix(255)), expectedLength: nil, form: .short)
    }

    init(header: (UInt8, UInt8, UInt8, UInt8), data: [UInt8], expectedLength: Int?, form: Form) {
        (cla, ins, p1, p2) = header
        self.data = data
        self.expectedLength = expectedLength
        self.form = form
    }
}

extension CommandAPDU: CustomStringConvertible {
    /// The encoded command in upper-case hexadecimal.
    public var description: String { Hexadecimal.string(bytes) }
}
