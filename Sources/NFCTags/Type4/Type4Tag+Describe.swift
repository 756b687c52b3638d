import ISO7816

extension Type4Tag {
    /// What the tag is: its capability container in words, and what GET_VERSION tells of DESFire and NTAG 4xx.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when it answers nonsense.
    public func describe() async throws(TagError) -> TagDescription {
        let discovery = try await discover()
        let version = try await version()
        var lockState = TagDescription.LockState.unknown
        var fields: [TagDescription.Field]
        switch discovery {
        case .none(let reason): fields = [.init("NDEF", reason)]
        case .found(let layout):
            fields = layout.fields
            lockState = layout.file.lockState
        }
        return TagDescription(
            productName: version.productName, manufacturer: version?.hardware.vendor == 0x04 ? "NXP" : nil,
            memorySize: version?.hardware.exactStorageSize, blockSize: Self.rowSize, lockState: lockState,
            fields: fields + (version?.fields ?? []))
    }

    /// Bytes in a row of a dump.
    static let rowSize = 16

    /// GET_VERSION in DESFire's way, nil where the card does not know it. Application and file are selected again for every
    /// call, so nothing of this stays behind.
    func version() async throws(TagError) -> DESFireVersion? {
        do throws(TagError) {
            return try await DESFireChannel(channel: card.channel).version()
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }
}

extension DESFireVersion? {
    /// The maker's name, or that of the tag type.
    var productName: String {
        guard let product = self?.product, product != .unknown else { return "Type 4 Tag" }
        return product.rawValue
    }
}

extension DESFireVersion {
    fileprivate var fields: [TagDescription.Field] {
        [
            .init("Hardware version", "\(hardware.major).\(hardware.minor)"),
            .init("Software version", "\(software.major).\(software.minor)"),
        ]
    }
}

extension DESFireVersion.Part {
    /// Nil where the code stands for a range.
    fileprivate var exactStorageSize: Int? { storage & 1 == 0 ? storageSize : nil }
}

extension Type4Layout {
    fileprivate var fields: [TagDescription.Field] {
        [
            .init("Mapping version", "\(container.mappingVersion >> 4).\(container.mappingVersion & 0x0F)"),
            .init("Longest read", "\(container.maximumReadSize) bytes"),
            .init("Longest write", "\(container.maximumWriteSize) bytes"),
            .init("NDEF file", "\(Hexadecimal.string(file.identifier)), \(file.size) bytes"),
            .init("Read access", Type4FileControl.words(file.readAccess)),
            .init("Write access", Type4FileControl.words(file.writeAccess)),
        ]
    }
}

extension Type4FileControl {
    fileprivate var lockState: TagDescription.LockState {
        switch writeAccess {
        case 0x00: .unlocked
        case 0xFF: .locked
        default: .passwordProtected
        }
    }

    fileprivate static func words(_ access: UInt8) -> String {
        switch access {
        case 0x00: "free"
        case 0xFF: "never"
        default: "with a key or a proprietary procedure (\(Hexadecimal.string(access)))"
        }
    }
}
