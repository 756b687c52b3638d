import NFCProtocol
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
        onCall(method) { parameters, caller in
            let limit = try parameters.timeout.map {
                try Duration(seconds: $0, atMost: 60, path: "params.timeout")
            }
            let tag = try await coordinator.connectedTag(parameters.address, by: caller.peer)
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
