/// An NFC Forum Type 5 Tag: ICODE, ST25 and other ISO/IEC 15693 tags with a capability container.
///
/// The size of the memory is asked for once for a connection. Blocks can be locked through ``NativeChannel`` only.
public actor Type5Tag: NDEFTag {
    private let chip: Type5Chip
    /// What the last reading has found; nil after any other operation.
    private var known: Opened?

    private typealias Opened = (store: TLVMessageStore<Type5Blocks>, container: Type5CapabilityContainer)

    /// The most bytes that one command asks for: what passes through the smallest readers.
    static let readLimit = 128

    /// A tag read and written with `FF B0` and `FF D6` by block.
    public init(channel: some CardChannel) {
        chip = Type5Chip(transport: Type5StorageCardTransport(channel: channel))
    }

    /// A tag that receives frames of ISO/IEC 15693.
    ///
    /// - Parameters:
    ///   - uid: 8 bytes, E0 first; nil addresses any tag in the field.
    ///   - reset: drops the field and selects the tag again, which a wrong password takes; nil where that is not possible.
    public init(
        native channel: some NativeChannel, uid: [UInt8]? = nil,
        reset: (@Sendable () async throws(TagError) -> Void)? = nil
    ) {
        let target = uid.map { ISO15693Request.Target.uid($0) } ?? .any
        let requests = ICODEChannel(channel: channel, target: target, reset: reset)
        chip = Type5Chip(transport: Type5NativeTransport(channel: requests, target: target))
    }

    /// Status, capacity and message; ``TagError`` 102 if the tag refuses blocks of the data area.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        try await chip.sharingSession { () throws(TagError) in
            var (store, container) = try await opened()
            let result = try await store.read()
            known = (store.forNextOperation(), container)
            return result
        }
    }

    /// Status and capacity, without the message.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        try await chip.sharingSession { () throws(TagError) in
            var store = try await opened().store
            return try await store.status()
        }
    }

    /// Replaces the message.
    ///
    /// - Throws: ``TagError`` as for ``NDEFTag/writeNDEF(_:verifying:overwriting:progress:)``; 400 also if a block is locked.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) {
        try await chip.sharingSession { () throws(TagError) in
            var (store, container) = try await opened()
            chip.adoptOption(of: container)
            if let fault = store.fault, let item = try await libraryItem(store, container) {
                throw TagError(.unsupportedFeature, "\(fault); \(ForeignData.description(of: item))")
            }
            try await store.write(message, verifying: verifying, overwriting: overwriting, progress: progress)
        }
    }

    /// Changes bytes inside a record, see ``NDEFTag/updateRecord(_:verifying:progress:)``.
    public func updateRecord(
        _ update: RecordUpdate, verifying: Bool, progress: TagProgress?
    ) async throws(TagError) {
        try await chip.sharingSession { () throws(TagError) in
            var (store, container) = if let known { known } else { try await opened() }
            known = nil
            chip.adoptOption(of: container)
            try await store.update(update, verifying: verifying, progress: progress)
            known = (store.forNextOperation(), container)
        }
    }

    /// What the tag is: maker and chip by its UID, system information, capability container, locked blocks.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed.
    public func describe() async throws(TagError) -> TagDescription {
        try await chip.sharingSession { () throws(TagError) in
            var description = try await chip.describe()
            if description.lockState == .partlyLocked, try await isMessageLocked() { description.lockState = .locked }
            return description
        }
    }

    /// Whether container and message are locked permanently, as ``makeReadOnly()`` leaves them: the blocks behind are not part of either.
    private func isMessageLocked() async throws(TagError) -> Bool {
        do throws(TagError) {
            var (store, container) = try await opened()
            guard container.fault == nil, let message = try await store.messagePlace() else { return false }
            let blocks = Self.blocks(of: message, container, size: store.memory.image.pageSize)
            return try await chip.lockedBlocks(in: 0..<blocks.end)?.count == blocks.end
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return false
        }
    }

    /// Where the blocks of the container and those of container and message end.
    private static func blocks(
        of message: TLV, _ container: Type5CapabilityContainer, size: Int
    ) -> (containerEnd: Int, end: Int) {
        let containerEnd = (container.bytes.count + size - 1) / size
        let messageEnd = ((message.pieces.last?.upperBound ?? message.offset + 2) + size - 1) / size
        return (containerEnd, max(messageEnd, containerEnd))
    }

    /// Every block, with its purpose and whether it is locked. Several are read at once where the tag supports it.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        try await chip.sharingSession { () throws(TagError) in try await chip.dump(progress: progress) }
    }

    /// The container, and the data area with what has been read of it.
    private func opened() async throws(TagError) -> Opened {
        known = nil
        let geometry = try await chip.knownGeometry()
        let (memory, container) = try await chip.beginning(geometry)
        let layout = container.layout(geometry, isOpen: container.isWritable || chip.opens(container))
        guard container.canReadMultiple else { return (TLVMessageStore(memory: memory, layout: layout), container) }
        let blocks = Type5Blocks(
            chip: chip, blockSize: geometry.blockSize,
            multipleEnd: layout.area.bounds.upperBound / geometry.blockSize)
        return (TLVMessageStore(memory: memory.continued(by: blocks), layout: layout), container)
    }
}

extension Type5CapabilityContainer {
    /// The data area that the container declares, as far as the memory reaches. Tags that count the container in are common.
    /// Some makers begin at the block behind the container; that is tried where the right place has no message.
    ///
    /// - Parameter isOpen: whether writing is free, or the tag has accepted the password for it.
    fileprivate func layout(_ geometry: Type5Geometry, isOpen: Bool) -> TLVLayout {
        if let fault { return .absent(fault) }
        let start = bytes.count
        let memory = geometry.blockCount.map { $0 * geometry.blockSize }
        let declared = overflows ? memory ?? dataAreaSize : dataAreaSize + start
        // Where the size of the memory is not known, only that much is certain. A message may show that there is more.
        let end = memory.map { min($0, declared) } ?? dataAreaSize
        var layout = TLVLayout(area: TLVArea(bounds: start..<max(end, start)))
        if memory == nil { layout.possibleEnd = overflows ? start + Self.largestDataArea : declared }
        if geometry.blockSize > start {
            layout.alternative = TLVArea(bounds: geometry.blockSize..<max(end, geometry.blockSize))
        }
        layout.status = isOpen ? .readWrite : .readOnly
        layout.writeRefusal = isOpen ? nil : "the capability container grants no write access"
        return layout
    }
}

extension Type5Tag {
    /// Writes an empty message and, at last, a capability container on a tag whose memory is blank. A container that
    /// is valid already stays.
    ///
    /// - Throws: ``TagError`` 1 if the size of the memory is not known or the memory holds other data, 400 if a block is locked.
    public func formatNDEF(overwriting: Bool) async throws(TagError) {
        try await chip.sharingSession { () throws(TagError) in
            guard var plan = try await formatting() else { return }
            if let foreign = plan.foreign, !overwriting { throw ForeignData.refusal(foreign) }
            try await plan.store.load(plan.writes)
            let area = plan.store.memory
            try await area.reader.checkWritable(plan.writes.map(\.block), extent: 0..<8, image: area.image)
            try await plan.store.put(plan.writes.reversed(), "formatting was interrupted and can be started again")
        }
    }

    /// A tag of known size that is blank, or holds a capability container in front of no message.
    public func formatState() async throws(TagError) -> TagFormatState {
        try await chip.sharingSession { () throws(TagError) in
            try await .of { () async throws(TagError) in
                try await formatting().map { TagFormatState(overwriting: $0.foreign) } ?? .formatted
            }
        }
    }

    /// What formatting writes, and what it would overwrite; nil where the tag is formatted.
    private func formatting() async throws(TagError) -> (
        store: TLVMessageStore<Type5Blocks>, writes: [BlockWrite], foreign: String?
    )? {
        var (store, old) = try await opened()
        if try await store.messagePlace() != nil { return nil }
        if old.fault == nil, !old.isWritable {
            throw TagError(.tagNotWritable, "the capability container grants no write access")
        }
        let container = old.fault == nil ? old : try await newContainer()
        chip.adoptOption(of: container)
        let content = container.bytes + [0x03, 0x00, 0xFE]
        let size = store.memory.image.pageSize
        if let item = try await libraryItem(store, old) {
            return (store, BlockWrite.blocks(of: content, at: 0, size: size), ForeignData.description(of: item))
        }
        let foreign = try await foreignData(
            in: store.memory, formatted: content, canReadMultiple: container.canReadMultiple)
        return (store, BlockWrite.blocks(of: content, at: 0, size: size), foreign)
    }

    /// An item of a library, where the tag shows that it is one.
    public func findContent() async throws(TagError) -> TagContent? {
        try await chip.sharingSession { () throws(TagError) in
            do throws(TagError) {
                let (store, container) = try await opened()
                return try await libraryItem(store, container)
            } catch {
                guard error.code == .tagResponseError else { throw error }
                return nil
            }
        }
    }

    /// A tag without a container whose application family is that of libraries: 07 in the library, C2 on loan (ISO 28560). A tag whose
    /// memory is blank is not an item yet: formatting takes nothing from it, and the family stays.
    private func libraryItem(
        _ store: TLVMessageStore<Type5Blocks>, _ container: Type5CapabilityContainer
    ) async throws(TagError) -> TagContent? {
        guard container.fault != nil, let family = try await chip.knownGeometry().information?.afi,
            [0x07, 0xC2].contains(family),
            try await foreignData(in: store.memory, formatted: Self.begun, canReadMultiple: false) != nil
        else { return nil }
        return TagContent(format: "library", name: "a library item", block: 0)
    }

    /// What formatting that was interrupted may have left behind block 0, which is written last.
    private static let begun: [UInt8] = [0, 0, 0, 0, 0x03, 0x00, 0xFE]

    /// What the blocks for data hold of others, read no further than to the first of it; nil where they are blank.
    private func foreignData(
        in known: LazyMemory<Type5Blocks>, formatted: [UInt8], canReadMultiple: Bool
    ) async throws(TagError) -> String? {
        let geometry = try await chip.knownGeometry()
        let size = geometry.blockSize
        let count = try await chip.messageBlocks(upTo: geometry.blockCount ?? Self.readLimit / size)
        let blocks = Type5Blocks(chip: chip, blockSize: size, multipleEnd: canReadMultiple ? count : nil)
        var memory = known.continued(by: blocks)
        for start in stride(from: 0, to: count * size, by: Self.readLimit) {
            let range = start..<min(start + Self.readLimit, count * size)
            try await memory.load(range)
            let found = ForeignData.description(
                of: memory.bytes(range), formatted: start == 0 ? formatted : [], first: start / size, blockSize: size)
            if let found { return found }
        }
        return nil
    }

    private func newContainer() async throws(TagError) -> Type5CapabilityContainer {
        let geometry = try await chip.knownGeometry()
        guard let count = geometry.blockCount else {
            throw TagError(.unsupportedFeature, "the size of the tag's memory is unknown")
        }
        let canReadMultiple = try await chip.readsMultiple(geometry)
        return Type5CapabilityContainer(
            blockCount: try await chip.messageBlocks(upTo: count), blockSize: geometry.blockSize,
            canReadMultiple: canReadMultiple)
    }
}

extension Type5Tag: WritableMemory {
    /// Block 0 holds the access bits and, where none was, makes the tag one with a message.
    public func effect(ofWriting blocks: [Int: [UInt8]]) async throws(TagError) -> CommandEffect {
        guard let first = blocks[0], first.count >= 2, Type5CapabilityContainer.isMagic(first[0]) else { return .write }
        let old = try await opened().container
        if old.bytes.prefix(2) == first.prefix(2) { return .write }
        if first[1] & 0x0F != 0 { return .lock }
        return Type5CapabilityContainer.isMagic(old.bytes[0]) ? .write : .format
    }

    /// Replaces blocks, see ``WritableMemory/writeMemory(_:overwriting:progress:)``. Block 0, which begins the container, is zeros
    /// meanwhile.
    public func writeMemory(
        _ blocks: [Int: [UInt8]], overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) -> Int {
        try await chip.sharingSession { () throws(TagError) in try await replace(blocks, overwriting, progress) }
    }

    private func replace(
        _ blocks: [Int: [UInt8]], _ overwriting: Bool, _ progress: TagProgress?
    ) async throws(TagError) -> Int {
        let geometry = try await chip.knownGeometry()
        guard let count = geometry.blockCount else {
            throw TagError(.unsupportedFeature, "the size of the tag's memory is unknown")
        }
        var (store, container) = try await opened()
        chip.adoptOption(of: container)
        let dataBlocks = try await chip.messageBlocks(upTo: count)
        try checkData(
            blocks, in: 0..<dataBlocks, size: geometry.blockSize, of: geometry.product.name ?? "this tag")
        if !overwriting, !blocks.isEmpty, let item = try await libraryItem(store, container) {
            throw ForeignData.refusal(ForeignData.description(of: item))
        }
        let cleared = [UInt8](repeating: 0, count: geometry.blockSize)
        return try await store.replace(
            blocks, first: 0, cleared: cleared, overwriting: overwriting, progress: progress)
    }
}

extension Type5Tag {
    /// Sets the container to read-only, locks the blocks of the message and then those of the container. It cannot be
    /// undone. Where it was interrupted, it can be called again and continues, if the tag reports which blocks are locked.
    ///
    /// - Throws: ``TagError`` 1 unless the container or the chip is known to have LOCK BLOCK; 400 if the tag is read-only.
    public func makeReadOnly() async throws(TagError) {
        try await chip.sharingSession { () throws(TagError) in try await lockMessage() }
    }

    private func lockMessage() async throws(TagError) {
        var (store, container) = try await opened()
        guard let message = try await store.messagePlace() else {
            // Throws where a TLV in front of any message is damaged.
            let reason = try await store.status().reason
            throw TagError(.unsupportedFeature, reason ?? "the tag has no NDEF message to lock")
        }
        guard container.isWritable || container.writeAccess == 0x03 else { throw Self.readOnlyAlready }
        let product = try await chip.knownGeometry().product
        guard chip.canLock, container.canLock || product.canLock else {
            guard container.isWritable else { throw Self.readOnlyAlready }
            throw TagError(
                .unsupportedFeature, "whether this tag and reader can lock blocks is unknown")
        }
        chip.adoptOption(of: container)
        try await lock(store.memory, container, message)
    }

    /// Locks what is not locked yet. The container is already read-only after an earlier start, or stays as it is where it is locked.
    private func lock(
        _ memory: LazyMemory<Type5Blocks>, _ container: Type5CapabilityContainer, _ message: TLV
    ) async throws(TagError) {
        let (containerEnd, end) = Self.blocks(of: message, container, size: memory.image.pageSize)
        let locked = try await chip.lockedBlocks(in: 0..<end)
        let missing = (Array(containerEnd..<end) + (0..<containerEnd)).filter { locked?.contains($0) != true }
        let isMarked = !container.isWritable || locked?.contains(0) == true
        if isMarked {
            guard locked != nil else {
                throw TagError(
                    .tagNotWritable, "the tag is marked as read-only; it does not report which blocks are locked")
            }
            guard !missing.isEmpty else { throw Self.readOnlyAlready }
        }
        try await changingTag("locking was interrupted") { () async throws(TagError) in
            if !isMarked { try await chip.write(container.readOnlyBlock(memory)) }
            for block in missing { try await chip.lock(block: block) }
        }
    }

    private static let readOnlyAlready = TagError(.tagNotWritable, "the tag is already read-only")
}

extension Type5CapabilityContainer {
    /// Block 0 with the container set to read-only, and what follows it there.
    fileprivate func readOnlyBlock(_ memory: LazyMemory<Type5Blocks>) -> BlockWrite {
        let (count, size) = (bytes.count, memory.image.pageSize)
        return BlockWrite(
            block: 0, bytes: Array((readOnly + memory.bytes(count..<max(size, count))).prefix(size)))
    }
}

extension Type5Tag: SettableTag {
    /// Gives an ICODE SLIX2 a password.
    ///
    /// - Throws: ``TagError`` 1 for other tags and for readers that send no requests; 102 where the password is wrong: then the field
    ///   is reset, and no password is in force.
    public func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8] {
        try await authenticate(password: password, kind: nil)
    }

    /// Gives an ICODE SLIX2 a password. Without a kind it is the read password where reading needs one, else the write password.
    public func authenticate(password: [UInt8], kind: PasswordKind?) async throws(TagError) -> [UInt8] {
        let settings = try await ICODESettings(chip)
        guard password.count == 4 else {
            throw TagError(
                .unsupportedFeature, "a password of the ICODE SLIX2 has 4 bytes, not \(password.count)")
        }
        try await settings.channel.give(kind ?? settings.usualKind, password)
        return []
    }

    /// Sets a password of an ICODE SLIX2, see ``SettableTag/setPassword(_:)``.
    @discardableResult
    public func setPassword(_ password: TagPassword) async throws(TagError) -> TagProtection {
        var settings = try await ICODESettings(chip)
        return try await settings.set(password)
    }

    /// Opens the pages of an ICODE SLIX2, see ``SettableTag/removePassword()``.
    public func removePassword() async throws(TagError) {
        var settings = try await ICODESettings(chip)
        try await settings.removePassword()
    }

    /// Changes counter, AFI, EAS, locks and privacy mode of an ICODE SLIX2.
    @discardableResult
    public func configure(_ changes: TagSettingChanges) async throws(TagError) -> TagSettings {
        try await ICODESettings(chip).change(changes)
    }
}

extension ICODESettings {
    /// The password that a caller means who names none.
    fileprivate var usualKind: PasswordKind {
        information.protection.blocks(needing: .read, of: blockCount).isEmpty ? .write : .read
    }
}
