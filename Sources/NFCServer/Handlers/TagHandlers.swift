import NDEF
import NFCProtocol
import NFCSessions
import NFCTags

extension MethodTable {
    /// `session.connect`, and of `tag.*` what is about NDEF.
    mutating func addTagMethods(_ coordinator: SessionCoordinator, clock: any Clock<Duration>) {
        on(SessionConnect.self) { parameters, peer in
            try await reporting { () throws(TagError) in
                try await coordinator.connect(
                    TagID(rawValue: parameters.tag), of: SessionID(rawValue: parameters.session), by: peer.id)
            }
            return Reply(Empty())
        }
        onTag(TagQueryNDEFStatus.self, of: coordinator) { tag, _ throws(TagError) in
            TagQueryNDEFStatus.Result(try await tag.queryStatus())
        }
        onTag(TagReadNDEF<NDEFMessage>.self, of: coordinator) { tag, _ throws(TagError) in
            let reading = try await tag.readNDEF()
            return TagReadNDEF.Result(
                message: try NDEFMessage(reading), status: TagQueryNDEFStatus.Status(reading.status),
                capacity: reading.capacity)
        }
        onTagCall(TagWriteNDEF<NDEFMessage>.self, of: coordinator) { tag, parameters, caller throws(TagError) in
            try await tag.writeNDEF(
                try parameters.message.bytesToWrite(), verifying: parameters.verify ?? false,
                progress: caller.progress(of: parameters, clock: clock))
            return Empty()
        }
        onTag(TagFormat.self, of: coordinator) { tag, _ throws(TagError) in
            try await tag.formatNDEF()
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
