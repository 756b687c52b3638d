/// What SetConfiguration sets (NT4H2421Gx, table 50; NT4H2421Tx, §11.5.1).
struct NTAG424Configuration: Sendable, Hashable {
    /// Whether the chip shows a random identifier of four bytes.
    private(set) var isRandomIdentifier = false
    /// Whether WriteData with MAC or encryption must fit one frame.
    private(set) var refusesChainedWrites = false
    /// Whether the chip authenticates with LRP.
    private(set) var isLRP = false
    /// PDcap2.5 and PDcap2.6.
    private var userCapabilities: [UInt8] = [0x00, 0x00]
    /// Whether the tamper loop is measured.
    private(set) var measuresTamper = false
    /// Who may ask for the tamper status: a key, E for everyone, F for no one.
    private(set) var tamperRight: UInt8 = 0xE
    /// How wrong authentications are counted.
    private(set) var failures = NTAG424Failures.Policy()
    /// Whether the back modulation is strong.
    private(set) var isBackModulationStrong = true

    /// PDcap2, six bytes.
    var capabilities: [UInt8] { [isLRP ? 0x02 : 0x00, 0, 0, 0] + userCapabilities }

    /// Applies an option. Random identifier, LRP and tamper cannot be switched off again.
    ///
    /// - Throws: 9E for an option or a bit that is reserved, 7E for the wrong number of bytes.
    mutating func apply(_ option: UInt8, _ data: [UInt8], hasTamperLoop: Bool) throws(NativeStatus) {
        switch option {
        case 0x00:
            try Self.check(data, masks: [0x02])
            isRandomIdentifier = isRandomIdentifier || data[0] != 0
        case 0x04:
            try Self.check(data, masks: [0x04, 0x00])
            refusesChainedWrites = data[0] != 0
        case 0x05: try applyCapabilities(data)
        case 0x07 where hasTamperLoop: try applyTamper(data)
        case 0x0A: try applyFailures(data)
        case 0x0B:
            try Self.check(data, masks: [0x01])
            isBackModulationStrong = data[0] != 0
        default: throw .wrongParameter
        }
    }

    private mutating func applyCapabilities(_ data: [UInt8]) throws(NativeStatus) {
        try Self.check(data, masks: [0, 0, 0, 0, 0x02, 0, 0, 0, 0xFF, 0xFF])
        isLRP = isLRP || data[4] != 0
        userCapabilities = Array(data[8...9])
    }

    private mutating func applyTamper(_ data: [UInt8]) throws(NativeStatus) {
        try Self.check(data, masks: [0x01, 0x0F])
        guard data[1] < NTAG424Keys.count || data[1] >= 0xE else { throw .wrongParameter }
        measuresTamper = measuresTamper || data[0] != 0
        tamperRight = data[1]
    }

    private mutating func applyFailures(_ data: [UInt8]) throws(NativeStatus) {
        try Self.check(data, masks: [0x01, 0xFF, 0xFF, 0xFF, 0xFF])
        let limit = Int(data[1]) | Int(data[2]) << 8
        guard limit > 0 else { throw .wrongParameter }
        failures = .init(isCounting: data[0] != 0, limit: limit, decrement: Int(data[3]) | Int(data[4]) << 8)
    }

    /// - Parameter masks: the bits that are not reserved, byte by byte.
    private static func check(_ data: [UInt8], masks: [UInt8]) throws(NativeStatus) {
        guard data.count == masks.count else { throw .wrongLength }
        guard zip(data, masks).allSatisfy({ $0 & ~$1 == 0 }) else { throw .wrongParameter }
    }
}
