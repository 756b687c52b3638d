/// The FeliCa card behind a Type 3 Tag: polled once for a connection, read and written in blocks.
final class Type3Card {
    private let channel: any FeliCaChannel
    private let felica: FeliCa
    private let expected: FeliCaIdentifier?
    private var system: Type3System?

    /// - Parameter expected: the IDm of the card; a card with another one fails with ``TagError`` 100.
    init(channel: some FeliCaChannel, expected: FeliCaIdentifier?) {
        self.channel = channel
        felica = FeliCa(channel: channel)
        self.expected = expected
    }

    /// The most blocks that the reader reads in one command.
    var readLimit: Int { channel.readLimit }
    /// The most blocks that the reader writes in one command.
    var writeLimit: Int { channel.writeLimit }

    /// Polls for the NDEF system, and for any system if there is none. Once for a connection.
    func connect() async throws(TagError) -> Type3System {
        if let system { return system }
        let polled: FeliCaPolled
        var isNDEF = true
        do throws(TagError) {
            polled = try await felica.poll(.ndef)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            polled = try await felica.poll(.any, request: .systemCode)
            isNDEF = false
        }
        if let expected, !expected.isSameCard(as: polled.identifier) {
            throw TagError(.tagConnectionLost, "card \(polled.identifier) answered instead of \(expected)")
        }
        let found = Type3System(
            identifier: polled.identifier, parameter: polled.parameter, isNDEF: isNDEF, firstSystem: polled.systemCode)
        system = found
        return found
    }

    /// Reads block 0, and in the same exchange the memory configuration of a Lite.
    func readHeader(of system: Type3System) async throws(TagError) -> Type3Header {
        if let product = system.product, channel.readLimit > 1 {
            let both = try await felica.read(system.identifier, blocks: [0, FeliCaLiteConfiguration.block])
            if case .data(let data) = both {
                return Type3Header(
                    block: Array(data.prefix(FeliCaBlock.size)),
                    configuration: FeliCaLiteConfiguration(Array(data.dropFirst(FeliCaBlock.size)), product: product))
            }
        }
        let block = try await read([0], of: system)
        // Only a Lite has the block of the memory configuration.
        if system.product != nil, channel.readLimit > 1 { self.system?.firstSystem = FeliCaSystemCode.ndef.rawValue }
        return Type3Header(block: block, configuration: nil)
    }

    /// Records that the card has an NDEF system after formatting, without polling again.
    func hasBecomeNDEF(_ system: Type3System) {
        self.system = Type3System(
            identifier: system.identifier, parameter: system.parameter, isNDEF: true, firstSystem: system.firstSystem)
    }

    /// The system codes that the card reports.
    func systemCodes(of system: Type3System) async throws(TagError) -> [FeliCaSystemCode] {
        try await felica.requestSystemCode(system.identifier)
    }
}

extension Type3Card {
    /// Reads the first `count` data blocks, with as many in a command as tag and reader allow, at least one.
    func readData(count: Int, _ attribute: AttributeInformation, of system: Type3System) async throws(TagError)
        -> [UInt8]
    {
        let step = max(1, min(attribute.readBlocks, channel.readLimit))
        var data: [UInt8] = []
        for first in stride(from: 0, to: count, by: step) {
            let blocks = (first..<min(first + step, count)).map { UInt16(truncatingIfNeeded: $0 + 1) }
            data += try await read(blocks, of: system)
        }
        return data
    }

    /// Reads exactly these blocks.
    func read(_ blocks: [UInt16], of system: Type3System) async throws(TagError) -> [UInt8] {
        switch try await felica.read(system.identifier, blocks: blocks) {
        case .data(let data): return data
        case .refused(let status):
            throw TagError(
                .tagResponseError, "reading from block \(blocks.first ?? 0) refused: \(status)",
                response: [status.flag1, status.flag2])
        }
    }

    /// Reads the blocks that the card permits, together or one by one.
    func readable(_ blocks: [UInt16], of system: Type3System) async throws(TagError) -> [UInt16: [UInt8]] {
        if blocks.count <= channel.readLimit {
            if case .data(let data) = try await felica.read(system.identifier, blocks: blocks) {
                return Dictionary(zip(blocks, data.groups(of: FeliCaBlock.size)), uniquingKeysWith: { $1 })
            }
            guard blocks.count > 1 else { return [:] }
        }
        var content: [UInt16: [UInt8]] = [:]
        for block in blocks {
            if case .data(let data) = try await felica.read(system.identifier, blocks: [block]) {
                content[block] = data
            }
        }
        return content
    }

    /// Writes blocks with one command, which is never repeated.
    func write(_ data: [UInt8], to blocks: [UInt16], of system: Type3System) async throws(TagError) {
        let status = try await felica.write(system.identifier, blocks: blocks, data: data)
        guard status.isSuccess else {
            throw TagError(
                .tagResponseError, "writing from block \(blocks.first ?? 0) refused: \(status)",
                response: [status.flag1, status.flag2])
        }
    }
}

/// What polling found; it stays the same for a connection.
struct Type3System: Sendable, Hashable {
    let identifier: FeliCaIdentifier
    let parameter: FeliCaManufactureParameter
    let isNDEF: Bool

    /// The first system of the card, where it was asked for.
    var firstSystem: UInt16?

    /// A Lite or Lite-S has the system 88B4 in front of any other; another card may have the same PMm.
    var product: FeliCaLiteProduct? {
        firstSystem.map { $0 == FeliCaSystemCode.lite.rawValue } == false ? nil : parameter.liteProduct
    }
    /// The largest message in bytes: what the attribute block declares, as far as the blocks of a Lite are for data. Block 0E of one is
    /// a register, and what follows are keys and settings (FeliCa Lite-S User's Manual, 3.2).
    func capacity(_ attribute: AttributeInformation) -> Int {
        product == nil ? attribute.capacity : min(attribute.capacity, FeliCaLiteProduct.dataBlocks * FeliCaBlock.size)
    }

    /// The product, where it is known.
    var name: String { productName ?? "this FeliCa card" }
    /// Why the card is not one with a message.
    var noNDEF: String {
        product == nil ? "\(name) is not supported: it has no NDEF system 12FC" : "\(name) has no NDEF system 12FC"
    }
    /// The maker's name for the chip; nil where it is not known.
    var productName: String? { parameter.liteProduct == nil || product != nil ? parameter.productName : nil }
}

extension Int {
    /// The number of blocks for this number of bytes.
    var inBlocks: Int { self / FeliCaBlock.size + (self % FeliCaBlock.size == 0 ? 0 : 1) }
}
