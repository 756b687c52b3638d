import ISO7816

extension Type4Card {
    /// Describes the tag, see ``Type4Tag/describe()``.
    func describe() async throws(TagError) -> TagDescription {
        let discovery = try await readableDiscovery()
        let version = try await version()
        var lockState = LockState.unknown
        var fields: [TagDescription.Field]
        switch discovery {
        case .none(let reason): fields = [.init("NDEF", reason)]
        case .found(let layout):
            fields = layout.fields
            lockState = layout.file.lockState
        }
        return TagDescription(
            product: version.productName, manufacturer: version?.hardware.vendor == 0x04 ? "NXP" : nil,
            memorySize: version?.hardware.exactStorageSize, blockSize: Self.rowSize, lockState: lockState,
            fields: [version?.product.proofStrength?.field].compactMap(\.self) + fields + (version?.fields ?? []))
    }

    /// The search for NDEF; an answer that makes no sense ends it, but not the description.
    private func readableDiscovery() async throws(TagError) -> Type4Discovery {
        do throws(TagError) {
            return try await discover()
        } catch {
            guard error.code == .tagResponseError, error.response?.isEmpty == false else { throw error }
            return .none(error.detail)
        }
    }

    /// Bytes in a row of a dump.
    private static let rowSize = 16
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
        let chip =
            "\(ChipMaker.name(hardware.vendor) ?? "vendor \(Hexadecimal.string(hardware.vendor))"), type "
            + "\(Hexadecimal.string(hardware.type)), subtype \(Hexadecimal.string(hardware.subtype)); not known"
        return (product == .unknown ? [TagDescription.Field("Chip", chip)] : []) + [
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
    fileprivate var lockState: LockState {
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

extension Type4Card {
    /// Reads container and message, see ``Type4Tag/dump(progress:)``.
    func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        var sections: [TagDump.Section] = []
        if case .found(let layout) = try await discover(isFresh: true) {
            sections = try await files(of: layout, progress)
        }
        return TagDump(
            layout: .type4, product: try await version().productName, blockSize: Self.rowSize, sections: sections)
    }

    private func files(
        of layout: Type4Layout, _ listener: TagProgress?
    ) async throws(TagError) -> [TagDump.Section] {
        let sizes = [
            min(layout.container.length, Type4CapabilityContainer.sizeLimit),
            min(layout.file.size, Type4Tag.messageLimit + layout.file.lengthFieldSize),
        ]
        var progress = DumpProgress(listener, total: sizes[0] + sizes[1])
        // The search for the application has left the container selected.
        let first = file(readSize: max(layout.container.maximumReadSize, 1), writeSize: 1)
        let container = try await content(of: first, sizes[0], &progress, from: 0)
        let message = try await content(of: openFile(layout), sizes[1], &progress, from: sizes[0])
        progress.finish()
        return [
            Self.section(Type4Finder.containerIdentifier, container, "capability container"),
            Self.section(layout.file.identifier, message, "length of the message, then the message"),
        ]
    }

    /// The selected file up to `size`, or to where the card refuses.
    private func content(
        of file: BinaryFile, _ size: Int, _ progress: inout DumpProgress, from start: Int
    ) async throws(TagError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < size {
            do throws(TagError) {
                bytes += try await file.read(at: bytes.count, count: size - bytes.count)
            } catch {
                guard error.code == .tagResponseError else { throw error }
                break
            }
            progress.reach(start + bytes.count)
        }
        return bytes
    }

    /// Rows of 16 bytes, the first one with a meaning.
    private static func section(_ identifier: UInt16, _ bytes: [UInt8], _ meaning: String) -> TagDump.Section {
        let blocks = bytes.groups(of: rowSize).enumerated().map { number, row in
            TagBlock(number: number, bytes: row, meaning: number == 0 ? meaning : nil)
        }
        return TagDump.Section(name: Hexadecimal.string(identifier), blocks: blocks)
    }
}
