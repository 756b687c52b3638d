import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

/// A command to a tag with what it does there. Every ``TagMethod`` is one; the server routes to it what its declaration describes.
protocol TagAction: TagMethod {
    /// Carries out the command while it is its turn on the tag.
    ///
    /// - Parameter progress: receives the steps of a command that reports them; nil if the caller did not ask for them.
    /// - Throws: ``TagError``, which becomes the answer.
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result

    /// Whether the caller asks for progress.
    static func wantsProgress(_ arguments: Arguments) -> Bool
}

extension TagAction {
    static func wantsProgress(_ arguments: Arguments) -> Bool { false }
}

extension TagAction where Arguments: ProgressParameters {
    static func wantsProgress(_ arguments: Arguments) -> Bool { arguments.progress == true }
}

extension MethodTable {
    /// Adds every command to a tag.
    mutating func addTagActions(_ coordinator: SessionCoordinator, clock: any Clock<Duration>) {
        for case let action as any TagAction.Type in Interface.methods { add(action, coordinator, clock) }
    }

    /// Adds a command. It joins the queue of the tag before the client's next request is started, and runs when it is first in the
    /// queue.
    private mutating func add<Action: TagAction>(
        _ action: Action.Type, _ coordinator: SessionCoordinator, _ clock: any Clock<Duration>
    ) {
        let reader: @Sendable (Action.Parameters, Peer) async -> ReaderDescription? = { parameters, peer in
            await coordinator.reader(of: parameters.address.tagID, in: parameters.address.sessionID, by: peer.id)
        }
        onCall(action, on: reader) { [access] parameters, caller in
            let limit = try parameters.timeout.map {
                try Duration(seconds: $0, atMost: 60, path: "params.timeout")
            }
            let tag = try await coordinator.connectedTag(
                parameters.address.tagID, of: parameters.address.sessionID, by: caller.peer.id)
            let principal = caller.peer.credentials.principal
            if let error = access.objection(to: Action.requirement, for: principal, on: tag.reader) { throw error }
            let place = tag.takePlace(within: limit) { caller.onDrop(RPCError($0)) }
            let arguments = parameters.arguments
            let progress = Action.wantsProgress(arguments) ? caller.progress(clock: clock) : nil
            return .pending(
                PendingCall(place) { tag throws(TagError) in
                    try await Action.perform(arguments, on: tag, progress)
                })
        }
    }

    /// `session.connect`, `tag.cancelCommands` and `$/cancelRequest`.
    mutating func addConnectionMethods(_ coordinator: SessionCoordinator) {
        on(SessionConnect.self) { address, peer in
            try await coordinator.connect(address.tagID, of: address.sessionID, by: peer.id)
            return Reply(Empty())
        }
        on(TagCancelCommands.self) { address, peer in
            let tag = try await coordinator.connectedTag(address.tagID, of: address.sessionID, by: peer.id)
            return Reply(TagCancelCommands.Result(cancelled: tag.cancelCommands()))
        }
        on(CancelRequest.self) { parameters, peer in
            peer.requests.cancel(parameters.id)
            return Reply(Empty())
        }
    }
}

extension TagAddress {
    fileprivate var tagID: TagID { TagID(rawValue: tag) }
    fileprivate var sessionID: SessionID { SessionID(rawValue: session) }
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
