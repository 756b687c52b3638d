/// An NFC Forum Type 3 Tag: FeliCa Lite, Lite-S, and other FeliCa cards with an NDEF system.
///
/// A tag whose last write broke off (WriteFlag 0F) reads as empty, with the warning
/// ``NDEFReadWarning/interruptedWrite``, and can be written again.
public actor Type3Tag: NDEFTag {
    /// What polling found; it stays the same for a connection.
    struct System {
        let identifier: FeliCaIdentifier
        let parameter: FeliCaManufactureParameter
        let isNDEF: Bool

        var product: FeliCaLiteProduct? { parameter.liteProduct }
    }

    let channel: any FeliCaChannel
    let felica: FeliCa
    private let expected: FeliCaIdentifier?
    var system: System?

    /// A tag behind a reader that lets FeliCa packets pass.
    ///
    /// - Parameter identifier: the IDm the reader gave; where another card answers, every call fails with 100. One that
    ///   is not 8 bytes long is not compared.
    public init(channel: some FeliCaChannel, identifier: [UInt8]? = nil) {
        self.channel = channel
        felica = FeliCa(channel: channel)
        expected = identifier.flatMap { FeliCaIdentifier($0) }
    }

    /// Reads the message in commands of Nbr blocks, after one exchange for polling and one for the attribute block.
    ///
    /// - Throws: ``TagError`` 102 when the tag answers nonsense, refuses its own blocks or declares a message that is
    ///   longer than its memory; 100 when it leaves or another one answers.
    public func readNDEF() async throws(TagError) -> NDEFReadResult { try await result(wantsMessage: true) }

    /// Status and capacity: polling and the attribute block.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        NDEFStatusResult(try await result(wantsMessage: false))
    }

    private func result(wantsMessage: Bool) async throws(TagError) -> NDEFReadResult {
        let system = try await connect()
        guard system.isNDEF else { return .notSupported("\(system.name) has no NDEF system 12FC") }
        let header = try await readHeader(of: system)
        switch header.attribute {
        case .failure(let fault): return .notSupported("\(fault)")
        case .success(let attribute):
            let message = attribute.hasMessage && wantsMessage ? try await readMessage(attribute, of: system) : nil
            return NDEFReadResult(
                status: header.isWritable(attribute) ? .readWrite : .readOnly, capacity: attribute.capacity,
                message: message, warnings: attribute.warnings)
        }
    }
}

extension Type3Tag {
    /// Polls for NDEF, and for anything where there is none. Once for a connection.
    func connect() async throws(TagError) -> System {
        if let system { return system }
        let polled: FeliCaPolled
        var isNDEF = true
        do throws(TagError) {
            polled = try await felica.poll(.ndef)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            polled = try await felica.poll(.any)
            isNDEF = false
        }
        if let expected, !expected.isSameCard(as: polled.identifier) {
            throw TagError(.tagConnectionLost, "card \(polled.identifier) answered in place of \(expected)")
        }
        let found = System(identifier: polled.identifier, parameter: polled.parameter, isNDEF: isNDEF)
        system = found
        return found
    }

    /// Reads block 0, and with it the memory configuration of a Lite, which costs no exchange more.
    func readHeader(of system: System) async throws(TagError) -> Type3Header {
        if let product = system.product, channel.readLimit > 1 {
            let both = try await felica.read(system.identifier, blocks: [0, FeliCaLiteConfiguration.block])
            if case .data(let data) = both {
                return Type3Header(
                    block: Array(data.prefix(FeliCaBlock.size)),
                    configuration: FeliCaLiteConfiguration(Array(data.dropFirst(FeliCaBlock.size)), product: product))
            }
        }
        return Type3Header(block: try await read([0], of: system), configuration: nil)
    }

    private func readMessage(_ attribute: AttributeInformation, of system: System) async throws(TagError) -> [UInt8] {
        guard attribute.length <= attribute.capacity else {
            throw TagError(
                .tagResponseError,
                "a message of \(attribute.length) bytes is declared in a memory of \(attribute.capacity)",
                response: attribute.bytes)
        }
        let data = try await readData(count: attribute.length.inBlocks, attribute, of: system)
        return Array(data.prefix(attribute.length))
    }

    /// The first `count` data blocks, as many a command as tag and reader allow, but never none.
    func readData(count: Int, _ attribute: AttributeInformation, of system: System) async throws(TagError) -> [UInt8] {
        let step = max(1, min(attribute.readBlocks, channel.readLimit))
        var data: [UInt8] = []
        for first in stride(from: 0, to: count, by: step) {
            let blocks = (first..<min(first + step, count)).map { UInt16(truncatingIfNeeded: $0 + 1) }
            data += try await read(blocks, of: system)
        }
        return data
    }

    /// Exactly these blocks.
    func read(_ blocks: [UInt16], of system: System) async throws(TagError) -> [UInt8] {
        switch try await felica.read(system.identifier, blocks: blocks) {
        case .data(let data): return data
        case .refused(let status):
            throw TagError(
                .tagResponseError, "reading from block \(blocks.first ?? 0) refused: \(status)",
                response: [status.flag1, status.flag2])
        }
    }
}

extension Type3Tag.System {
    /// The product, as far as it is known.
    var name: String { product.map { "\($0)" } ?? "this FeliCa card" }
}

extension Int {
    /// The blocks that so many bytes take.
    var inBlocks: Int { self / FeliCaBlock.size + (self % FeliCaBlock.size == 0 ? 0 : 1) }
}
