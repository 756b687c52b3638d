/// An NFC Forum Type 1 Tag: Topaz, Topaz 512 and Jewel. The standard withdrew the type; tags are still met.
public actor Type1Tag: NDEFTag {
    /// The most a capability container can declare, in blocks of 8 bytes.
    static let blockLimit = 256

    let link: Type1Link
    private let expected: [UInt8]?
    private var header: Type1Header?

    /// A tag behind a reader that lets its frames pass, without CRC and with the UID in them.
    ///
    /// - Parameter identifier: the UID the reader gave; where the first 4 bytes of another one answer, every call fails
    ///   with 100. Fewer than 4 bytes are not compared.
    public init(channel: some NativeChannel, identifier: [UInt8]? = nil) {
        link = Type1Link(channel: channel)
        expected = identifier.flatMap { $0.count < 4 ? nil : Array($0.prefix(4)) }
    }

    /// Reads the message: one exchange for RID, one for each 120 or 128 bytes.
    ///
    /// - Throws: ``TagError`` 102 when the tag answers nonsense, refuses its own memory, or a TLV runs past its end;
    ///   100 when it leaves or another one answers.
    public func readNDEF() async throws(TagError) -> NDEFReadResult { try await result(wantsMessage: true) }

    /// Status and capacity, without the message.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        NDEFStatusResult(try await result(wantsMessage: false))
    }

    private func result(wantsMessage: Bool) async throws(TagError) -> NDEFReadResult {
        let header = try await connect()
        guard header.isNDEF else { return .notSupported("the header ROM says that there is no NDEF") }
        var content = try await load(header, wantsMessage: wantsMessage)
        if let fault = content.container.fault { return .notSupported(fault) }
        try await content.findMessage()
        return try content.scan.result(status: content.container.isWritable ? .readWrite : .readOnly)
    }

    /// RID, once for a connection.
    func connect() async throws(TagError) -> Type1Header {
        if let header { return header }
        let answer = try await link.send(.rid, to: [])
        guard let found = Type1Header(answer) else {
            throw TagError(.tagResponseError, "RID answered with \(answer.count) bytes", response: answer)
        }
        if let expected, expected != found.identifier {
            throw TagError(.tagConnectionLost, "another tag answered", response: answer)
        }
        header = found
        return found
    }

    /// The first 120 or 128 bytes.
    ///
    /// - Parameter wantsMessage: whether ``Type1Content/findMessage()`` reads the message, or only its place.
    func load(_ header: Type1Header, wantsMessage: Bool = true) async throws(TagError) -> Type1Content {
        let reader = Type1Reader(link: link, header: header)
        var memory = LazyMemory(reader: reader, pageSize: Type1Reader.blockSize, pageCount: Self.blockLimit)
        try await memory.fetch(0, count: Type1Reader.staticBlocks)
        try await memory.load(0..<16)
        guard case .bytes(let bytes) = memory.image.contents(of: [8..<12]),
            let container = Type1CapabilityContainer(bytes)
        else { throw TagError(.tagResponseError, "the capability container was not read") }
        return Type1Content(header: header, container: container, memory: memory, wantsMessage: wantsMessage)
    }
}
