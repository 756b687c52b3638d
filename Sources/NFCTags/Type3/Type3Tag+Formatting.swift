extension Type3Tag {
    /// Makes a FeliCa Lite or Lite-S an empty Type 3 Tag with 4 blocks a read and 1 a write: writes block 0, whatever
    /// it held, then sets SYS_OP in the memory configuration. The card may answer to system 12FC only after it left the
    /// field.
    ///
    /// - Throws: ``TagError`` 1 for any other card, and where block 0 or the memory configuration is locked; 401 when
    ///   the card refuses a write.
    public func formatNDEF() async throws(TagError) {
        let system = try await connect()
        if system.isNDEF, case .success = try await readHeader(of: system).attribute { return }
        guard let product = system.product else {
            throw TagError(.unsupportedFeature, "only FeliCa Lite and Lite-S can be formatted")
        }
        let configuration = try await readConfiguration(of: system, product)
        let blocks = configuration.writableBlocks - 1
        guard blocks > 0 else { throw TagError(.unsupportedFeature, "the user blocks are locked or need a key") }
        guard configuration.isNDEF || configuration.isOpen else {
            throw TagError(.unsupportedFeature, "the memory configuration is locked, without NDEF")
        }
        let attribute = AttributeInformation(readBlocks: 4, writeBlocks: 1, blocks: UInt16(truncatingIfNeeded: blocks))
        try await update(attribute.bytes, 0, of: system)
        if !configuration.isNDEF {
            try await update(configuration.withNDEF.bytes, FeliCaLiteConfiguration.block, of: system)
        }
        self.system = System(identifier: system.identifier, parameter: system.parameter, isNDEF: true)
    }

    /// Clears RWFlag, which every device that follows the standard respects. Only FeliCa Lite could be locked
    /// physically, in its memory configuration; that would freeze its keys as well, and is not done.
    ///
    /// - Throws: ``TagError`` 400 where the tag is read-only already, 1 after a write that broke off, 401 when the card
    ///   refuses or the block reads back otherwise.
    public func makeReadOnly() async throws(TagError) {
        let (system, header, attribute) = try await formatted()
        guard header.isWritable(attribute) else { throw TagError(.tagNotWritable, "\(system.name) is read-only") }
        guard !attribute.isWriting else {
            throw TagError(.unsupportedFeature, "a write broke off; write a message first")
        }
        try await update(attribute.readOnly.bytes, 0, of: system)
        try await checkAttribute(attribute.readOnly, of: system)
    }

    private func readConfiguration(
        of system: System, _ product: FeliCaLiteProduct
    ) async throws(TagError) -> FeliCaLiteConfiguration {
        let bytes = try await read([FeliCaLiteConfiguration.block], of: system)
        guard let configuration = FeliCaLiteConfiguration(bytes, product: product) else {
            throw TagError(.tagResponseError, "the memory configuration was not read", response: bytes)
        }
        return configuration
    }

    /// One block outside of a message; a refusal is 401.
    private func update(_ data: [UInt8], _ block: UInt16, of system: System) async throws(TagError) {
        do throws(TagError) {
            try await write(data, to: [block], of: system)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            throw TagError(.tagUpdateFailure, error.detail, response: error.response, statusWord: error.statusWord)
        }
    }
}
