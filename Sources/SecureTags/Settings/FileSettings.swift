/// The settings of a file: the answer of GetFileSettings (F5) and the data of ChangeFileSettings (5F).
public struct FileSettings: Sendable, Equatable {
    /// What a file holds.
    public enum Content: Sendable, Equatable {
        /// Bytes, written at once.
        case standard(size: Int)
        /// Bytes, written with the commit of a transaction.
        case backup(size: Int)
        /// A number between two limits.
        case value(lower: Int32, upper: Int32, limitedCredit: Int32, options: UInt8)
        /// Records, oldest first; a cyclic file overwrites the oldest.
        case records(isCyclic: Bool, size: Int, most: Int, count: Int)
        /// The counter and the code of transactions.
        case transactionMAC(keyType: UInt8, keyVersion: UInt8)
    }

    private static let (sdmBit, modeBits): (UInt8, UInt8) = (0x40, 0x03)

    /// What the file holds.
    public var content: Content
    /// How its bytes are protected in a session.
    public var mode: CommunicationMode
    /// Who may do what.
    public var rights: AccessRights
    /// Secure dynamic messaging; nil if it is off.
    public var sdm: SDMSettings?

    /// Settings of a file.
    public init(content: Content, mode: CommunicationMode, rights: AccessRights, sdm: SDMSettings? = nil) {
        self.content = content
        self.mode = mode
        self.rights = rights
        self.sdm = sdm
    }

    /// Bytes of a standard or backup file; 0 for other files.
    public var size: Int {
        switch content {
        case .standard(let size), .backup(let size): size
        default: 0
        }
    }

    /// Reads an answer of GetFileSettings.
    public init(parsing bytes: [UInt8]) throws(SecureTagError) {
        guard bytes.count >= 4 else { throw .malformed("file settings") }
        let (content, count) = try Self.content(bytes)
        let rest = Array(bytes.dropFirst(4 + count))
        let hasSDM = bytes[1] & Self.sdmBit != 0
        // After the settings of a file without SDM, later cards add fields that have no meaning here.
        self.init(
            content: content, mode: CommunicationMode(bits: bytes[1]),
            rights: AccessRights(first: bytes[2], second: bytes[3]),
            sdm: hasSDM ? try SDMSettings(parsing: rest) : nil)
    }

    private static func content(_ bytes: [UInt8]) throws(SecureTagError) -> (Content, count: Int) {
        func number(_ start: Int, _ count: Int) throws(SecureTagError) -> Int {
            guard let part = bytes.part(4 + start, count) else { throw .malformed("file settings: a field is missing") }
            return part.littleEndianNumber
        }
        func signed(_ start: Int) throws(SecureTagError) -> Int32 { Int32(truncatingIfNeeded: try number(start, 4)) }
        switch bytes[0] {
        case 0: return (.standard(size: try number(0, 3)), 3)
        case 1: return (.backup(size: try number(0, 3)), 3)
        case 2:
            let options = UInt8(truncatingIfNeeded: try number(12, 1))
            return (
                .value(lower: try signed(0), upper: try signed(4), limitedCredit: try signed(8), options: options), 13
            )
        case 3, 4:
            let (size, most, count) = (try number(0, 3), try number(3, 3), try number(6, 3))
            return (.records(isCyclic: bytes[0] == 4, size: size, most: most, count: count), 9)
        case 5:
            let (type, version) = (try number(0, 1), try number(1, 1))
            return (
                .transactionMAC(
                    keyType: UInt8(truncatingIfNeeded: type), keyVersion: UInt8(truncatingIfNeeded: version)), 2
            )
        default: throw .malformed("settings of a known kind of file")
        }
    }

    /// The data of ChangeFileSettings, without the file number: type and size are not part of it.
    public var changeData: [UInt8] {
        [mode.rawValue | (sdm == nil ? 0 : Self.sdmBit)] + rights.bytes + (sdm?.bytes ?? [])
    }

    /// How a read is protected; nil if it is refused.
    ///
    /// Where a right is free and the key of the session has none, a command goes in plain, whatever the mode of the file
    /// (NT4H2421Gx, §8.2.3.3).
    ///
    /// - Parameter key: the key of the session; nil without one.
    public func readMode(key: UInt8?) -> CommunicationMode? { mode(for: [rights.read, rights.readWrite], key) }

    /// How a write is protected, as ``readMode(key:)``.
    public func writeMode(key: UInt8?) -> CommunicationMode? { mode(for: [rights.write, rights.readWrite], key) }

    private func mode(for conditions: [AccessCondition], _ key: UInt8?) -> CommunicationMode? {
        if let key, conditions.contains(.key(key)) { return mode }
        return conditions.contains(.free) ? .plain : nil
    }

    /// Checks what an NTAG 424 DNA or a DESFire EV3 would refuse.
    ///
    /// - Parameters:
    ///   - fileNumber: on an NTAG 424, only file 2 has secure dynamic messaging.
    ///   - isLRP: whether the tag is in LRP mode, where the PICC data has 48 characters.
    ///   - keyCount: keys of the application; 5 on an NTAG 424.
    ///   - counter: the value of the counter, where known: a limit must be above it.
    /// - Throws: ``SecureTagError/invalidSettings(_:)`` with the reason.
    public func check(
        fileNumber: UInt8, isLRP: Bool = false, keyCount: UInt8 = 5, counter: Int? = nil
    ) throws(SecureTagError) {
        let missing = rights.all.compactMap(\.keyNumber).first { $0 >= keyCount }
        if let missing { throw .invalidSettings("key \(missing) does not exist.") }
        guard let sdm else { return }
        guard fileNumber == 2 else { throw .invalidSettings("secure dynamic messaging is for file 2.") }
        let rules = SDMRules(settings: sdm, fileSize: size, isLRP: isLRP, keyCount: keyCount)
        if let problem = rules.problem { throw .invalidSettings(problem) }
        if let limit = sdm.counterLimit, let counter, limit <= counter {
            throw .invalidSettings("the limit of the counter is not above its value, \(counter).")
        }
    }
}
