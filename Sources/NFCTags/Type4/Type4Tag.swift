import ISO7816

/// An NFC Forum Type 4 Tag: a card with ISO/IEC 7816-4 commands that has the NDEF application, such as DESFire,
/// NTAG 413 and 424, phones and smart cards.
///
/// The capability container is read once. The application and the file are selected again at every call, as another
/// client may have selected others in between.
public actor Type4Tag: NDEFTag {
    /// The largest message that is read or written, in bytes.
    public static let messageLimit = 1 << 20

    /// The size of the first read of the file, in bytes: a short message is read with its length.
    static let headSize = 64

    private let card: Type4Card
    private var readsLengthAlone = false

    /// A tag behind a channel.
    ///
    /// - Parameters:
    ///   - channel: transmits the tag's commands unchanged.
    ///   - limits: the limits of the reader for one command.
    public init(channel: some CardChannel, limits: APDULimits = .short) {
        card = Type4Card(ISO7816Stack(channel: channel, limits: limits))
    }

    /// Reads the message: its length with the beginning, then the rest.
    ///
    /// - Throws: ``TagError`` 102 when the tag refuses the file it declared, its answer is malformed, or the length is larger
    ///   than the file; 100 when it leaves.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        switch try await card.discover() {
        case .none(let reason): return .notSupported(reason)
        case .found(let layout): return try await read(layout)
        }
    }

    /// Status and capacity, which the capability container declares; the file of the message is not opened.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        switch try await card.discover() {
        case .none(let reason): NDEFStatusResult(.notSupported(reason))
        case .found(let layout): NDEFStatusResult(layout.result(message: nil))
        }
    }

    private func read(_ layout: Type4Layout) async throws(TagError) -> NDEFReadResult {
        let file = try await card.openFile(layout)
        let control = layout.file
        let head = try await readHead(of: file, control)
        let length = try control.messageLength(head)
        var content = Array(head.dropFirst(control.lengthFieldSize).prefix(length))
        content += try await file.read(control.lengthFieldSize + content.count..<control.lengthFieldSize + length)
        let inner = Self.messageInsideTLV(content)
        return layout.result(message: inner ?? content, warnings: inner == nil ? [] : [.messageInsideTLV])
    }

    /// The length, and the beginning of the message if the tag returns more at once. Some phones refuse any
    /// read but those of an older reader; then the length is read alone, for the rest of the connection.
    private func readHead(of file: BinaryFile, _ control: Type4FileControl) async throws(TagError) -> [UInt8] {
        let count = min(Self.headSize, control.size, file.readSize)
        if !readsLengthAlone, count > control.lengthFieldSize {
            do throws(TagError) {
                let head = try await file.read(at: 0, count: count)
                if head.count >= control.lengthFieldSize { return head }
            } catch {
                guard error.statusWord != nil else { throw error }
            }
            readsLengthAlone = true
        }
        return try await file.read(0..<control.lengthFieldSize)
    }

    /// No message begins with 03, as its first record has the flag MB; a whole message TLV may have been put there.
    private static func messageInsideTLV(_ content: [UInt8]) -> [UInt8]? {
        guard content.count >= 2, content[0] == 0x03 else { return nil }
        let isLong = content[1] == 0xFF
        guard !isLong || content.count >= 4 else { return nil }
        let length = isLong ? Int(content[2]) << 8 | Int(content[3]) : Int(content[1])
        let rest = content.dropFirst(isLong ? 4 : 2)
        let message = Array(rest.prefix(length))
        let behind = rest.dropFirst(length).first ?? 0xFE
        guard message.count == length, behind == 0xFE || behind == 0x00, message.first.map({ $0 & 0x80 != 0 }) ?? true
        else { return nil }
        return message
    }
}

extension Type4Layout {
    fileprivate func result(message: [UInt8]?, warnings: [NDEFReadWarning] = []) -> NDEFReadResult {
        NDEFReadResult(
            status: container.isWritable ? .readWrite : .readOnly, capacity: file.capacity, message: message,
            warnings: container.warnings + warnings)
    }
}

extension Type4Tag {
    /// Replaces the message: the length 0, the message, its length. Where length and
    /// message fit one command, it is that one; where the length stays and what differs fits one, it is that.
    ///
    /// - Throws: ``TagError`` as for ``NDEFTag/writeNDEF(_:verifying:overwriting:progress:)``.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) {
        let layout = try await writableLayout()
        guard message.count <= layout.file.capacity else {
            throw TagError(
                .tagSizeTooSmall, "the message has \(message.count) bytes, the tag has room for \(layout.file.capacity)"
            )
        }
        let file = try await card.openFile(layout)
        let plan = try await plan(message, layout.file, in: file)
        try await plan.run(progress: progress) { update throws(TagError) in try await file.write(update) }
        if verifying { try await verify(message, layout.file, in: file) }
    }

    private func plan(
        _ message: [UInt8], _ control: Type4FileControl, in file: BinaryFile
    ) async throws(TagError) -> TearSafeWrite<BinaryUpdate> {
        if let current = try await current(insteadOf: message, control, in: file) {
            let changes = BinaryRange(file: file, offset: control.lengthFieldSize).writes(from: current, to: message)
            if changes.count <= 1 { return TearSafeWrite(commit: changes) }
        } else {
            try await checkRoom(for: message, control, in: file)
        }
        return Self.plan(message, lengthFieldSize: control.lengthFieldSize, in: file)
    }

    /// The message in the file, where it has the length of a new one that takes more than one command; nil in all other cases.
    private func current(
        insteadOf message: [UInt8], _ control: Type4FileControl, in file: BinaryFile
    ) async throws(TagError) -> [UInt8]? {
        let start = control.lengthFieldSize
        guard start + message.count > file.writeSize else { return nil }
        do throws(TagError) {
            guard try await file.read(0..<start) == Self.lengthField(message.count, size: start) else { return nil }
            return try await file.read(start..<start + message.count)
        } catch {
            // A file that is smaller than declared.
            guard error.statusWord != nil else { throw error }
            return nil
        }
    }

    /// Reads the last byte that the message would take, as a file may be smaller than its container declares: a write that the
    /// card refuses half-way has already taken the old message away.
    ///
    /// - Throws: ``TagError`` 402 if the file does not have that byte.
    private func checkRoom(
        for message: [UInt8], _ control: Type4FileControl, in file: BinaryFile
    ) async throws(TagError) {
        guard !message.isEmpty, try await !file.has(byte: control.lengthFieldSize + message.count - 1) else { return }
        // Where the file ends: the largest part of it that can be read.
        var (present, absent) = (control.lengthFieldSize, control.lengthFieldSize + message.count)
        while absent - present > 1 {
            let end = (present + absent) / 2
            if try await file.has(byte: end - 1) { present = end } else { absent = end }
        }
        throw TagError(
            .tagSizeTooSmall,
            "the message has \(message.count) bytes; the file has \(present) of the \(control.size) bytes declared, with room "
                + "for \(present - control.lengthFieldSize). Nothing was written")
    }

    /// A Type 4 Tag is formatted during production; later, only commands and keys of the product can do it.
    ///
    /// - Throws: ``TagError`` 1 if there is no NDEF, as the steps differ from product to product.
    public func formatNDEF(overwriting: Bool) async throws(TagError) {
        guard case .impossible(let reason) = try await formatState() else { return }
        throw TagError(.unsupportedFeature, reason)
    }

    /// Formatted, or impossible.
    public func formatState() async throws(TagError) -> TagFormatState {
        guard case .none(let reason) = try await card.discover() else { return .formatted }
        return .impossible("\(reason); formatting a Type 4 Tag depends on the product and is not supported")
    }

    /// Changes bytes inside a record, with one command where they fit it; see ``NDEFTag/updateRecord(_:verifying:progress:)``. The length
    /// is not written.
    public func updateRecord(
        _ update: RecordUpdate, verifying: Bool, progress: TagProgress?
    ) async throws(TagError) {
        switch try await card.discover() {
        case .none(let reason): throw TagError(.unsupportedFeature, reason)
        case .found(let layout):
            let file = try await card.openFile(layout)
            var message = try await openMessage(in: file, layout.file)
            let start = layout.file.lengthFieldSize + (try await update.locate(in: &message)).lowerBound
            let plan = update.writes(on: BinaryRange(file: file, offset: start))
            try await plan.run(progress: progress) { write throws(TagError) in try await file.write(write) }
            guard verifying else { return }
            try await plan.verify { () async throws(TagError) in
                try await Self.verify(plan.writes, update, at: start, in: file)
            }
        }
    }

    /// The message of the file, of which the beginning has been read.
    private func openMessage(
        in file: BinaryFile, _ control: Type4FileControl
    ) async throws(TagError) -> LazyMessage<BinaryBytes> {
        let head = try await readHead(of: file, control)
        let end = control.lengthFieldSize + (try control.messageLength(head))
        var memory = LazyMemory(reader: BinaryBytes(file: file, end: end), pageSize: 1, pageCount: end)
        memory.store(head, at: 0)
        return LazyMessage(memory: memory, pieces: [control.lengthFieldSize..<end])
    }

    /// Reads what was written back.
    private static func verify(
        _ writes: [BinaryUpdate], _ update: RecordUpdate, at start: Int, in file: BinaryFile
    ) async throws(TagError) {
        guard let first = writes.map(\.offset).min(), let end = writes.map({ $0.offset + $0.bytes.count }).max() else {
            return
        }
        guard try await file.read(first..<end)[...] == update.new[first - start..<end - start] else {
            throw TagError(.tagUpdateFailure, "the file does not read back as written from byte \(first) on")
        }
    }

    private func writableLayout() async throws(TagError) -> Type4Layout {
        switch try await card.discover() {
        case .none(let reason): throw TagError(.unsupportedFeature, reason)
        case .found(let layout):
            guard layout.container.isWritable else { throw layout.notWritable }
            return layout
        }
    }

    private func verify(_ message: [UInt8], _ control: Type4FileControl, in file: BinaryFile) async throws(TagError) {
        let expected = Self.lengthField(message.count, size: control.lengthFieldSize) + message
        guard try await file.read(0..<expected.count) == expected else {
            throw TagError(.tagUpdateFailure, "the message does not read back as written")
        }
    }
}

extension Type4Tag {
    static func plan(_ message: [UInt8], lengthFieldSize: Int, in file: BinaryFile) -> TearSafeWrite<BinaryUpdate> {
        let length = lengthField(message.count, size: lengthFieldSize)
        var write = TearSafeWrite<BinaryUpdate>()
        if lengthFieldSize + message.count <= file.writeSize {
            write.commit = [BinaryUpdate(offset: 0, bytes: length + message)]
        } else {
            write.invalidate = [BinaryUpdate(offset: 0, bytes: lengthField(0, size: lengthFieldSize))]
            write.data = file.updates(message, at: lengthFieldSize)
            write.commit = [BinaryUpdate(offset: 0, bytes: length)]
        }
        return write
    }

    private static func lengthField(_ length: Int, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    }
}

extension Type4Layout {
    /// Why a message cannot be written.
    var notWritable: TagError {
        switch file.writeAccess {
        case 0x00: TagError(.tagNotWritable, "MLc is \(container.maximumWriteSize), too small to write safely")
        case 0xFF: TagError(.tagNotWritable, "the capability container denies writing")
        default: TagError(.tagNotWritable, "writing needs a key or a proprietary procedure")
        }
    }
}

extension Type4Tag {
    /// Sets the write access condition in the capability container to FF, where the tag lets anyone do that.
    ///
    /// - Throws: ``TagError`` 1 if there is no NDEF, or the container is protected, as on DESFire and NTAG 4xx; 400
    ///   where the message is already read-only.
    public func makeReadOnly() async throws(TagError) {
        // Cached data must not decide about a step that cannot be undone.
        guard case .found(let layout) = try await card.discover(isFresh: true) else {
            throw TagError(.unsupportedFeature, "the tag has no NDEF message to lock")
        }
        guard layout.file.writeAccess != 0xFF else { throw layout.notWritable }
        guard layout.file.writeAccess == 0x00 else {
            throw TagError(.unsupportedFeature, "locking this tag needs a key or a proprietary procedure")
        }
        card.forget()
        try await denyWriting(layout)
    }

    private func denyWriting(_ layout: Type4Layout) async throws(TagError) {
        let file = try await card.openContainer(layout)
        let offset = layout.file.writeAccessOffset
        do throws(TagError) {
            try await file.write(BinaryUpdate(offset: offset, bytes: [0xFF]))
        } catch {
            throw error.duringLocking
        }
        guard try await file.read(offset..<offset + 1) == [0xFF] else {
            throw TagError(.unsupportedFeature, "the tag accepted the lock but did not change; it can still be written")
        }
    }
}

extension Type4Tag {
    /// Describes the tag: its capability container in words, and what GET_VERSION answers on DESFire and NTAG 4xx.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed.
    public func describe() async throws(TagError) -> TagDescription { try await card.describe() }

    /// Reads the capability container and the file of the message, each as far as it can be read. Progress counts bytes.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        try await card.dump(progress: progress)
    }
}

extension TagError {
    /// What a refused update of the capability container means.
    fileprivate var duringLocking: TagError {
        guard let statusWord else { return self }
        if statusWord.sw1 == 0x64 || statusWord.sw1 == 0x65 { return whileWriting() }
        return TagError(
            .unsupportedFeature, "locking this tag needs a key: \(detail)", response: response, statusWord: statusWord)
    }
}
