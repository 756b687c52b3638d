import NFCProtocol
import NFCSessions
import NFCTags

/// Parameters that name a tag.
protocol TagAddressing {
    var session: String { get }
    var tag: String { get }
}

extension MethodTable {
    /// Adds a method that is a command to a connected tag.
    mutating func onTag<M: Method>(
        _ method: M.Type, of coordinator: SessionCoordinator,
        if isPermitted: @escaping @Sendable (PeerCredentials) -> Bool = { _ in true },
        _ command: @escaping @Sendable (HeldTag, M.Parameters) async throws(TagError) -> M.Result
    ) where M.Parameters: TagAddressing {
        onTagCall(method, of: coordinator, if: isPermitted) { tag, parameters, _ throws(TagError) in
            try await command(tag, parameters)
        }
    }

    /// Adds a command that may tell how far it has come.
    mutating func onTagCall<M: Method>(
        _ method: M.Type, of coordinator: SessionCoordinator,
        if isPermitted: @escaping @Sendable (PeerCredentials) -> Bool = { _ in true },
        _ command: @escaping @Sendable (HeldTag, M.Parameters, Caller) async throws(TagError) -> M.Result
    ) where M.Parameters: TagAddressing {
        onCall(method) { parameters, caller in
            let result = try await reporting { () throws(TagError) in
                guard isPermitted(caller.peer.credentials) else {
                    throw TagError(.securityViolation, "\(M.name) is for root, and for whoever nfcd runs as")
                }
                let tag = try await coordinator.connectedTag(
                    TagID(rawValue: parameters.tag), of: SessionID(rawValue: parameters.session), by: caller.peer.id)
                return try await command(tag, parameters, caller)
            }
            return Reply(result)
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
