/// Pages 41 to 45 of MIFARE Ultralight AES (MF0AES(H)20): CFG0, CFG1, and LOCK_KEYS where it was read.
struct UltralightSettings: Sendable, Hashable {
    /// CFG0.
    static let firstPage: UInt8 = 0x29
    /// LOCK_KEYS.
    static let lockPage: UInt8 = 0x2D
    /// AUTH0 of a tag as delivered: no page is protected.
    static let noPage: UInt8 = 0x3C

    /// CFG0: bit 0 RID_ACT, bit 1 SEC_MSG_ACT; AUTH0 in the last byte.
    var page0: [UInt8]
    /// CFG1: PROT, CFGLCK and the use of the counters; VCTID; AUTHLIM in ten bits, the lowest byte first.
    var page1: [UInt8]
    /// Byte 0 of LOCK_KEYS; nil if it was not read.
    var keyLocks: UInt8?

    /// The settings from bytes that begin with page 41; nil if there are not two pages.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= 8 else { return nil }
        (page0, page1) = (Array(bytes[..<4]), Array(bytes[4..<8]))
        let lock = 4 * Int(Self.lockPage - Self.firstPage)
        keyLocks = lock < bytes.count ? bytes[lock] : nil
    }

    /// SEC_MSG_ACT: commands after an authentication have codes.
    var hasCodes: Bool {
        get { page0[0] & 0x02 != 0 }
        set { page0[0] = newValue ? page0[0] | 0x02 : page0[0] & ~0x02 }
    }

    /// AUTH0: the first page that the key protects.
    var firstProtectedPage: UInt8 {
        get { page0[3] }
        set { page0[3] = newValue }
    }

    /// PROT: whether it protects against reading as well.
    var protectsReading: Bool {
        get { page1[0] & 0x80 != 0 }
        set { page1[0] = newValue ? page1[0] | 0x80 : page1[0] & ~0x80 }
    }

    /// CFGLCK: pages 41 and 42 cannot be changed any more.
    var isLocked: Bool { page1[0] & 0x40 != 0 }

    /// VCTID, in which nfcd stores the version of the keys: only the selection of virtual cards, which nothing uses, depends on it.
    var keyVersion: UInt8 {
        get { page1[1] }
        set { page1[1] = newValue }
    }

    /// AUTHLIM: how many wrong keys the tag takes in total, each that is right takes 16 off; 0 for any number.
    var attemptLimit: Int {
        get { Int(page1[2]) | Int(page1[3] & 0x03) << 8 }
        set {
            page1[2] = UInt8(truncatingIfNeeded: newValue)
            page1[3] = page1[3] & ~0x03 | UInt8(truncatingIfNeeded: newValue >> 8) & 0x03
        }
    }

    /// Whether DataProtKey cannot be written any more; false if that was not read.
    var locksKey: Bool { (keyLocks ?? 0) & 0x40 != 0 }
}
