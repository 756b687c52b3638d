import CCrypto
import Synchronization

/// Memory for secrets: pages that are locked if `RLIMIT_MEMLOCK` allows it, that no core dump has and that no child process inherits.
///
/// A page for each key would reach the limit (64 KiB to 8 MiB) after a few dozen keys. So a region holds slots of one size, and a
/// slot is overwritten when it becomes free. Regions are kept: their number follows the most secrets that ever existed at once.
enum SecretMemory {
    /// Bytes of a region: 512 keys of AES.
    private static let regionLength = 16 * 1024
    /// Slots have 32 bytes, or 64, … up to this; what is longer has a region.
    private static let longestSlot = 4096

    /// The free slots of each size.
    private static let free = Mutex<[Int: [UInt]]>([:])

    /// Memory with zeros.
    static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let length = slotLength(count)
        guard length <= longestSlot else { return UnsafeMutableRawBufferPointer(start: pages(length), count: count) }
        let slot = free.withLock { free in
            var slots = free[length, default: []]
            free[length] = nil
            if slots.isEmpty { slots = newSlots(length) }
            let slot = slots.removeLast()
            free[length] = slots
            return slot
        }
        return UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: slot), count: count)
    }

    /// Overwrites memory and makes it available again.
    static func release(_ memory: UnsafeMutableRawBufferPointer) {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        let length = slotLength(memory.count)
        guard length <= longestSlot else { return ccrypto_secret_pages_free(memory.baseAddress, length) }
        let slot = UInt(bitPattern: memory.baseAddress)
        free.withLock { $0[length, default: []].append(slot) }
    }

    private static func slotLength(_ count: Int) -> Int {
        var length = 32
        while length < count { length *= 2 }
        return length
    }

    private static func newSlots(_ length: Int) -> [UInt] {
        let first = UInt(bitPattern: pages(regionLength))
        return (0..<regionLength / length).map { first + UInt($0 * length) }
    }

    private static func pages(_ count: Int) -> UnsafeMutableRawPointer {
        guard let pages = ccrypto_secret_pages(count) else { preconditionFailure("no memory for secrets") }
        return pages
    }
}
