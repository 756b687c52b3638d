import NFCProtocol
import NFCSessions
import NFCTags

extension MethodTable {
    /// `miFareClassic.*`.
    mutating func addClassicMethods(_ coordinator: SessionCoordinator) {
        onTag(MiFareClassicAuthenticate.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.authenticate(
                block: parameters.block, key: parameters.key.bytes, type: parameters.keyType == .a ? .a : .b)
            return Empty()
        }
        onTag(MiFareClassicReadBlock.self, of: coordinator) { tag, parameters throws(TagError) in
            RawAnswer(data: HexBytes(try await tag.readBlock(parameters.block)))
        }
        onTag(MiFareClassicWriteBlock.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.writeBlock(
                parameters.block, parameters.data.bytes, allowsTrailer: parameters.allowTrailer ?? false)
            return Empty()
        }
        onTag(MiFareClassicIncrement.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.increment(parameters.block, by: parameters.amount)
            return Empty()
        }
        onTag(MiFareClassicDecrement.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.decrement(parameters.block, by: parameters.amount)
            return Empty()
        }
        onTag(MiFareClassicRestore.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.copyValue(from: parameters.block, to: parameters.destination)
            return Empty()
        }
    }
}
