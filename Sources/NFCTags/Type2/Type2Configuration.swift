import ISO7816

/// The configuration pages CFG0 and CFG1 (NTAG213/215/216 data sheet, 8.5.7; MF0ULx1 data sheet, 8.5.5; MF0AES(H)20 data sheet).
/// Bits that are not named here are kept as they are.
struct Type2Configuration: Sendable, Hashable {
    /// The eight bytes.
    private(set) var bytes: [UInt8]
    private let secret: Type2Secret

    /// Exactly eight bytes; nil for any other number.
    init?(_ bytes: [UInt8], secret: Type2Secret) {
        guard bytes.count == 8 else { return nil }
        (self.bytes, self.secret) = (bytes, secret)
    }

    /// CFG0: MIRROR, a reserved byte, MIRROR_PAGE, AUTH0.
    var page0: [UInt8] { Array(bytes[..<4]) }
    /// CFG1: ACCESS and three bytes that stay.
    var page1: [UInt8] { Array(bytes[4...]) }

    /// AUTH0: the first page that needs the password or key; a page behind the memory if none does.
    var firstProtectedPage: Int {
        get { Int(bytes[3]) }
        set { bytes[3] = UInt8(clamping: newValue) }
    }

    /// PROT.
    var scope: PasswordScope {
        get { access(0x80) ? .readWrite : .write }
        set { setAccess(0x80, newValue == .readWrite) }
    }

    /// AUTHLIM: how many wrong passwords or keys are taken, 0 for any number. For a key, 10 bits in bytes 2 and 3 of CFG1.
    var attemptLimit: Int {
        get { secret == .password ? Int(bytes[4] & 0x07) : Int(bytes[6]) | Int(bytes[7] & 0x03) << 8 }
        set {
            guard secret != .password else { return bytes[4] = bytes[4] & ~0x07 | UInt8(clamping: newValue) & 0x07 }
            bytes[6] = UInt8(truncatingIfNeeded: newValue)
            bytes[7] = bytes[7] & ~0x03 | UInt8(truncatingIfNeeded: newValue >> 8) & 0x03
        }
    }

    /// SEC_MSG_ACT of MIFARE Ultralight AES: after its key, each command needs a message authentication code.
    var needsSecureMessaging: Bool { secret != .password && bytes[0] & 0x02 != 0 }

    /// CFGLCK: these pages cannot be changed any more.
    var isLocked: Bool { access(0x40) }

    /// NFC_CNT_EN and NFC_CNT_PWD_PROT.
    var counter: CounterUse {
        get { !access(0x10) ? .off : access(0x08) ? .password : .on }
        set {
            setAccess(0x10, newValue != .off)
            setAccess(0x08, newValue == .password)
        }
    }

    private func access(_ bit: UInt8) -> Bool { bytes[4] & bit != 0 }

    private mutating func setAccess(_ bit: UInt8, _ isSet: Bool) {
        bytes[4] = isSet ? bytes[4] | bit : bytes[4] & ~bit
    }
}

extension Type2Configuration {
    /// The mirror. `MIRROR_CONF` is in the upper two bits of byte 0, `MIRROR_BYTE` in the two below; a chip that mirrors nothing but the
    /// UID has no `MIRROR_CONF` (NTAG210/212 data sheet). A mirror in front of page 4 is off.
    func mirror(on product: Type2Product) -> MirrorSetting {
        let content = product.mirrors == [.uid] ? .uid : Self.mirrors[Int(bytes[0] >> 6)]
        guard bytes[2] > 3, product.mirrors.contains(content) else { return .off }
        return MirrorSetting(content: content, page: Int(bytes[2]), byte: Int(bytes[0] >> 4 & 0x03))
    }

    mutating func setMirror(_ mirror: MirrorSetting, on product: Type2Product) {
        let code = product.mirrors == [.uid] ? 0 : Self.mirrors.firstIndex(of: mirror.content) ?? 0
        bytes[0] = bytes[0] & 0x0F | UInt8(code << 6 | mirror.byte << 4)
        bytes[2] = UInt8(clamping: mirror.page)
    }

    /// By `MIRROR_CONF`.
    private static let mirrors: [MirrorContent] = [.off, .uid, .counter, .uidAndCounter]
}

/// What an NTAG21x shows instead of its memory, and where.
struct MirrorSetting: Hashable {
    static let off = MirrorSetting(content: .off, page: 0, byte: 0)

    let content: MirrorContent
    /// The page in which it begins; 0 for no mirror.
    let page: Int
    /// The byte of that page, 0 to 3.
    let byte: Int
}

extension MirrorContent {
    /// How many bytes of memory it takes.
    var size: Int {
        switch self {
        case .off: 0
        case .uid: 14
        case .counter: 6
        case .uidAndCounter: 21
        }
    }

    /// Whether the counter is part of it.
    var hasCounter: Bool { self == .counter || self == .uidAndCounter }
}

extension Type2Product {
    /// Whether it has the NFC counter, which counts by itself: counter 2 and no other.
    var hasNFCCounter: Bool { configurationPage != nil && counters == 2...2 }

    /// What it can show instead of its memory: NTAG210 and NTAG212 the UID only.
    var mirrors: [MirrorContent] {
        guard configurationPage != nil, version?.type == 0x04 else { return [] }
        return hasNFCCounter ? [.uid, .counter, .uidAndCounter] : [.uid]
    }
}
