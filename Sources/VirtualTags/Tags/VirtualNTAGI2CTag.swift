/// An NTAG I2C as its RF side sees it: memory in sectors of 256 pages, SECTOR_SELECT, and no check bytes in the identifier
/// (NT3H1101/NT3H1201 data sheet).
///
/// The dynamic lock bytes are kept and never cleared, but lock nothing here; the I2C side, SRAM and session registers are
/// not modelled.
public struct VirtualNTAGI2CTag: VirtualTag {
    /// How much memory there is.
    public enum Size: String, Sendable, Hashable, CaseIterable {
        /// 888 bytes, all in sector 0.
        case oneKilobyte
        /// 1904 bytes, 1008 of them in sector 0.
        case twoKilobytes
    }

    /// How much memory there is.
    public let size: Size
    /// Sector 0 from page 0 to the last user page, then sector 1 from its page 0 on; 4 bytes a page.
    public private(set) var memory: [UInt8]
    /// Page 226 of sector 0, or 224 of sector 1.
    public private(set) var dynamicLock: [UInt8] = [0, 0, 0, 0]

    private var isActive = false
    private var sector = 0
    /// Whether the first part of SECTOR_SELECT was acknowledged.
    private var isSelecting = false

    private static let pageSize = 4
    private static let pagesPerSector = 256

    /// The serial number, seven consecutive bytes.
    public var identifier: [UInt8] { Array(memory.prefix(7)) }

    /// A tag with an empty message, or the one given.
    ///
    /// - Parameters:
    ///   - identifier: seven bytes, nil for one derived from the size.
    ///   - ndefMessage: a raw NDEF message.
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(size: Size, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil) throws(VirtualTagError) {
        let identifier = identifier ?? [0x04, 0x6E, size.storage, 0x05, 0x4D, 0x5A, 0x80]
        guard identifier.count == 7 else { throw .wrongIdentifierSize(size: identifier.count, expected: 7) }
        let message = ndefMessage ?? []
        guard message.count <= size.messageCapacity else {
            throw .messageTooLarge(size: message.count, capacity: size.messageCapacity)
        }
        self.size = size
        memory = identifier + [0x00, 0x44, 0x00, 0x00, 0x00] + [0xE1, 0x10, size.containerSize, 0x00, 0x03]
        memory += message.count < 0xFF ? [] : [0xFF, UInt8(truncatingIfNeeded: message.count >> 8)]
        memory += [UInt8(truncatingIfNeeded: message.count)] + message + [0xFE]
        memory = Array(memory.prefix(size.byteCount))
        memory += [UInt8](repeating: 0, count: size.byteCount - memory.count)
    }

    /// A tag with a whole memory image, stored unchanged.
    ///
    /// - Parameters:
    ///   - memory: sector 0 from page 0 to the last user page, then sector 1 from its page 0 on.
    ///   - dynamicLock: the four bytes of the page of the dynamic lock bytes.
    /// - Throws: ``VirtualTagError`` when a length is wrong.
    public init(
        size: Size, memory: [UInt8], dynamicLock: [UInt8] = [0, 0, 0, 0]
    ) throws(VirtualTagError) {
        guard memory.count == size.byteCount, dynamicLock.count == Self.pageSize else {
            throw .wrongMemorySize(
                size: memory.count + dynamicLock.count, expected: size.byteCount + Self.pageSize)
        }
        self.size = size
        self.memory = memory
        self.dynamicLock = dynamicLock
    }

    /// Selects the tag, sector 0.
    public mutating func activate() {
        isActive = true
        sector = 0
        isSelecting = false
    }

    /// Turns the field off.
    public mutating func fieldDropped() {
        isActive = false
        sector = 0
        isSelecting = false
    }

    /// Answers one frame. A refused command leaves the tag mute.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard isActive, let code = command.first else { return .silence }
        let answer = isSelecting ? select(command) : perform(code, Array(command.dropFirst()))
        if case .nak = answer { isActive = false }
        return answer
    }

    private mutating func perform(_ code: UInt8, _ arguments: [UInt8]) -> VirtualTagAnswer {
        switch (code, arguments.count) {
        case (0x30, 1): return read(Int(arguments[0]), count: 4)
        case (0x3A, 2) where arguments[0] <= arguments[1]: return fastRead(Int(arguments[0]), Int(arguments[1]))
        case (0xA2, 5): return write(Int(arguments[0]), Array(arguments.dropFirst()))
        case (0x60, 0): return .data(size.version)
        case (0x3C, 1) where arguments[0] == 0: return .data([UInt8](repeating: 0, count: 32))
        case (0xC2, 1) where arguments[0] == 0xFF:
            isSelecting = true
            return .ack
        default: return VirtualType2Tag.refusal
        }
    }

    /// The second part of SECTOR_SELECT: silence is success.
    private mutating func select(_ frame: [UInt8]) -> VirtualTagAnswer {
        isSelecting = false
        let sectors: [UInt8] = size == .oneKilobyte ? [0] : [0, 1]
        guard frame.count == 4, let wanted = frame.first, sectors.contains(wanted) else {
            return VirtualType2Tag.refusal
        }
        sector = Int(wanted)
        return .silence
    }

    /// Pages after the last read as zeros, but a read cannot begin there.
    private func read(_ page: Int, count: Int) -> VirtualTagAnswer {
        guard bytes(of: page) != nil else { return VirtualType2Tag.refusal }
        return .data((page..<page + count).flatMap { bytes(of: $0) ?? [0, 0, 0, 0] })
    }

    private func fastRead(_ first: Int, _ last: Int) -> VirtualTagAnswer {
        guard bytes(of: first) != nil, bytes(of: last) != nil else { return VirtualType2Tag.refusal }
        return read(first, count: last - first + 1)
    }

    private mutating func write(_ page: Int, _ data: [UInt8]) -> VirtualTagAnswer {
        if isDynamicLock(page) {
            dynamicLock = zip(dynamicLock, data.prefix(3) + [0]).map { $0 | $1 }
            return .ack
        }
        guard let start = offset(of: page), !isLocked(page) else { return VirtualType2Tag.refusal }
        let old = memory[start..<start + Self.pageSize]
        switch (sector, page) {
        case (0, 0), (0, 1): return VirtualType2Tag.refusal
        case (0, 2):
            var lock = StaticLock(old.suffix(2))
            lock.set(StaticLock(data.suffix(2)))
            memory.overwrite(at: start + 2, with: lock.bytes)
        case (0, 3): memory.overwrite(at: start, with: zip(old, data).map { $0 | $1 })
        default: memory.overwrite(at: start, with: data)
        }
        return .ack
    }

    private func isLocked(_ page: Int) -> Bool { sector == 0 && StaticLock(memory[10..<12]).locks(page: page) }

    private func isDynamicLock(_ page: Int) -> Bool {
        size == .oneKilobyte ? sector == 0 && page == 226 : sector == 1 && page == 224
    }

    private func bytes(of page: Int) -> [UInt8]? {
        if isDynamicLock(page) { return dynamicLock }
        return offset(of: page).map { Array(memory[$0..<$0 + Self.pageSize]) }
    }

    private func offset(of page: Int) -> Int? {
        guard page < Self.pagesPerSector else { return nil }
        let start = (sector * Self.pagesPerSector + page) * Self.pageSize
        return start < memory.count ? start : nil
    }
}

extension VirtualNTAGI2CTag.Size {
    /// Header and user memory, in bytes.
    var byteCount: Int { self == .oneKilobyte ? 16 + 888 : 16 + 1904 }
    /// Byte 2 of the capability container: 872 or 1872 bytes.
    var containerSize: UInt8 { self == .oneKilobyte ? 0x6D : 0xEA }
    /// The largest message, in bytes.
    var messageCapacity: Int { Int(containerSize) * 8 - 4 }
    /// What GET_VERSION answers.
    var version: [UInt8] { [0x00, 0x04, 0x04, 0x05, 0x02, 0x01, storage, 0x03] }
    /// Byte 6 of what GET_VERSION answers.
    var storage: UInt8 { self == .oneKilobyte ? 0x13 : 0x15 }
}
