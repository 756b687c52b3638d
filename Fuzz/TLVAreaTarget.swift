import NFCTags
import Synchronization

extension FuzzTarget {
    /// The input is the memory of a Type 2 tag from the capability container on.
    static let tlvArea = FuzzTarget(name: "tlvArea") { bytes in
        let tag = Type2Tag(reader: MemoryReader(memory: [UInt8](repeating: 0, count: 12) + bytes))
        let message = Mutex<[UInt8]?>(nil)
        let isDone = Mutex(false)
        withExtendedLifetime(
            Task.immediate {
                let result = try? await tag.readNDEF()
                message.withLock { $0 = result?.message }
                isDone.withLock { $0 = true }
            }
        ) {}
        guard isDone.withLock({ $0 }) else { return ["memory that is at hand is read at once"] }
        let length = message.withLock { $0?.count ?? 0 }
        return length <= bytes.count ? [] : ["a message is no longer than the memory it is read from"]
    }
}

/// Memory that is read four pages at a time, as far as it goes.
private struct MemoryReader: BlockReader {
    let memory: [UInt8]

    func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        let start = page * 4
        guard start < memory.count else { throw TagError(.tagResponseError, "there is no page \(page)") }
        return Array(memory[start..<min(start + 16, memory.count)])
    }
}
