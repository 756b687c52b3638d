import NDEF
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

extension MethodTable {
    /// Adds a method that is a command to a connected tag.
    mutating func onTag<M: TagMethod>(
        _ method: M.Type, of coordinator: SessionCoordinator,
        _ command: @escaping @Sendable (TagCommands, M.Parameters.Arguments) async throws(TagError) -> M.Result
    ) {
        onTagCall(method, of: coordinator) { tag, arguments, _ throws(TagError) in try await command(tag, arguments) }
    }

    /// Adds a command that can report its progress.
    ///
    /// It joins the queue of the tag before the client's next request is started, and runs when it is first in the queue.
    mutating func onTagCall<M: TagMethod>(
        _ method: M.Type, of coordinator: SessionCoordinator,
        _ command: @escaping @Sendable (TagCommands, M.Parameters.Arguments, Caller) async throws(TagError) -> M.Result
    ) {
        let reader: @Sendable (M.Parameters, Peer) async -> ReaderDescription? = { parameters, peer in
            try? await coordinator.connectedTag(parameters.address, by: peer).reader
        }
        onCall(method, on: reader) { [access] parameters, caller in
            let limit = try parameters.timeout.map {
                try Duration(seconds: $0, atMost: 60, path: "params.timeout")
            }
            let tag = try await coordinator.connectedTag(parameters.address, by: caller.peer)
            let principal = caller.peer.credentials.principal
            if let error = access.objection(to: M.requirement, for: principal, on: tag.reader) { throw error }
            let place = tag.takePlace(within: limit) { caller.onDrop(RPCError($0)) }
            return .pending(
                PendingCall(place) { tag throws(TagError) in try await command(tag, parameters.arguments, caller) })
        }
    }

    /// `tag.cancelCommands` and `$/cancelRequest`.
    mutating func addCancelMethods(_ coordinator: SessionCoordinator) {
        on(TagCancelCommands.self) { address, peer in
            let tag = try await coordinator.connectedTag(address, by: peer)
            return Reply(TagCancelCommands.Result(cancelled: tag.cancelCommands()))
        }
        on(CancelRequest.self) { parameters, peer in
            peer.requests.cancel(parameters.id)
            return Reply(Empty())
        }
    }
}

extension SessionCoordinator {
    fileprivate func connectedTag(_ address: TagAddress, by peer: Peer) throws(TagError) -> HeldTag {
        try connectedTag(TagID(rawValue: address.tag), of: SessionID(rawValue: address.session), by: peer.id)
    }
}

extension PendingCall {
    fileprivate init<Value: Encodable & Sendable>(
        _ place: CommandPlace, _ command: @escaping @Sendable (TagCommands) async throws(TagError) -> Value
    ) {
        self.init(
            result: {
                do throws(CommandFailure) {
                    return try await place.run(command)
                } catch {
                    switch error {
                    case .failed(let error): throw error
                    case .dropped(let reason): throw Dropped(error: RPCError(reason))
                    }
                }
            }, cancel: place.cancel)
    }
}

extension RPCError {
    fileprivate init(_ drop: CommandDrop) {
        switch drop {
        case .cancelled: self = .requestCancelled
        case .refused(let error): self.init(error)
        }
    }
}

extension MethodTable {
    /// `session.connect`, and the methods of `tag.*` for NDEF.
    mutating func addTagMethods(_ coordinator: SessionCoordinator, clock: any Clock<Duration>) {
        on(SessionConnect.self) { address, peer in
            try await coordinator.connect(
                TagID(rawValue: address.tag), of: SessionID(rawValue: address.session), by: peer.id)
            return Reply(Empty())
        }
        onTag(TagQueryNDEFStatus.self, of: coordinator) { tag, _ throws(TagError) in
            let found = try await tag.queryStatus()
            return TagQueryNDEFStatus.Result(
                found, format: found.status == .notSupported ? try await tag.formatState() : nil)
        }
        onTag(TagReadNDEF.self, of: coordinator) { tag, _ throws(TagError) in
            let reading = try await tag.readNDEF()
            return TagReadNDEF.Result(
                message: try NDEFMessage(reading), status: reading.status, capacity: reading.capacity)
        }
        onTagCall(TagWriteNDEF.self, of: coordinator) { tag, arguments, caller throws(TagError) in
            try await tag.writeNDEF(
                try arguments.message.bytesToWrite(), verifying: arguments.verify ?? false,
                progress: caller.progress(of: arguments, clock: clock))
            return Empty()
        }
        onTag(TagFormat.self, of: coordinator) { tag, arguments throws(TagError) in
            try await tag.formatNDEF(overwriting: arguments.overwrite ?? false)
            return Empty()
        }
        onTag(TagWriteLock.self, of: coordinator) { tag, _ throws(TagError) in
            try await tag.makeReadOnly()
            return Empty()
        }
    }
}

extension NDEFMessage {
    /// The message that was read.
    ///
    /// - Throws: ``TagError`` 403 if there is none, 1 without NDEF, 102 if the bytes are not a message.
    fileprivate init(_ reading: NDEFReadResult) throws(TagError) {
        let decoded = NDEFReading(reading)
        if let failure = decoded.failure { throw failure }
        self = decoded.messages.first ?? NDEFMessage()
    }

    /// The encoded message.
    ///
    /// - Throws: ``TagError`` 402 if it cannot be encoded: it fits on no tag.
    fileprivate func bytesToWrite() throws(TagError) -> [UInt8] {
        do throws(NDEFError) {
            return try encoded()
        } catch {
            throw TagError(.tagSizeTooSmall, "the message cannot be encoded: \(error)")
        }
    }
}

extension MethodTable {
    /// The methods of `tag.*` for the tag itself.
    mutating func addContentMethods(_ coordinator: SessionCoordinator, clock: any Clock<Duration>) {
        onTag(TagDescribe.self, of: coordinator) { tag, _ throws(TagError) in
            TagDescribe.Result(try await tag.describe())
        }
        onTagCall(TagDumpMemory.self, of: coordinator) { tag, arguments, caller throws(TagError) in
            let progress = caller.progress(of: arguments, clock: clock)
            return TagDumpMemory.Result(try await tag.dump(progress: progress))
        }
        onTagCall(TagWriteMemory.self, of: coordinator) { tag, arguments, caller throws(TagError) in
            let blocks = try arguments.blocksByNumber()
            let progress = caller.progress(of: arguments, clock: clock)
            return TagWriteMemory.Result(written: try await tag.writeMemory(blocks, progress: progress))
        }
        onTag(TagAuthenticate.self, of: coordinator) { tag, arguments throws(TagError) in
            let acknowledge = try await tag.authenticate(password: arguments.password.bytes)
            return TagAuthenticate.Result(acknowledge: HexBytes(acknowledge))
        }
    }

    /// The methods of `tag.*` for a tag's password, counter and mirror.
    mutating func addSettingMethods(_ coordinator: SessionCoordinator) {
        onTag(TagSetPassword.self, of: coordinator) { tag, arguments throws(TagError) in
            TagSetPassword.Result(try await tag.setPassword(TagPassword(arguments)))
        }
        onTag(TagRemovePassword.self, of: coordinator) { tag, _ throws(TagError) in
            try await tag.removePassword()
            return Empty()
        }
        onTag(TagConfigure.self, of: coordinator) { tag, arguments throws(TagError) in
            TagConfigure.Result(try await tag.configure(try TagSettings(arguments)))
        }
    }
}

extension TagWriteMemory.Arguments {
    /// - Throws: ``TagError`` 1 for a block that is given twice.
    fileprivate func blocksByNumber() throws(TagError) -> [Int: [UInt8]] {
        var found: [Int: [UInt8]] = [:]
        for block in blocks where found.updateValue(block.bytes.bytes, forKey: block.number) != nil {
            throw TagError(.unsupportedFeature, "block \(block.number) is given twice")
        }
        return found
    }
}

extension TagPassword {
    fileprivate init(_ wanted: TagSetPassword.Arguments) {
        self.init(
            wanted.password.bytes, acknowledge: wanted.pack?.bytes, firstPage: wanted.firstPage, scope: wanted.protects,
            attempts: wanted.attempts)
    }
}

extension TagSetPassword.Result {
    fileprivate init(_ protection: TagPassword.Protection) {
        self.init(
            firstPage: protection.firstPage, protects: protection.scope, attempts: protection.attempts)
    }
}

extension TagSettings {
    /// - Throws: ``TagError`` 1 for a place without a mirror, or a mirror without a place.
    fileprivate init(_ wanted: TagConfigure.Arguments) throws(TagError) {
        let hasMirror = (wanted.mirror ?? .none) != .none
        guard hasMirror == (wanted.mirrorPage != nil), hasMirror || wanted.mirrorByte == nil else {
            throw TagError(
                .unsupportedFeature,
                hasMirror ? "mirrorPage is missing: where the mirror begins" : "mirrorPage and mirrorByte need a mirror"
            )
        }
        self.init(
            counter: wanted.counter,
            mirror: wanted.mirror.map { Mirror($0, page: wanted.mirrorPage ?? 0, byte: wanted.mirrorByte ?? 0) })
    }
}

extension TagConfigure.Result {
    fileprivate init(_ settings: TagSettings) {
        let mirror = settings.mirror ?? .init(.none)
        let isOn = mirror.content != .none
        self.init(
            counter: settings.counter, mirror: mirror.content, mirrorPage: isOn ? mirror.page : nil,
            mirrorByte: isOn ? mirror.byte : nil)
    }
}

extension TagQueryNDEFStatus.Result {
    fileprivate init(_ found: NDEFStatusResult, format: TagFormatState?) {
        self.init(
            status: found.status, capacity: found.capacity, reason: found.reason,
            formattable: format.map { $0 == .blank })
        switch format {
        case .holdsData(let text): overwrites = text
        case .impossible(let text): obstacle = text
        case .formatted, .blank, nil: break
        }
    }
}

// The results of the drivers, in the form of the protocol.

extension TagDescribe.Result {
    init(_ description: TagDescription) {
        self.init(
            product: description.productName, manufacturer: description.manufacturer,
            memorySize: description.memorySize, blockSize: description.blockSize,
            lockState: description.lockState, originality: description.originality,
            fields: description.fields.map { TagDescribe.Field(label: $0.label, value: $0.value) })
    }
}

extension TagDumpMemory.Result {
    init(_ dump: TagDump) {
        self.init(
            layout: dump.layout, product: dump.productName, blockSize: dump.blockSize,
            sections: dump.sections.map { TagDumpMemory.Section($0) }, facts: TagDumpMemory.Facts(dump.facts))
    }
}

extension TagDumpMemory.Section {
    fileprivate init(_ section: TagDump.Section) {
        self.init(
            name: section.name,
            blocks: section.blocks.map {
                TagDumpMemory.Block(number: $0.number, bytes: $0.bytes.map { HexBytes($0) }, meaning: $0.meaning)
            })
    }
}

extension TagDumpMemory.Facts {
    fileprivate init(_ facts: TagDump.Facts) {
        self.init()
        version = facts.version.map { HexBytes($0) }
        signature = facts.signature.map { HexBytes($0) }
        counters = facts.counters.isEmpty ? nil : facts.counters
        manufactureParameter = facts.manufactureParameter.map { HexBytes($0) }
        (dsfid, afi, icReference) = (facts.dsfid, facts.afi, facts.icReference)
        lockedBlocks = facts.lockedBlocks.isEmpty ? nil : facts.lockedBlocks
    }
}
