/// What a capability container declares, as far as a virtual tag keeps to it (NFC Forum Type 4 Tag).
struct Type4Declaration {
    /// The identifier of the file with the message.
    let file: UInt16
    /// Mapping version, sizes and access conditions.
    let configuration: Type4Card.Configuration

    /// Nil unless the first control TLV is that of the message file: 04 up to version 2, 06 from version 3 on.
    init?(_ container: [UInt8]) {
        guard container.count >= 15, container[2] < 0x30 || container.count >= 17 else { return nil }
        let isExtended = container[2] >= 0x30
        let (head, sizeBytes): ([UInt8], Int) = isExtended ? ([0x06, 0x08], 4) : ([0x04, 0x06], 2)
        let declared = Self.number(container[0..<2])
        guard container[7..<9].elementsEqual(head), (sizeBytes + 13...container.count).contains(declared) else {
            return nil
        }
        file = UInt16(container[9]) << 8 | UInt16(container[10])
        var configuration = Type4Card.Configuration()
        configuration.mappingVersion = container[2]
        configuration.maximumReadSize = Self.number(container[3..<5])
        configuration.maximumWriteSize = Self.number(container[5..<7])
        configuration.fileSize = Self.number(container[11..<11 + sizeBytes])
        configuration.readAccess = container[11 + sizeBytes]
        configuration.writeAccess = container[12 + sizeBytes]
        self.configuration = configuration
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
