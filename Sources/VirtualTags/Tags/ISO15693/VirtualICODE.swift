/// What an ICODE SLIX2 has besides its blocks (SL2S2602 data sheet, custom commands): five passwords, two pages with their access
/// conditions, EAS and privacy mode.
///
/// A password that was given is forgotten when the field drops. After a wrong one the chip answers nothing until then. Which error code
/// a real chip gives in which case is not known in every detail; here it is always 0F.
public struct VirtualICODE: Sendable, Hashable {
    /// A password, by its identifier on the wire.
    public enum Password: UInt8, Sendable, Hashable, CaseIterable {
        /// To read.
        case read = 0x01
        /// To write.
        case write = 0x02
        /// To enter and leave privacy mode.
        case privacy = 0x04
        /// To destroy the chip.
        case destroy = 0x08
        /// To change EAS and AFI.
        case easAFI = 0x10
    }

    /// The passwords, 4 bytes each, in the order in which they are sent.
    public internal(set) var passwords: [Password: [UInt8]] = [
        .read: [0, 0, 0, 0], .write: [0, 0, 0, 0], .privacy: [0x0F, 0x0F, 0x0F, 0x0F],
        .destroy: [0x0F, 0x0F, 0x0F, 0x0F], .easAFI: [0, 0, 0, 0],
    ]
    /// The passwords that can never be changed again.
    public internal(set) var lockedPasswords: Set<Password> = []
    /// The first block of page H; those before it are page L.
    public internal(set) var pointer: UInt8 = 0
    /// The access conditions: bits 0 and 1 for reading and writing page L, bits 4 and 5 for page H.
    public internal(set) var condition: UInt8 = 0
    /// Whether pointer and conditions can never be changed again.
    public internal(set) var isProtectionLocked = false
    /// Whether every access to a protected page needs both passwords, permanently.
    public internal(set) var needsBothPasswords = false
    /// Whether a gate notices the tag.
    public internal(set) var hasEAS = false
    /// Whether EAS can never be changed again.
    public internal(set) var isEASLocked = false
    /// Whether EAS needs its password, permanently.
    public internal(set) var isEASProtected = false
    /// Whether the AFI needs its password, permanently.
    public internal(set) var isAFIProtected = false
    /// Whether it answers only GET RANDOM NUMBER and SET PASSWORD.
    public internal(set) var isPrivate = false
    /// Whether it never answers again.
    public internal(set) var isDestroyed = false

    /// The passwords that were given since the field came on.
    var given: Set<Password> = []
    /// Whether a wrong password was given since then.
    var isMute = false
    /// The last random number, until a password was given with it.
    private var random: [UInt8]?
    private var generator: UInt16 = 0x5AC3

    /// A chip as delivered.
    public init() {}

    /// Forgets what is not kept without power.
    mutating func fieldDropped() { (given, isMute, random) = ([], false, nil) }

    /// Two bytes, in a sequence that is the same for every new chip.
    mutating func makeRandom() -> [UInt8] {
        generator ^= generator << 7
        generator ^= generator >> 9
        generator ^= generator << 8
        let bytes = [UInt8(truncatingIfNeeded: generator), UInt8(truncatingIfNeeded: generator >> 8)]
        random = bytes
        return bytes
    }

    /// Compares a password that was sent, each half exclusive-or the random number. A wrong one silences the chip.
    mutating func accepts(_ password: Password, _ sent: ArraySlice<UInt8>) -> Bool {
        guard let random else { return false }
        self.random = nil
        let plain = zip(sent, random + random).map { $0 ^ $1 }
        if plain == passwords[password] { return true }
        isMute = true
        return false
    }

    /// Whether all of these were given.
    func knows(_ wanted: Password...) -> Bool { given.isSuperset(of: wanted) }
}

extension VirtualICODE {
    /// Bits 0 and 1 of the page that a block is in: whether reading and writing it need a password.
    private func conditions(of block: Int) -> (read: Bool, write: Bool) {
        let bits = block < Int(pointer) ? condition : condition >> 4
        return (bits & 0x01 != 0, bits & 0x02 != 0)
    }

    /// Whether a block can be read now.
    func canRead(_ block: Int) -> Bool {
        !conditions(of: block).read || (needsBothPasswords ? knows(.read, .write) : knows(.read))
    }

    /// Whether a block can be written and locked now.
    func canWrite(_ block: Int) -> Bool {
        let page = conditions(of: block)
        guard page.read || page.write else { return true }
        if needsBothPasswords { return knows(.read, .write) }
        return (!page.read || knows(.read)) && (!page.write || knows(.write))
    }

    /// The protection status of a block besides its lock: bit 1 read, bit 2 write, bit 3 conditions locked.
    func status(of block: Int) -> UInt8 {
        let page = conditions(of: block)
        return (page.read ? 0x02 : 0) | (page.write ? 0x04 : 0) | (isProtectionLocked ? 0x08 : 0)
    }
}

extension VirtualISO15693Tag {
    /// A tag in privacy mode, or destroyed, does not answer inventory.
    public var isDetectable: Bool { icode.map { !$0.isPrivate && !$0.isDestroyed } ?? true }

    /// Custom commands have the manufacturer's code before the UID; another maker's are not for this chip.
    static func isCustom(_ code: UInt8) -> Bool { (0xA0...0xDF).contains(code) }

    /// What an ICODE that listens to nothing, or to little, does not answer.
    func isDeaf(to code: UInt8) -> Bool {
        guard let icode else { return false }
        return icode.isDestroyed || icode.isMute || icode.isPrivate && code != 0xB2 && code != 0xB3
    }

    /// Answers a custom command.
    ///
    /// - Parameter isAimed: the request names this tag, by its UID or as the selected one.
    mutating func performCustom(
        _ code: UInt8, _ parameters: [UInt8], hasOption: Bool, isAimed: Bool
    ) -> VirtualTagAnswer {
        guard var chip = icode else { return Self.error(0x01) }
        defer { icode = chip }
        switch (code, parameters.count) {
        case (0xA2, 0): return changeEAS(&chip) { $0.hasEAS = true }
        case (0xA3, 0): return changeEAS(&chip) { $0.hasEAS = false }
        case (0xA4, 0): return changeEAS(&chip) { $0.isEASLocked = true }
        case (0xA5, 0): return chip.hasEAS ? .data([0x00] + Self.easSequence) : .silence
        case (0xA6, 0):
            guard isAimed, chip.knows(.easAFI) else { return Self.error(0x0F) }
            if hasOption { chip.isAFIProtected = true } else { chip.isEASProtected = true }
            return Self.done
        case (0xAB, 0): return .data([0x00] + systemInformation(chip))
        case (0xB2, 0): return .data([0x00] + chip.makeRandom())
        case (0xB3, 5): return setPassword(&chip, parameters, isAimed: isAimed || chip.isPrivate)
        case (0xB4, 5) where isAimed: return change(&chip, parameters) { $0.replace($1, by: $2) }
        case (0xB5, 1) where isAimed: return change(&chip, parameters) { chip, password, _ in chip.lock(password) }
        case (0xB6, 2) where isAimed: return protectPage(&chip, parameters)
        case (0xB7, 1) where isAimed:
            guard chip.knows(.read, .write), !chip.isProtectionLocked, parameters[0] == chip.pointer else {
                return Self.error(0x0F)
            }
            chip.isProtectionLocked = true
            return Self.done
        case (0xB8, 2): return protectionStatus(chip, first: Int(parameters[0]), count: Int(parameters[1]) + 1)
        case (0xB9, 4) where isAimed: return end(&chip, .destroy, parameters) { $0.isDestroyed = true }
        case (0xBA, 4) where isAimed: return end(&chip, .privacy, parameters) { $0.isPrivate = true }
        case (0xBB, 0) where isAimed:
            guard chip.knows(.read, .write) else { return Self.error(0x0F) }
            chip.needsBothPasswords = true
            return Self.done
        default: return Self.error(Self.customCommands.contains(code) ? 0x0F : 0x01)
        }
    }

    private static let customCommands: Set<UInt8> = [
        0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xAB, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xBB,
    ]

    /// What EAS ALARM answers, 32 bytes.
    private static let easSequence: [UInt8] = [
        0x2F, 0xB3, 0x62, 0x70, 0xD5, 0xA7, 0x90, 0x7F, 0xE8, 0xB1, 0x80, 0x38, 0xD2, 0x81, 0x49, 0x76, 0x82, 0xDA,
        0x9A, 0x86, 0x6F, 0xAF, 0x8B, 0xB0, 0xF1, 0x9C, 0xD1, 0x12, 0xA5, 0x72, 0x37, 0xEF,
    ]

    private func changeEAS(_ chip: inout VirtualICODE, _ body: (inout VirtualICODE) -> Void) -> VirtualTagAnswer {
        guard !chip.isEASLocked, !chip.isEASProtected || chip.knows(.easAFI) else { return Self.error(0x0F) }
        body(&chip)
        return Self.done
    }

    /// Pointer, conditions, lock bits, and the features with the lowest byte first.
    private func systemInformation(_ chip: VirtualICODE) -> [UInt8] {
        let locks: [(Bool, UInt8)] = [
            (isAFILocked, 0x01), (chip.isEASLocked, 0x02), (isDSFIDLocked, 0x04), (chip.isProtectionLocked, 0x08),
        ]
        return [chip.pointer, chip.condition, locks.reduce(0) { $0 | ($1.0 ? $1.1 : 0) }, 0x7F, 0x35, 0x00, 0x00]
    }

    private func setPassword(
        _ chip: inout VirtualICODE, _ parameters: [UInt8], isAimed: Bool
    ) -> VirtualTagAnswer {
        guard isAimed, let password = VirtualICODE.Password(rawValue: parameters[0]),
            chip.accepts(password, parameters[1...])
        else { return Self.error(0x0F) }
        chip.given.insert(password)
        if password == .privacy { chip.isPrivate = false }
        return Self.done
    }

    /// Changes something about a password that was given.
    private func change(
        _ chip: inout VirtualICODE, _ parameters: [UInt8],
        _ body: (inout VirtualICODE, VirtualICODE.Password, [UInt8]) -> Void
    ) -> VirtualTagAnswer {
        guard let password = VirtualICODE.Password(rawValue: parameters[0]), chip.knows(password),
            !chip.lockedPasswords.contains(password)
        else { return Self.error(0x0F) }
        body(&chip, password, Array(parameters[1...]))
        return Self.done
    }

    /// The pointer has to be within the blocks for data.
    private func protectPage(_ chip: inout VirtualICODE, _ parameters: [UInt8]) -> VirtualTagAnswer {
        guard chip.knows(.read, .write), !chip.isProtectionLocked, Int(parameters[0]) < product.lockableBlocks,
            parameters[1] & ~0x33 == 0
        else { return Self.error(0x0F) }
        (chip.pointer, chip.condition) = (parameters[0], parameters[1])
        return Self.done
    }

    /// As many bytes as there are blocks for data.
    private func protectionStatus(_ chip: VirtualICODE, first: Int, count: Int) -> VirtualTagAnswer {
        let end = min(first + count, product.lockableBlocks)
        guard first < end else { return Self.error(0x0F) }
        return .data([0x00] + (first..<end).map { (lockedBlocks.contains($0) ? 0x01 : 0x00) | chip.status(of: $0) })
    }

    /// DESTROY and ENABLE PRIVACY, which come with their password.
    private func end(
        _ chip: inout VirtualICODE, _ password: VirtualICODE.Password, _ sent: [UInt8],
        _ body: (inout VirtualICODE) -> Void
    ) -> VirtualTagAnswer {
        guard chip.accepts(password, sent[...]) else { return Self.error(0x0F) }
        body(&chip)
        return Self.done
    }
}

extension VirtualICODE {
    /// A new password has to be given again.
    fileprivate mutating func replace(_ password: Password, by bytes: [UInt8]) {
        passwords[password] = bytes
        given.remove(password)
    }

    fileprivate mutating func lock(_ password: Password) { lockedPasswords.insert(password) }
}
