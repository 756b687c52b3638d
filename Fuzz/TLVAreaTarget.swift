import NFCTags

extension FuzzTarget {
    /// The input is the memory of a Type 2 tag from the capability container on.
    static let tlvArea = FuzzTarget(name: "tlvArea") { bytes in
        let memory = [UInt8](repeating: 0, count: 12) + bytes
        guard let result = try? Type2Tag.readNDEF(inMemory: memory) else { return [] }
        let length = result.message?.count ?? 0
        return length <= bytes.count ? [] : ["a message is no longer than the memory it is read from"]
    }
}
