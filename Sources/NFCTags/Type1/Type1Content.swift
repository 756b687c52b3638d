/// The memory of a Type 1 Tag and what its TLVs say.
struct Type1Content: Sendable {
    let header: Type1Header
    let container: Type1CapabilityContainer
    var memory: LazyMemory
    private(set) var scan: TLVScan

    init(header: Type1Header, container: Type1CapabilityContainer, memory: LazyMemory, wantsMessage: Bool = true) {
        self.header = header
        self.container = container
        self.memory = memory
        let start = Type1CapabilityContainer.areaStart
        var area = TLVArea(bounds: start..<max(start, container.end))
        area.skip(header.reserved)
        scan = TLVScan(area: area, obeysControlTLVs: true, wantsMessage: wantsMessage)
    }

    /// Walks to the end of the first message.
    mutating func findMessage() async throws(TagError) { try await scan.run(over: &memory) }

    /// Whether a lock bit is set for a block: bytes 112 and 113 for blocks 0 to 15, for the rest those from 122 on.
    func isLocked(block: Int) -> Bool {
        let position = block < 16 ? 112 + block / 8 : 122 + (block - 16) / 8
        guard let byte = memory.image[position], block < 16 || !header.isStatic else { return false }
        return byte >> (block % 8) & 1 == 1
    }
}
