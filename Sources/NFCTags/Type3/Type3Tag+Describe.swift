import ISO7816

extension Type3Tag {
    /// What the card is: identifiers, product by the IC type of its PMm, systems, attribute information, lock state.
    ///
    /// - Throws: ``TagError`` 100 when the card leaves or another one answers, 102 when it answers nonsense.
    public func describe() async throws(TagError) -> TagDescription {
        let system = try await connect()
        var fields: [TagDescription.Field] = [
            .init("IDm", "\(system.identifier)"), .init("PMm", "\(system.parameter)"),
            .init("Systems", try await systems(of: system).joined(separator: " ")),
        ]
        let header = try await describedHeader(of: system)
        if let configuration = header?.configuration {
            fields.append(.init("Memory configuration", Hexadecimal.string(configuration.bytes)))
        }
        let attribute = system.isNDEF ? header?.attribute : nil
        if let attribute { fields += Self.fields(attribute) }
        return TagDescription(
            productName: system.parameter.productName, manufacturer: system.parameter.productName.map { _ in "Sony" },
            memorySize: Self.memorySize(system, attribute), blockSize: FeliCaBlock.size,
            lockState: Self.lockState(header?.configuration, attribute), fields: fields)
    }

    /// Block 0, of a Lite with the memory configuration; nil where there is nothing to read.
    private func describedHeader(of system: System) async throws(TagError) -> Type3Header? {
        guard let product = system.product else { return system.isNDEF ? try await readHeader(of: system) : nil }
        let content = try await readable([0, FeliCaLiteConfiguration.block], of: system)
        return Type3Header(
            block: content[0] ?? [],
            configuration: content[FeliCaLiteConfiguration.block].flatMap {
                FeliCaLiteConfiguration($0, product: product)
            })
    }

    /// A Lite does not know Request System Code, and has two systems at most.
    private func systems(of system: System) async throws(TagError) -> [String] {
        let polled: [FeliCaSystemCode] = (system.product == nil ? [] : [.lite]) + (system.isNDEF ? [.ndef] : [])
        guard system.product == nil else { return polled.map { Hexadecimal.string($0.rawValue.bigEndianBytes) } }
        do throws(TagError) {
            return try await felica.requestSystemCode(system.identifier).map {
                Hexadecimal.string($0.rawValue.bigEndianBytes)
            }
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return polled.map { Hexadecimal.string($0.rawValue.bigEndianBytes) }
        }
    }

    private static func memorySize(
        _ system: System, _ attribute: Result<AttributeInformation, AttributeFault>?
    ) -> Int? {
        if let product = system.product { return FeliCaLiteBlocks.numbers(of: product).count * FeliCaBlock.size }
        guard case .success(let attribute)? = attribute else { return nil }
        return attribute.capacity + FeliCaBlock.size
    }

    /// By the memory configuration of a Lite. RWFlag is all that other cards have, and on a Lite it locks what NDEF devices
    /// see, and no more.
    private static func lockState(
        _ configuration: FeliCaLiteConfiguration?, _ attribute: Result<AttributeInformation, AttributeFault>?
    ) -> TagDescription.LockState {
        var isWritable: Bool?
        if case .success(let attribute)? = attribute { isWritable = attribute.isWritable }
        guard let configuration else { return isWritable.map { $0 ? .unlocked : .locked } ?? .unknown }
        return configuration.lockState == .unlocked && isWritable == false ? .partlyLocked : configuration.lockState
    }

    private static func fields(
        _ attribute: Result<AttributeInformation, AttributeFault>
    ) -> [TagDescription.Field] {
        switch attribute {
        case .failure(let fault): [.init("NDEF", "\(fault)")]
        case .success(let attribute):
            [
                .init("Attribute information", Hexadecimal.string(attribute.bytes)),
                .init("NDEF access", attribute.isWritable ? "read and write" : "read only"),
            ]
        }
    }
}
