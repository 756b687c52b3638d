import NDEF
import NFCProtocol
import NFCSessions
import NFCTags

extension MethodTable {
    /// `session.connect` and `tag.*`.
    mutating func addTagMethods(_ coordinator: SessionCoordinator) {
        on(SessionConnect.self) { parameters, peer in
            try await reporting { () throws(TagError) in
                try await coordinator.connect(
                    TagID(rawValue: parameters.tag), of: SessionID(rawValue: parameters.session), by: peer.id)
            }
            return Reply(Empty())
        }
        onTag(TagQueryNDEFStatus.self, of: coordinator) { tag, _ throws(TagError) in
            TagQueryNDEFStatus.Result(try await tag.readNDEF())
        }
        onTag(TagReadNDEF<NDEFMessage>.self, of: coordinator) { tag, _ throws(TagError) in
            let reading = try await tag.readNDEF()
            return TagReadNDEF.Result(
                message: try NDEFMessage(reading), status: TagQueryNDEFStatus.Status(reading.status),
                capacity: reading.capacity)
        }
        onTag(TagWriteNDEF<NDEFMessage>.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.writeNDEF(
                try parameters.message.bytesToWrite(), verifying: parameters.verify ?? false)
            return Empty()
        }
        onTag(TagFormat.self, of: coordinator) { tag, _ throws(TagError) in
            try await tag.formatNDEF()
            return Empty()
        }
        onTag(TagWriteLock.self, of: coordinator, if: \.mayLock) { tag, _ throws(TagError) in
            try await tag.makeReadOnly()
            return Empty()
        }
        onTag(ISO7816SendCommand.self, of: coordinator) { tag, parameters throws(TagError) in
            let apdu = parameters.apdu.bytes
            guard ISO7816SendCommand.lengths.contains(apdu.count) else {
                throw TagError(.packetTooLong, "an APDU has 4 to 65544 bytes, not \(apdu.count)")
            }
            let response = try await tag.sendCommand(apdu)
            return ISO7816SendCommand.Result(
                data: HexBytes(response.data), sw1: response.sw1, sw2: response.sw2)
        }
    }

    /// Adds a method that is a command to a connected tag.
    private mutating func onTag<M: Method>(
        _ method: M.Type, of coordinator: SessionCoordinator,
        if isPermitted: @escaping @Sendable (PeerCredentials) -> Bool = { _ in true },
        _ command: @escaping @Sendable (HeldTag, M.Parameters) async throws(TagError) -> M.Result
    ) where M.Parameters: TagAddressing {
        on(method) { parameters, peer in
            let result = try await reporting { () throws(TagError) in
                guard isPermitted(peer.credentials) else {
                    throw TagError(.securityViolation, "\(M.name) is for root, and for whoever nfcd runs as")
                }
                let tag = try await coordinator.connectedTag(
                    TagID(rawValue: parameters.tag), of: SessionID(rawValue: parameters.session), by: peer.id)
                return try await command(tag, parameters)
            }
            return Reply(result)
        }
    }
}

/// Parameters that name a tag.
private protocol TagAddressing {
    var session: String { get }
    var tag: String { get }
}

extension TagParameters: TagAddressing {}
extension TagWriteNDEF.Parameters: TagAddressing {}
extension ISO7816SendCommand.Parameters: TagAddressing {}

extension NDEFMessage {
    /// The message that was read.
    ///
    /// - Throws: ``TagError`` 403 where there is none, 1 without NDEF, 102 where the bytes are no message.
    fileprivate init(_ reading: NDEFReadResult) throws(TagError) {
        let decoded = NDEFReading(reading)
        if let failure = decoded.failure { throw failure }
        self = decoded.messages.first ?? NDEFMessage()
    }

    /// The encoded message.
    ///
    /// - Throws: ``TagError`` 402 where it cannot be encoded: it fits no tag.
    fileprivate func bytesToWrite() throws(TagError) -> [UInt8] {
        do throws(NDEFError) {
            return try encoded()
        } catch {
            throw TagError(.tagSizeTooSmall, "the message cannot be encoded: \(error)")
        }
    }
}

/// Turns what a tag refuses into an error of the wire.
private func reporting<Value>(_ body: () async throws(TagError) -> Value) async throws(RPCError) -> Value {
    do throws(TagError) {
        return try await body()
    } catch {
        throw RPCError(error)
    }
}
