import NFCProtocol
import NFCSessions
import NFCTags

/// Parameters that name a tag.
protocol TagAddressing {
    var session: String { get }
    var tag: String { get }
    /// Seconds for the whole command.
    var timeout: Double? { get }
}

extension TagAddressing {
    /// Most commands have the reader's own limits.
    var timeout: Double? { nil }

    fileprivate func limit() throws -> Duration? {
        try timeout.map { try Duration(seconds: $0, atMost: 60, path: "params.timeout") }
    }
}

extension MethodTable {
    /// Adds a method that is a command to a connected tag.
    mutating func onTag<M: Method>(
        _ method: M.Type, of coordinator: SessionCoordinator,
        _ command: @escaping @Sendable (TagCommands, M.Parameters) async throws(TagError) -> M.Result
    ) where M.Parameters: TagAddressing {
        onTagCall(method, of: coordinator) { tag, parameters, _ throws(TagError) in
            try await command(tag, parameters)
        }
    }

    /// Adds a command that may tell how far it has come.
    ///
    /// Its place at the tag is taken before the client's next request is looked at; it is carried out when its turn comes.
    mutating func onTagCall<M: Method>(
        _ method: M.Type, of coordinator: SessionCoordinator,
        _ command: @escaping @Sendable (TagCommands, M.Parameters, Caller) async throws(TagError) -> M.Result
    ) where M.Parameters: TagAddressing {
        onCall(method) { parameters, caller in
            let limit = try parameters.limit()
            let tag = try await reporting { () throws(TagError) in
                return try await coordinator.connectedTag(parameters, by: caller.peer)
            }
            let place = tag.takePlace(within: limit) { caller.onDrop(RPCError($0)) }
            return .pending(
                PendingCall(place) { tag throws(TagError) in try await command(tag, parameters, caller) })
        }
    }

    /// `tag.cancelCommands` and `$/cancelRequest`.
    mutating func addCancelMethods(_ coordinator: SessionCoordinator) {
        on(TagCancelCommands.self) { parameters, peer in
            let tag = try await reporting { () throws(TagError) in
                try await coordinator.connectedTag(parameters, by: peer)
            }
            return Reply(TagCancelCommands.Result(cancelled: tag.cancelCommands()))
        }
        on(CancelRequest.self) { parameters, peer in
            peer.requests.cancel(parameters.id)
            return Reply(Empty())
        }
    }
}

extension SessionCoordinator {
    fileprivate func connectedTag(_ parameters: some TagAddressing, by peer: Peer) throws(TagError) -> HeldTag {
        try connectedTag(
            TagID(rawValue: parameters.tag), of: SessionID(rawValue: parameters.session), by: peer.id)
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
                    case .failed(let error): throw RPCError(error)
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

extension TagParameters: TagAddressing {}
extension TagWriteNDEF.Parameters: TagAddressing {}
extension TagDumpMemory.Parameters: TagAddressing {}
extension TagAuthenticate.Parameters: TagAddressing {}
extension ISO7816SendCommand.Parameters: TagAddressing {}
extension MiFareSendCommand.Parameters: TagAddressing {}
extension FeliCaSendCommand.Parameters: TagAddressing {}
extension ISO15693SendRequest.Parameters: TagAddressing {}
extension MiFareClassicAuthenticate.Parameters: TagAddressing {}
extension MiFareClassicReadBlock.Parameters: TagAddressing {}
extension MiFareClassicWriteBlock.Parameters: TagAddressing {}
extension MiFareClassicAmount: TagAddressing {}
extension MiFareClassicRestore.Parameters: TagAddressing {}

/// Turns what a tag refuses into an error of the wire.
func reporting<Value>(_ body: () async throws(TagError) -> Value) async throws(RPCError) -> Value {
    do throws(TagError) {
        return try await body()
    } catch {
        throw RPCError(error)
    }
}
