/// Secure Dynamic Messaging of a file: which parts are written over its content as it is read, and with which keys (NT4H2421Gx,
/// §9.3 and table 69).
struct NTAG424SDMSettings: Sendable, Hashable {
    /// The bits of SDMOptions.
    struct Options: OptionSet, Sendable, Hashable {
        let rawValue: UInt8
        static let identifier = Options(rawValue: 0x80)
        static let counter = Options(rawValue: 0x40)
        static let counterLimit = Options(rawValue: 0x20)
        static let encryptedData = Options(rawValue: 0x10)
        static let tamperStatus = Options(rawValue: 0x08)
        static let text = Options(rawValue: 0x01)
    }

    /// What the file and the chip allow.
    struct Bounds: Sendable, Hashable {
        /// The size of the file in bytes.
        var fileSize: Int
        /// Whether the chip is in LRP mode, where PICCData is longer.
        var isLRP: Bool
        /// Whether the chip has a tamper loop.
        var hasTamperLoop: Bool
        /// SDMReadCtr.
        var counter: UInt32
    }

    /// The offset that keeps the counter without showing it.
    static let hidden = 0xFF_FFFF
    private static let free: UInt8 = 0xE
    private static let never: UInt8 = 0xF

    let options: Options
    /// SDMAccessRights, low byte first.
    private let rights: [UInt8]
    private(set) var identifierOffset: Int?
    private(set) var counterOffset: Int?
    private(set) var encryptedIdentityOffset: Int?
    private(set) var tamperStatusOffset: Int?
    private(set) var codeInputOffset: Int?
    private(set) var encryptedData: Range<Int>?
    private(set) var codeOffset: Int?
    /// SDMReadCtrLimit.
    private(set) var counterLimit: UInt32?
    private let isLRP: Bool

    /// The key of SDMMetaRead; nil if it is not a key.
    var metaReadKey: UInt8? { Self.key(metaRead) }
    /// The key of SDMFileRead; nil if it is not a key.
    var fileReadKey: UInt8? { Self.key(fileRead) }
    /// Who may ask for the counter: a key, E for everyone, F for no one.
    var counterRight: UInt8 { rights[0] & 0x0F }
    private var metaRead: UInt8 { rights[1] >> 4 }
    private var fileRead: UInt8 { rights[1] & 0x0F }
    /// Whether UID and counter are mirrored, in plain or encrypted.
    private var isShowingIdentity: Bool { metaRead != Self.never }

    private static func key(_ right: UInt8) -> UInt8? { right < NTAG424Keys.count ? right : nil }
}

// MARK: The bytes

extension NTAG424SDMSettings {
    /// Takes the part of ChangeFileSettings that follows the access rights.
    ///
    /// - Throws: 7E for another number of bytes than the options ask for, 9E for what the chip does not take.
    init(_ bytes: [UInt8], bounds: Bounds) throws(NativeStatus) {
        guard bytes.count >= 3 else { throw .wrongLength }
        options = Options(rawValue: bytes[0])
        rights = Array(bytes[1...2])
        isLRP = bounds.isLRP
        var fields = Fields(rest: bytes.dropFirst(3))
        if metaRead == Self.free {
            if options.contains(.identifier) { identifierOffset = try fields.next() }
            if options.contains(.counter) { counterOffset = try fields.next() }
        }
        if metaRead < Self.free { encryptedIdentityOffset = try fields.next() }
        if options.contains(.tamperStatus) { tamperStatusOffset = try fields.next() }
        if fileRead != Self.never {
            codeInputOffset = try fields.next()
            if options.contains(.encryptedData) {
                let (start, count) = (try fields.next(), try fields.next())
                encryptedData = start..<start + count
            }
            codeOffset = try fields.next()
        }
        if options.contains(.counterLimit) { counterLimit = UInt32(try fields.next()) }
        guard fields.rest.isEmpty else { throw .wrongLength }
        guard areRightsValid, areOptionsValid(bounds), arePlacesValid(bounds) else { throw .wrongParameter }
    }

    /// The part of GetFileSettings that follows the size.
    var bytes: [UInt8] {
        var fields = [
            identifierOffset, counterOffset, encryptedIdentityOffset, tamperStatusOffset, codeInputOffset,
        ]
        fields += [encryptedData?.lowerBound, encryptedData?.count, codeOffset, counterLimit.map { Int($0) }]
        return [options.rawValue] + rights + fields.compactMap(\.self).flatMap(Self.threeBytes)
    }

    /// Least significant byte first.
    static func threeBytes(_ number: Int) -> [UInt8] { [0, 8, 16].map { UInt8(truncatingIfNeeded: number >> $0) } }

    /// Fields of three bytes, one after another.
    private struct Fields {
        var rest: ArraySlice<UInt8>

        mutating func next() throws(NativeStatus) -> Int {
            guard rest.count >= 3 else { throw .wrongLength }
            defer { rest = rest.dropFirst(3) }
            return rest.prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }
}

// MARK: What the chip takes

extension NTAG424SDMSettings {
    private var areRightsValid: Bool {
        (metaReadKey != nil || metaRead >= Self.free) && (fileReadKey != nil || fileRead == Self.never)
            && (counterRight < NTAG424Keys.count || counterRight >= Self.free) && rights[0] >> 4 == Self.never
    }

    private func areOptionsValid(_ bounds: Bounds) -> Bool {
        guard options.contains(.text), options.rawValue & 0x06 == 0 else { return false }
        let identity: Options = [.identifier, .counter]
        let hasCounter = options.contains(.counter)
        guard !options.contains(.tamperStatus) || bounds.hasTamperLoop else { return false }
        guard isShowingIdentity ? !options.isDisjoint(with: identity) : !options.contains(.identifier) else {
            return false
        }
        guard hasCounter || counterRight == Self.never else { return false }
        if options.contains(.encryptedData) {
            guard fileReadKey != nil, options.isSuperset(of: identity) else { return false }
        }
        guard let counterLimit else { return true }
        return hasCounter && counterLimit > bounds.counter
    }

    /// Everything lies in the file, nothing that is written covers another part, and the MAC comes behind what it covers.
    private func arePlacesValid(_ bounds: Bounds) -> Bool {
        let identity = bounds.isLRP ? 48 : 32
        var parts = [identifierOffset.map { $0..<$0 + 14 }, encryptedIdentityOffset.map { $0..<$0 + identity }]
        parts += [counterOffset.flatMap { $0 == Self.hidden ? nil : $0..<$0 + 6 }, codeOffset.map { $0..<$0 + 16 }]
        let places = (parts + [encryptedData]).compactMap(\.self)
        let status = tamperStatusOffset.map { $0..<$0 + 2 }
        guard (places + [status].compactMap(\.self)).allSatisfy({ $0.upperBound <= bounds.fileSize }) else {
            return false
        }
        let areApart = places.indices.allSatisfy { index in
            places[(index + 1)...].allSatisfy { !$0.overlaps(places[index]) }
        }
        return areApart && isCodeValid && isTamperStatusValid(status, parts.compactMap(\.self))
    }

    private var isCodeValid: Bool {
        guard let codeInputOffset, let codeOffset else { return true }
        guard let encryptedData else { return codeInputOffset <= codeOffset }
        return encryptedData.count >= 32 && encryptedData.count.isMultiple(of: 32)
            && codeInputOffset <= encryptedData.lowerBound && encryptedData.upperBound <= codeOffset
    }

    /// It may be in the half of the encrypted data that is the plaintext.
    private func isTamperStatusValid(_ status: Range<Int>?, _ parts: [Range<Int>]) -> Bool {
        guard let status else { return true }
        guard parts.allSatisfy({ !$0.overlaps(status) }) else { return false }
        guard let encryptedData, encryptedData.overlaps(status) else { return true }
        return plaintext?.contains(status) ?? false
    }

    /// The first half of the encrypted data's place, which has its plaintext.
    var plaintext: Range<Int>? {
        encryptedData.map { $0.lowerBound..<$0.lowerBound + $0.count / 2 }
    }

    /// Whether SDMReadCtr counts.
    var isCounting: Bool { options.contains(.counter) }

    /// Whether the UID is a part of what the session keys come from.
    var bindsIdentifier: Bool { isShowingIdentity && options.contains(.identifier) }

    /// Whether the counter is a part of what the session keys come from.
    var bindsCounter: Bool { isShowingIdentity && options.contains(.counter) && counterOffset != Self.hidden }
}
