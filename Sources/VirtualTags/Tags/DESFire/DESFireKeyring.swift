/// The algorithm of the keys of an application or of the card: bits 7 and 6 of the number of keys.
enum DESFireKeyKind: UInt8, Sendable, Hashable {
    /// DES, or triple DES with two keys: 16 bytes; two equal halves mean DES.
    case des = 0x00
    /// Triple DES with three keys: 24 bytes.
    case tripleDES = 0x40
    case aes = 0x80

    /// The bytes of a key.
    var size: Int { self == .tripleDES ? 24 : 16 }
    /// The bytes of a random number in an authentication with the standard's or the AES command.
    var nonceSize: Int { self == .des ? 8 : 16 }
}

/// A key with its version.
struct DESFireKey: Sendable, Hashable {
    let kind: DESFireKeyKind
    let value: [UInt8]
    /// Of a DES key, the parity bits of its first eight bytes.
    let version: UInt8

    /// - Parameters:
    ///   - value: as many bytes as the kind has.
    ///   - version: the version of an AES key; a DES key holds its own.
    init(_ kind: DESFireKeyKind, _ value: [UInt8], version: UInt8 = 0) {
        self.kind = kind
        self.value = value
        self.version = kind == .aes ? version : value.prefix(8).reduce(0) { $0 << 1 | $1 & 1 }
    }

    /// A key of zeros.
    static func zero(_ kind: DESFireKeyKind) -> DESFireKey {
        DESFireKey(kind, [UInt8](repeating: 0, count: kind.size))
    }

    /// The bytes that make a difference to the cipher.
    var effective: [UInt8] { kind == .aes ? value : value.map { $0 & 0xFE } }
    /// Whether both halves of a DES key are equal, parity bits included: then it is a key of DES.
    var isSingleDES: Bool { kind == .des && value.prefix(8) == value.suffix(8) }

    var cipher: DESFireCipher { cipher(of: isSingleDES ? Array(value.prefix(8)) : value) }

    private func cipher(of bytes: [UInt8]) -> DESFireCipher {
        kind == .aes ? DESFireCipher(aes: bytes) : DESFireCipher(des: bytes)
    }

    /// The cipher of a session from both random numbers (authentications 0A, 1A and AA).
    func sessionCipher(_ randomA: [UInt8], _ randomB: [UInt8]) -> DESFireCipher {
        cipher(of: sessionKey(randomA, randomB))
    }

    /// Parts of both random numbers by turns.
    func sessionKey(_ randomA: [UInt8], _ randomB: [UInt8]) -> [UInt8] {
        let starts: [Int] =
            switch kind {
            case .aes: [0, 12]
            case .tripleDES: [0, 6, 12]
            case .des: isSingleDES ? [0] : [0, 4]
            }
        return starts.flatMap { randomA[$0..<$0 + 4] + randomB[$0..<$0 + 4] }
    }
}

/// The keys of an application or of the card, and the settings that govern them.
struct DESFireKeyring: Sendable, Hashable {
    private(set) var kind: DESFireKeyKind
    private(set) var settings: UInt8
    private var keys: [DESFireKey]

    init(key: DESFireKey, count: Int, settings: UInt8) {
        kind = key.kind
        keys = [DESFireKey](repeating: key, count: count)
        self.settings = settings
    }

    /// The two bytes of GetKeySettings.
    var description: [UInt8] { [settings, kind.rawValue | UInt8(truncatingIfNeeded: keys.count)] }
    /// How many keys there are.
    var count: Int { keys.count }

    /// The key with a number.
    func key(_ number: UInt8) throws(NativeStatus) -> DESFireKey {
        guard number < keys.count else { throw .noSuchKey }
        return keys[Int(number)]
    }

    /// Whether files, applications and settings are listed for a host that proved a key, if any.
    func permitsListing(_ proven: UInt8?) -> Bool { settings & 0x02 != 0 || proven == 0 }

    /// Whether files or applications are created for such a host.
    func permitsCreation(_ proven: UInt8?) -> Bool { settings & 0x04 != 0 || proven == 0 }

    /// Throws the status that refuses new settings.
    func checkSettingsChange(_ proven: UInt8?) throws(NativeStatus) {
        guard proven == 0 else { throw .authenticationError }
        guard settings & 0x08 != 0 else { throw .permissionDenied }
    }

    mutating func changeSettings(_ new: UInt8) { settings = new }

    /// Throws the status that refuses a new key. Bit 0 of the settings permits changing the master key; the high nibble names the
    /// key that permits changing the others: E the key itself, F none.
    func checkChange(of number: UInt8, _ proven: UInt8?) throws(NativeStatus) {
        guard let proven else { throw .authenticationError }
        guard number < keys.count else { throw .noSuchKey }
        let changing = settings >> 4
        if number == 0 ? settings & 0x01 == 0 : changing == 0xF { throw .permissionDenied }
        let needed = number == 0 || number == changing ? 0 : changing == 0xE ? number : changing
        guard proven == needed else { throw .authenticationError }
    }

    /// Replaces a key that exists. A key of another kind replaces the only key of the card.
    mutating func replace(_ number: UInt8, by key: DESFireKey) {
        guard keys.indices.contains(Int(number)) else { return }
        keys[Int(number)] = key
        kind = key.kind
    }
}
