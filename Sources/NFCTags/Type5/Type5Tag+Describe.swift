import ISO7816

extension Type5Tag {
    /// What the tag is: maker and chip by its UID, system information, capability container, locked blocks.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when it answers nonsense.
    public func describe() async throws(TagError) -> TagDescription {
        let geometry = try await knownGeometry()
        let (_, container) = try await beginning(geometry)
        var locked: Set<Int>?
        if let count = geometry.blockCount { locked = try await lockedBlocks(in: 0..<count) }
        var fields = [TagDescription.Field("Capability container", Hexadecimal.string(container.bytes))]
        if let fault = container.fault { fields.append(.init("NDEF", fault)) }
        fields += geometry.fields
        if let locked { fields.append(.init("Locked blocks", locked.isEmpty ? "none" : locked.inWords)) }
        let product = Type5Product(uid: geometry.uid)
        return TagDescription(
            productName: product.name, manufacturer: product.manufacturer,
            memorySize: geometry.blockCount.map { $0 * geometry.blockSize }, blockSize: geometry.blockSize,
            lockState: Self.lockState(locked, geometry, container), fields: fields)
    }

    /// A container that forbids writing locks what NDEF devices see, and no more.
    private static func lockState(
        _ locked: Set<Int>?, _ geometry: Type5Geometry, _ container: Type5CapabilityContainer
    ) -> TagDescription.LockState {
        guard let locked else { return .unknown }
        if locked.count == geometry.blockCount { return .locked }
        return locked.isEmpty && (container.fault != nil || container.isWritable) ? .unlocked : .partlyLocked
    }
}

extension Type5Geometry {
    fileprivate var fields: [TagDescription.Field] {
        var fields: [TagDescription.Field] = []
        if let dsfid = information?.dsfid { fields.append(.init("DSFID", Hexadecimal.string(dsfid))) }
        if let afi = information?.afi { fields.append(.init("AFI", Hexadecimal.string(afi))) }
        if let reference = information?.icReference {
            fields.append(.init("IC reference", Hexadecimal.string(reference)))
        }
        if let blockCount { fields.append(.init("Blocks", "\(blockCount) of \(blockSize) bytes")) }
        return fields
    }
}

extension Set<Int> {
    /// The numbers in order, runs of them as `first–last`.
    var inWords: String {
        var runs: [ClosedRange<Int>] = []
        for number in sorted() {
            if let last = runs.last, last.upperBound + 1 == number {
                runs[runs.endIndex - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
            .joined(separator: ", ")
    }
}
