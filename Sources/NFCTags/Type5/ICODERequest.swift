import NFCTypes

/// The custom requests of ICODE SLIX2 (SL2S2602 data sheet). Each has NXP's manufacturer code in front of the UID.
extension ISO15693Request {
    private static func nxp(_ code: UInt8, _ parameters: [UInt8] = []) -> ISO15693Request {
        ISO15693Request(code: code, manufacturer: 0x04, parameters: parameters)
    }

    /// AB: pointer, access conditions, locks and features.
    static let getNXPSystemInformation = nxp(0xAB)
    /// B2: two bytes with which the next password is hidden.
    static let getRandomNumber = nxp(0xB2)
    /// A2.
    static let setEAS = nxp(0xA2)
    /// A3.
    static let resetEAS = nxp(0xA3)
    /// A4, permanent.
    static let lockEAS = nxp(0xA4)
    /// A5: 32 bytes where EAS is on, else no answer.
    static let easAlarm = nxp(0xA5)
    /// A6, permanent: EAS needs its password; with the option flag, the AFI does.
    static let protectEASOrAFI = nxp(0xA6)
    /// BB, permanent.
    static let requireBothPasswords = nxp(0xBB)
    /// 28, permanent.
    static let lockAFI = ISO15693Request(code: 0x28)

    /// 27.
    static func writeAFI(_ afi: UInt8) -> ISO15693Request { ISO15693Request(code: 0x27, parameters: [afi]) }

    /// B3.
    static func setPassword(_ kind: PasswordKind, hidden: [UInt8]) -> ISO15693Request {
        nxp(0xB3, [kind.identifier] + hidden)
    }

    /// B4: the password of this kind has to be given first, and again afterwards.
    static func writePassword(_ kind: PasswordKind, _ password: [UInt8]) -> ISO15693Request {
        nxp(0xB4, [kind.identifier] + password)
    }

    /// B5, permanent.
    static func lockPassword(_ kind: PasswordKind) -> ISO15693Request { nxp(0xB5, [kind.identifier]) }

    /// B6: read and write password have to be given first.
    static func protectPages(_ protection: ICODEProtection) -> ISO15693Request {
        nxp(0xB6, [UInt8(clamping: protection.pointer), protection.conditions.rawValue])
    }

    /// B7, permanent.
    static func lockProtection(pointer: Int) -> ISO15693Request { nxp(0xB7, [UInt8(clamping: pointer)]) }

    /// B8: a byte for each block, see ``ICODEBlockStatus``.
    static func getMultipleBlockProtectionStatus(_ blocks: ClosedRange<UInt16>) -> ISO15693Request {
        let count = blocks.upperBound - blocks.lowerBound
        return nxp(0xB8, [UInt8(truncatingIfNeeded: blocks.lowerBound), UInt8(truncatingIfNeeded: count)])
    }

    /// BA.
    static func enablePrivacy(hidden: [UInt8]) -> ISO15693Request { nxp(0xBA, hidden) }
}

extension PasswordKind {
    /// The identifier of the password on the wire.
    fileprivate var identifier: UInt8 {
        switch self {
        case .read: 0x01
        case .write: 0x02
        case .privacy: 0x04
        case .destroy: 0x08
        case .easAFI: 0x10
        }
    }

    /// The password as delivered.
    var factoryPassword: [UInt8] {
        switch self {
        case .read, .write, .easAFI: [0, 0, 0, 0]
        case .privacy, .destroy: [0x0F, 0x0F, 0x0F, 0x0F]
        }
    }

    /// All passwords as delivered.
    static let factoryPasswords = Set(allCases.map(\.factoryPassword))

    /// The name in texts.
    var words: String {
        switch self {
        case .read: "read password"
        case .write: "write password"
        case .privacy: "privacy password"
        case .destroy: "destroy password"
        case .easAFI: "EAS/AFI password"
        }
    }

    /// Whether it protects pages of the memory.
    var protectsPages: Bool { self == .read || self == .write }
}

/// What the byte of GET MULTIPLE BLOCK PROTECTION STATUS says of a block. GET MULTIPLE BLOCK SECURITY STATUS has the first bit only.
struct ICODEBlockStatus: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    /// The block can never be written again.
    static let locked = ICODEBlockStatus(rawValue: 0x01)
    /// Reading needs the read password.
    static let needsReadPassword = ICODEBlockStatus(rawValue: 0x02)
    /// Writing needs the write password.
    static let needsWritePassword = ICODEBlockStatus(rawValue: 0x04)
}

/// The two pages of the memory and what they need: page L is in front of the pointer, page H begins there.
struct ICODEProtection: Sendable, Hashable {
    /// Which accesses need a password.
    struct Conditions: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        static let readLow = Conditions(rawValue: 0x01)
        static let writeLow = Conditions(rawValue: 0x02)
        static let readHigh = Conditions(rawValue: 0x10)
        static let writeHigh = Conditions(rawValue: 0x20)

        /// What the password of a kind is needed for.
        static func needing(_ kind: PasswordKind) -> Conditions {
            switch kind {
            case .read: [.readLow, .readHigh]
            case .write: [.writeLow, .writeHigh]
            case .privacy, .destroy, .easAFI: []
            }
        }

        /// Those of page L, with pointer 0 of no blocks.
        static let low: Conditions = [.readLow, .writeLow]
        /// Those of page H.
        static let high: Conditions = [.readHigh, .writeHigh]
    }

    /// No page needs a password.
    static let none = ICODEProtection(pointer: 0, conditions: [])

    let pointer: Int
    let conditions: Conditions

    /// The blocks for which the password of a kind is needed, of `count` for data.
    func blocks(needing kind: PasswordKind, of count: Int) -> Range<Int> {
        let bits = conditions.intersection(.needing(kind))
        let pointer = min(pointer, count)
        return (bits.isDisjoint(with: .low) ? pointer : 0)..<(bits.isDisjoint(with: .high) ? pointer : count)
    }

    /// The first of some blocks for which a password is needed, and which; nil if none is.
    ///
    /// - Parameter count: the number of blocks for data.
    func need(
        of blocks: Range<Int>, before count: Int, writing: Bool
    ) -> (block: Int, kinds: [PasswordKind])? {
        for block in blocks where block < count {
            let status = status(of: block, of: count)
            var kinds: [PasswordKind] = status.contains(.needsReadPassword) ? [.read] : []
            if writing, status.contains(.needsWritePassword) { kinds.append(.write) }
            if !kinds.isEmpty { return (block, kinds) }
        }
        return nil
    }

    /// What the status of a block should say besides its lock.
    func status(of block: Int, of count: Int) -> ICODEBlockStatus {
        var status: ICODEBlockStatus = []
        if blocks(needing: .read, of: count).contains(block) { status.insert(.needsReadPassword) }
        if blocks(needing: .write, of: count).contains(block) { status.insert(.needsWritePassword) }
        return status
    }
}

/// The answer to GET NXP SYSTEM INFORMATION.
struct ICODESystemInformation: Sendable, Hashable {
    /// What is locked permanently.
    struct Locks: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        static let afi = Locks(rawValue: 0x01)
        static let eas = Locks(rawValue: 0x02)
        static let dsfid = Locks(rawValue: 0x04)
        static let protection = Locks(rawValue: 0x08)
    }

    let protection: ICODEProtection
    let locks: Locks
    private let features: UInt32

    /// Nil unless there are seven bytes, and bits of the conditions that have no meaning are zero.
    init?(_ content: [UInt8]) {
        guard content.count == 7, content[1] & ~0x33 == 0 else { return nil }
        protection = ICODEProtection(pointer: Int(content[0]), conditions: .init(rawValue: content[1]))
        locks = Locks(rawValue: content[2])
        features = content[3...].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The features that the chip reports, in words.
    var featureWords: [String] {
        Self.features.filter { features & (1 << UInt32($0.bit)) != 0 }.map(\.name)
    }

    private static let features: [(bit: Int, name: String)] = [
        (0, "page protection"), (1, "counter"), (2, "EAS ID"), (3, "EAS protection"), (4, "AFI protection"),
        (5, "extended inventory read"), (6, "EAS in inventory"), (8, "signature"), (9, "protected signature"),
        (10, "persistent quiet"), (12, "privacy"), (13, "destroy"),
    ]
}
