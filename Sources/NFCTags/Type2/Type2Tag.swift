import ISO7816
import SpoolTags

/// An NFC Forum Type 2 Tag: MIFARE Ultralight, NTAG and their like. Made once for a connection.
///
/// Header and product are read once; the message is read each time. The 3DES authentication of MIFARE Ultralight C is not
/// supported.
public actor Type2Tag: NDEFTag {
    private let pages: Type2Pages
    private let chip: Type2Chip
    private let expectedIdentifier: [UInt8]?

    /// A tag on a connection.
    ///
    /// - Parameters:
    ///   - channel: the connection.
    ///   - profile: what the reader supports; without it the tag is read and written with `FF B0` and `FF D6` only.
    ///   - expectedIdentifier: the identifier that the tag must have before anything is written, where the connection may
    ///     have been reset in between.
    ///   - reconnection: how to select the tag again after it refused a command, on a reader that has no command for it.
    public init(
        channel: some CardChannel, profile: ReaderProfile = .generic, expectedIdentifier: [UInt8]? = nil,
        reconnection: CardReconnection? = nil
    ) {
        pages = Type2Pages(channel: channel, profile: profile, reconnection: reconnection)
        chip = Type2Chip(pages: pages)
        self.expectedIdentifier = expectedIdentifier
    }

    /// The product by GET_VERSION, which is sent on readers where it costs little.
    public var shownProduct: String? { chip.version?.product?.name }

    /// Reads the first NDEF message, with no more exchanges than it takes to get there and to its end.
    ///
    /// - Throws: ``TagError`` 102 when the tag's answer is malformed, it refuses a page of the data area, or a TLV runs
    ///   past the area; 100 when it leaves.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        var store = try await store()
        return try await store.read()
    }

    /// Status and capacity, without the message.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        var store = try await store(withLocks: true)
        return try await store.status()
    }

    /// Replaces the message, see ``NDEFTag/writeNDEF(_:verifying:overwriting:progress:)``.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) {
        var store = try await store(forWriting: true)
        try await store.write(message, verifying: verifying, overwriting: overwriting, progress: progress)
    }

    /// Changes bytes inside a record, see ``NDEFTag/updateRecord(_:verifying:progress:)``.
    public func updateRecord(
        _ update: RecordUpdate, verifying: Bool, progress: TagProgress?
    ) async throws(TagError) {
        var store = try await store(forWriting: true)
        try await store.update(update, verifying: verifying, progress: progress)
    }

    /// Gives the tag its password (PWD_AUTH) or AES key (AUTHENTICATE); the tag accepts it until it leaves the field. No password is
    /// ever tried otherwise: too many wrong ones can close a tag permanently.
    ///
    /// - Parameter password: 4 bytes; 16 bytes are the DataProtKey of MIFARE Ultralight AES.
    /// - Returns: the two bytes PACK, which show that the tag has this password; nothing for a key.
    /// - Throws: ``TagError`` 1 if the reader has no pass-through, the length is another one, or the tag uses secure messaging; 102
    ///   when it is wrong.
    public func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8] {
        try await pages.authenticate(password: password)
    }

    /// Whether AUTHLIM is set, or cannot be read.
    public func mayLimitAttempts(of password: [UInt8]) async throws(TagError) -> Bool {
        do throws(TagError) {
            _ = try await chip.memory(withLocks: true)
            guard let product = try await chip.recognizedProduct() else { return true }
            guard product.configurationPage != nil else { return false }
            return try await chip.protection(of: product).configuration?.attemptLimit != 0
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return true
        }
    }

    /// What the tag is: product, memory, locks, and with a pass-through version, signature and counters. What the tag refuses is
    /// named in a field.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed.
    public func describe() async throws(TagError) -> TagDescription {
        do throws(TagError) {
            _ = try await chip.memory(withLocks: true)
        } catch {
            guard error.isRefusal || chip.version != nil && error.code == .tagResponseError else { throw error }
            return try await chip.describe(withoutHeader: error)
        }
        return try await chip.describe()
    }

    /// Every page, as far as the product is known or the capability container declares, with its purpose.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its header cannot be read.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        _ = try await chip.memory(withLocks: true)
        return try await chip.dump(progress: progress)
    }

    /// The data area, with what has been read of it. For writing, the tag has to be the expected one.
    private func store(
        forWriting: Bool = false, withLocks: Bool = false
    ) async throws(TagError) -> TLVMessageStore<Type2DataArea> {
        let memory = try await chip.memory(withLocks: forWriting || withLocks)
        if forWriting { try await chip.checkIdentifier(expectedIdentifier) }
        let layout = try chip.loadedHeader().layout(reach: pages.reach, isAuthenticated: pages.isAuthenticated)
        return TLVMessageStore(memory: memory.continued(by: Type2DataArea(chip: chip)), layout: layout)
    }

    /// The result of reading a memory image from page 0 on, without a tag.
    ///
    /// - Throws: ``TagError`` 102 if the image ends before the message, or a TLV runs past the data area.
    public static func readNDEF(inMemory memory: [UInt8]) throws(TagError) -> NDEFReadResult {
        var image = MemoryImage(pageSize: Type2Pages.size, pageCount: Type2Pages.limit)
        image.store(memory, at: 0)
        guard let header = Type2Header(image) else {
            throw TagError(.tagResponseError, "the image ends before the capability container")
        }
        let layout = header.layout(reach: Type2Pages.limit * Type2Pages.size)
        if let fault = layout.fault { return .notSupported(fault) }
        var scan = layout.scan(wantsMessage: true)
        if let range = scan.advance(in: image) {
            throw TagError(.tagResponseError, "the image ends before byte \(range.upperBound)")
        }
        return try scan.result(status: layout.status, warnings: layout.warnings)
    }
}

extension Type2Tag {
    /// Formats a tag with a blank capability container, or one without a message, so that its message is empty. The
    /// container is written last: it cannot be cleared, and with it the tag is ready.
    ///
    /// - Throws: ``TagError`` 1 if the product is not known, the container holds something else, whose bits cannot be
    ///   cleared, or the memory holds other data; 400 if a page is locked.
    public func formatNDEF(overwriting: Bool) async throws(TagError) {
        guard var plan = try await formatting() else { return }
        if !overwriting, let foreign = try await plan.store.foreignData(on: plan.product) {
            throw ForeignData.refusal(foreign)
        }
        try await plan.store.format(controlTLV: plan.product.controlTLV, container: plan.container)
    }

    /// A known product whose capability container is blank, or valid in front of no message.
    public func formatState() async throws(TagError) -> TagFormatState {
        try await .of { () async throws(TagError) in
            guard var plan = try await formatting() else { return .formatted }
            return TagFormatState(overwriting: try await plan.store.foreignData(on: plan.product))
        }
    }

    /// The content of a filament tag that is not NDEF, or is behind the message.
    public func findContent() async throws(TagError) -> TagContent? {
        var store = try await store()
        return try await store.content()
    }

    /// What formatting writes; nil where the tag is formatted.
    private func formatting() async throws(TagError)
        -> (store: TLVMessageStore<Type2DataArea>, product: Type2Product, container: [UInt8])?
    {
        var store = try await store(forWriting: true)
        let container = try chip.loadedHeader().container
        let isFormatted = container.isValid
        if let fault = container.fault, container.faults != [.blank] { throw TagError(.unsupportedFeature, fault) }
        if isFormatted {
            if try await store.messagePlace() != nil { return nil }
            if let refusal = container.writeRefusal(isAuthenticated: pages.isAuthenticated) {
                throw TagError(.tagNotWritable, refusal)
            }
        }
        guard let product = try await chip.recognizedProduct() else {
            throw TagError(.unsupportedFeature, "the product is unknown, and formatting depends on it")
        }
        let bytes = isFormatted ? container.bytes : [0xE1, 0x10, product.containerSize, 0x00]
        guard zip(container.bytes, bytes).allSatisfy({ $0 | $1 == $1 }) else {
            throw TagError(.unsupportedFeature, "the capability container cannot be changed to that of an NDEF tag")
        }
        return (store, product, bytes)
    }

    /// Makes the tag read-only permanently: the capability container, the static and the dynamic lock bytes, in this order.
    /// A lock that was interrupted is completed.
    ///
    /// - Throws: ``TagError``, before anything is written: 1 if the product or its lock is not known for certain, or lock
    ///   bits are frozen; 400 if the tag is locked already or needs a password. Then 401, or 100.
    public func makeReadOnly() async throws(TagError) {
        _ = try await chip.memory(withLocks: true)
        try await chip.checkIdentifier(expectedIdentifier)
        let header = try chip.loadedHeader()
        guard header.container.isValid else {
            throw TagError(.unsupportedFeature, "the tag is not NDEF formatted; format it first")
        }
        guard let product = try await chip.recognizedProduct() else {
            throw TagError(.unsupportedFeature, "the product is unknown, and locking depends on it")
        }
        guard let locks = product.locks,
            let writes = product.lockWrites(page2: header.page2, container: header.container)
        else {
            throw TagError(.unsupportedFeature, "nfcd does not know for certain how the \(product.name) is locked")
        }
        let protection = try await chip.protection(of: product)
        let dynamic = protection.dynamicLock ?? []
        if header.container.writeAccess == .never, header.isLocked, locks.isComplete(dynamic) {
            throw TagError(.tagNotWritable, "the tag is already read-only")
        }
        guard header.canBeLocked, locks.canComplete(dynamic) else {
            throw TagError(.unsupportedFeature, "some lock bits are frozen and can no longer be set")
        }
        try chip.checkPassword(2..<(writes.map(\.page).max() ?? 3) + 1, protection)
        let missing = writes.filter { !header.holds($0, locks: locks, dynamic: dynamic) }
        try await lock(missing, locks)
    }

    /// Writes locks and makes sure that they are set.
    private func lock(_ writes: [LockWrite], _ locks: Type2Locks) async throws(TagError) {
        chip.forgetHeader()
        for write in writes {
            try await changingTag { () async throws(TagError) in
                try await pages.write(write.bytes, to: write.page)
            }
        }
        _ = try await chip.memory(withLocks: true)
        var isComplete = try chip.loadedHeader().isLocked
        if let product = try await chip.recognizedProduct() {
            isComplete = locks.isComplete(try await chip.protection(of: product).dynamicLock ?? []) && isComplete
        }
        guard isComplete else { throw TagError(.tagUpdateFailure, "not all lock bits could be set") }
    }
}

extension Type2Tag: WritableMemory {
    /// Replaces user pages, see ``WritableMemory/writeMemory(_:overwriting:progress:)``.
    public func writeMemory(
        _ blocks: [Int: [UInt8]], overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) -> Int {
        var store = try await store(forWriting: true)
        guard let product = try await chip.recognizedProduct() else {
            throw TagError(
                .unsupportedFeature, "the product is not recognized, and which pages hold data depends on it")
        }
        let first = Type2CapabilityContainer.dataAreaStart / Type2Pages.size
        try checkData(blocks, in: first..<product.lastUserPage + 1, size: Type2Pages.size, of: product.name)
        // An empty message, and a terminator.
        return try await store.replace(
            blocks, first: first, cleared: [0x03, 0x00, 0xFE, 0x00], overwriting: overwriting, progress: progress)
    }
}

extension Type2Tag: SettableTag {
    /// Protects the tag with a password, see ``SettableTag/setPassword(_:)``.
    @discardableResult
    public func setPassword(_ password: TagPassword) async throws(TagError) -> TagProtection {
        var settings = try await settings()
        return try await settings.set(password)
    }

    /// Removes the password, see ``SettableTag/removePassword()``.
    public func removePassword() async throws(TagError) {
        var settings = try await settings()
        try await settings.removePassword()
    }

    /// Changes the counter and the mirror of an NTAG21x.
    @discardableResult
    public func configure(_ changes: TagSettingChanges) async throws(TagError) -> TagSettings {
        var settings = try await settings()
        return try await settings.change(changes)
    }

    private func settings() async throws(TagError) -> Type2Settings {
        _ = try await chip.memory(withLocks: true)
        try await chip.checkIdentifier(expectedIdentifier)
        return try await Type2Settings(chip)
    }
}

/// The data area of a Type 2 Tag for ``TLVMessageStore``.
private struct Type2DataArea: BlockMemory {
    let chip: Type2Chip

    var writeSize: Int { Type2Pages.size }
    var verification: WriteVerification { .beforeCommit }
    var spoolLayout: SpoolMemory.Layout? { .type2 }

    /// By the product, where it is known or has to be: every chip has pages 4 to 15 for data.
    func messageEnd(declared: Int, needed: Int?) async throws(TagError) -> Int {
        let start = Type2CapabilityContainer.dataAreaStart
        guard min(declared, needed ?? declared) > start + Type2Product.ultralight.userMemory else { return declared }
        if let product = chip.settledProduct { return min(declared, product.userMemoryEnd) }
        if needed == nil { return declared }
        return min(declared, start + (try await chip.userMemory()))
    }

    func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await chip.pages.read(from: page, count: count)
        } catch {
            throw explained(error)
        }
    }

    /// Adds what a refused page of the data area means.
    private func explained(_ error: TagError) -> TagError {
        guard let statusWord = error.statusWord, !statusWord.isSuccess, statusWord != .endOfData,
            let declared = try? chip.loadedHeader().container.dataAreaSize
        else { return error }
        var hint = "the memory is smaller than the \(declared) bytes declared, or needs a password"
        if let product = chip.settledProduct, declared <= product.userMemory {
            hint = "the tag needs a password to be read"
        }
        return TagError(error.code, "\(error.detail); \(hint)", response: error.response, statusWord: statusWord)
    }

    /// By the static lock bytes, and by dynamic lock bytes and configuration as far as they can be found.
    func checkWritable(_ blocks: [Int], extent: Range<Int>?, image: MemoryImage) async throws(TagError) {
        let pages =
            extent.map { Array($0.lowerBound / Type2Pages.size..<$0.upperBound / Type2Pages.size) } ?? blocks.sorted()
        guard let first = pages.first, let last = pages.last else { return }
        let known = try await lockedPage(among: pages)
        if let page = known.lockedPage { throw TagError(.tagNotWritable, "page \(page) is locked") }
        if let protection = known.protection { try chip.checkPassword(first..<last + 1, protection) }
    }

    func isLocked(_ blocks: [Int], image: MemoryImage) async throws(TagError) -> Bool {
        try await lockedPage(among: blocks).lockedPage != nil
    }

    /// The first locked page, and the protection where it had to be read for that.
    private func lockedPage(
        among pages: [Int]
    ) async throws(TagError) -> (lockedPage: Int?, protection: Type2Protection?) {
        let header = try chip.loadedHeader()
        if let page = pages.first(where: header.locks(page:)) { return (page, nil) }
        // The static lock bytes cover these pages; the product is not worth extra exchanges.
        if !chip.isProductSettled, pages.allSatisfy({ $0 < 16 }) { return (nil, nil) }
        guard let product = try await chip.recognizedProduct() else { return (nil, nil) }
        let protection = try await chip.protection(of: product)
        guard let dynamic = protection.dynamicLock, let locks = product.locks else { return (nil, protection) }
        return (pages.first { locks.locks(page: $0, by: dynamic) }, protection)
    }

    func write(_ write: BlockWrite) async throws(TagError) {
        try await chip.pages.write(write.bytes, to: write.block)
    }

    /// The UID and the counter that an NTAG21x shows in its memory (NTAG213/215/216 data sheet, 8.7).
    func mirroredBytes() async throws(TagError) -> Range<Int>? {
        guard let product = try await chip.recognizedProduct(), !product.mirrors.isEmpty,
            let configuration = try await chip.protection(of: product).configuration
        else { return nil }
        let mirror = configuration.mirror(on: product)
        let start = mirror.page * Type2Pages.size + mirror.byte
        return mirror.content == .off ? nil : start..<start + mirror.content.size
    }
}

extension TLVMessageStore<Type2DataArea> {
    /// What the pages for data hold of others, as far as the reader reaches; nil where they are blank.
    fileprivate mutating func foreignData(on product: Type2Product) async throws(TagError) -> String? {
        let start = Type2CapabilityContainer.dataAreaStart
        let area = start..<max(start, min(product.userMemoryEnd, memory.reader.chip.pages.reach))
        let bytes = try await bytes(area)
        if let content = TagContent(.type2, in: memory.image) { return ForeignData.description(of: content) }
        return ForeignData.description(
            of: bytes, formatted: product.controlTLV + [0x03, 0x00, 0xFE],
            first: area.lowerBound / Type2Pages.size, blockSize: Type2Pages.size)
    }

    /// Writes an empty message, then the container.
    fileprivate mutating func format(controlTLV: [UInt8], container: [UInt8]) async throws(TagError) {
        let writes = BlockWrite.blocks(
            of: controlTLV + [0x03, 0x00, 0xFE], at: Type2CapabilityContainer.dataAreaStart, size: Type2Pages.size)
        let all = writes + [BlockWrite(block: 3, bytes: container)]
        try await load(writes)
        let area = memory.reader
        try await area.checkWritable(
            all.map(\.block), extent: 3 * Type2Pages.size..<(4 + writes.count) * Type2Pages.size, image: memory.image)
        area.chip.forgetHeader()
        try await put(all)
        try await verify(all)
    }
}

extension Type2Chip {
    /// Refuses pages from AUTH0 on, which need the password.
    func checkPassword(_ pages: Range<Int>, _ protection: Type2Protection) throws(TagError) {
        // FF is not a page, but means none.
        guard !self.pages.isAuthenticated, protection.firstProtectedPage < 0xFF,
            pages.upperBound > protection.firstProtectedPage
        else { return }
        throw TagError(
            .tagNotWritable, "the tag needs a password or key from page \(protection.firstProtectedPage) on")
    }
}

extension Type2Header {
    /// Whether a lock is set already.
    fileprivate func holds(_ write: LockWrite, locks: Type2Locks, dynamic: [UInt8]) -> Bool {
        switch write.page {
        case 3: container.bytes == write.bytes || self.locks(page: 3)
        case 2: isLocked
        default: locks.isComplete(dynamic)
        }
    }
}
