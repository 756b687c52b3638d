import ISO7816
import SpoolTags

/// What formatting would find on a tag without NDEF.
public enum TagFormatState: Sendable, Hashable {
    /// It is formatted: there is a message, or room for one.
    case formatted
    /// Formatting overwrites nothing.
    case blank
    /// The memory holds other data, described here, which formatting would overwrite.
    case holdsData(String)
    /// It cannot be formatted, for this reason.
    case impossible(String)

    /// What a driver finds of data that formatting would overwrite; nil: none.
    init(overwriting foreign: String?) { self = foreign.map { .holdsData($0) } ?? .blank }

    /// What a driver finds, of which an error 1 or 400 is a reason not to format.
    ///
    /// - Throws: any other error.
    static func of(_ find: () async throws(TagError) -> TagFormatState) async throws(TagError) -> TagFormatState {
        do throws(TagError) {
            return try await find()
        } catch {
            guard [.unsupportedFeature, .tagNotWritable].contains(error.code) else { throw error }
            return .impossible(error.detail)
        }
    }
}

/// Data in the memory of a tag without a message: of another program, so that it is not overwritten unasked.
enum ForeignData {
    /// What a memory for data holds, in words; nil where it is blank: all 00 or all FF, but for the beginning of what formatting puts
    /// there, which an interrupted one has left, and a lone terminator.
    ///
    /// - Parameters:
    ///   - memory: the memory for data.
    ///   - formatted: what formatting puts at its beginning.
    ///   - first: the number of the first page or block.
    ///   - blockSize: its bytes.
    static func description(
        of memory: [UInt8], formatted: [UInt8], first: Int, blockSize: Int
    ) -> String? {
        let filler = memory.last == 0xFF ? UInt8(0xFF) : 0x00
        let place = memory.indices.first { index in
            let isWanted = index < formatted.count && memory[index] == formatted[index]
            let isTerminator = index == 0 && memory[index] == TLVType.terminator.rawValue
            return memory[index] != filler && !isWanted && !isTerminator
        }
        guard let place else { return nil }
        let block = place / blockSize * blockSize
        let shown = Array(memory[block...].prefix(16))
        return "the memory holds other data from block \(first + block / blockSize) on (\(Hexadecimal.string(shown)))"
    }

    /// The same of content of a known format.
    static func description(of content: TagContent) -> String {
        "the memory holds \(content.name) from block \(content.block) on"
    }

    /// The refusal to overwrite it.
    static func refusal(_ description: String) -> TagError {
        TagError(.unsupportedFeature, "\(description); it is not overwritten unasked")
    }
}

extension TagContent {
    /// What the bytes of a memory are that have been read; nil if it is not a known format.
    ///
    /// - Parameter image: the memory from its first page or block on.
    init?(_ layout: SpoolMemory.Layout, in image: MemoryImage) {
        self.init(SpoolContent.recognised(in: SpoolMemory(layout, image)), blockSize: image.pageSize)
    }

    /// Content of a spool's tag.
    init?(_ spool: SpoolContent?, blockSize: Int) {
        guard let spool else { return nil }
        self.init(format: spool.format, name: spool.title, block: spool.extent.lowerBound / blockSize)
    }
}

extension SpoolMemory {
    /// The part of a memory that has been read.
    init(_ layout: Layout, _ image: MemoryImage) {
        self.init(layout: layout, count: Self.recognisedCount) { image[$0] }
    }
}
