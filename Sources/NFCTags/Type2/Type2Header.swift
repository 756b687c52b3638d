/// Pages 0 to 3 of a Type 2 Tag: identifier, static lock bytes, capability container.
struct Type2Header: Sendable, Hashable {
    /// Pages 0 to 3, 16 bytes; zeros for pages that were not read.
    let bytes: [UInt8]
    /// Whether page 0 was read.
    let hasIdentifier: Bool
    /// Whether pages 1 and 2 were read. Reading a message does not take them.
    let hasLocks: Bool

    let container: Type2CapabilityContainer

    init?(_ image: MemoryImage) {
        guard case .bytes(let last) = image.contents(of: [12..<16]), let container = Type2CapabilityContainer(last)
        else {
            return nil
        }
        bytes = (0..<12).map { image[$0] ?? 0 } + last
        hasIdentifier = image[0] != nil
        hasLocks = image[4] != nil && image[8] != nil
        self.container = container
    }

    var page2: [UInt8] { Array(bytes[8..<12]) }

    /// What does not have to be read again.
    func keep(in memory: inout LazyMemory) {
        if hasIdentifier { memory.store(Array(bytes.prefix(4)), at: 0) }
        if hasLocks { memory.store(Array(bytes[4..<12]), at: 1) }
        memory.store(container.bytes, at: 3)
    }

    /// Whether this is the tag with that identifier. With check bytes between the parts, or without (NTAG I2C).
    func belongs(to identifier: [UInt8]) -> Bool {
        let checked = bytes.prefix(3) + bytes[4..<8]
        return Array(checked) == identifier || Array(bytes.prefix(7)) == identifier
    }

    /// Whether the static lock bytes lock a page; bit n of the two locks page n, from 3 on.
    func locks(page: Int) -> Bool { (3...15).contains(page) && staticLock >> page & 1 == 1 }

    /// Whether every static lock bit is set.
    var isLocked: Bool { staticLock == 0xFFFF }

    /// Whether those that are not set can be: bits 0 to 2 freeze bit 3, bits 4 to 9 and bits 10 to 15.
    var canBeLocked: Bool {
        let groups: [UInt16] = [0x0008, 0x03F0, 0xFC00]
        let frozen = groups.enumerated().reduce(UInt16(0)) { staticLock >> $1.offset & 1 == 1 ? $0 | $1.element : $0 }
        return frozen & ~staticLock == 0
    }

    private var staticLock: UInt16 { UInt16(bytes[11]) << 8 | UInt16(bytes[10]) }
}
