import ISO7816

/// An NFC Forum Type 2 Tag: MIFARE Ultralight, NTAG and their like.
///
/// Nothing is remembered between calls: the tag may be another one, or have been written.
public struct Type2Tag: Sendable {
    /// Bytes per page.
    static let pageSize = 4
    /// Where the data area starts.
    static let dataAreaStart = 16
    /// The header and the largest data area a capability container can declare, in pages.
    static let pageLimit = 4 + 255 * 8 / 4

    private let reader: any BlockReader

    /// A tag read with `FF B0` (PC/SC Part 3, Read Binary).
    public init(channel: some CardChannel) { reader = StorageCardReader(channel: channel) }

    /// A tag read in a way of the reader's own.
    public init(reader: some BlockReader) { self.reader = reader }

    /// Reads the first NDEF message, with no more exchanges than it takes to get there and to its end.
    ///
    /// - Throws: ``TagError`` 102 when the tag answers nonsense, refuses a page of its own data area, or a TLV runs
    ///   past the area; 100 when it leaves.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        var memory = LazyMemory(reader: reader, pageSize: Self.pageSize, pageCount: Self.pageLimit)
        let container = try await loadHeader(into: &memory)
        let faults = container.faults
        guard faults.isEmpty else { return .notSupported(faults.map(\.description).joined(separator: "; ")) }
        var scan = Type2Scan(container: container)
        do throws(TagError) {
            try await scan.run(over: &memory)
        } catch {
            throw error.explained(by: container)
        }
        return try scan.result()
    }

    /// Reads pages 0 to 3, from page 1 on where the reader refuses page 0.
    private func loadHeader(into memory: inout LazyMemory) async throws(TagError) -> Type2CapabilityContainer {
        do throws(TagError) {
            try await memory.fetch(0, count: 4)
        } catch {
            guard error.statusWord == .operationFailed else { throw error }
            try await memory.fetch(1, count: 3)
        }
        try await memory.load(12..<16)
        guard case .bytes(let bytes) = memory.image.contents(of: [12..<16]),
            let container = Type2CapabilityContainer(bytes)
        else { throw TagError(.tagResponseError, "the capability container was not read") }
        return container
    }
}

extension TagError {
    /// Adds what a refused page of the data area means.
    fileprivate func explained(by container: Type2CapabilityContainer) -> TagError {
        guard let statusWord, !statusWord.isSuccess, statusWord != .endOfData else { return self }
        let hint = "the memory is smaller than the \(container.dataAreaSize) bytes declared, or needs a password"
        return TagError(code, "\(detail); \(hint)", response: response, statusWord: statusWord)
    }
}
