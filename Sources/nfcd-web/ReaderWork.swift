import NDEF
import NFCClient
import NFCProtocol
import WebNFC

/// What nfcd-web asks of nfcd, with nfcd's errors in the words of Web NFC.
enum ReaderWork {
    /// Why a page's call fails at once; nil if there is a reader that this user may use for it.
    ///
    /// A separate connection shows the present state, also while the lasting one is being made again.
    static func refusal(_ purpose: TagDesk.Purpose, _ endpoint: SocketEndpoint) async -> WebError? {
        do {
            return try await NFCClient.withConnection(to: endpoint) { client in
                let info = try await client.call(ServerInfo.self)
                if let refusal = refusal(purpose, info) { return refusal }
                let readers = try await client.call(ReadersList.self)
                return readers.isEmpty ? WebError(.notSupported, "There is no NFC reader. Plug one in.") : nil
            }
        } catch {
            return webError(error)
        }
    }

    private static func refusal(_ purpose: TagDesk.Purpose, _ info: ServerInfo.Result) -> WebError? {
        if info.readerService == .unavailable {
            return WebError(
                .notReadable, "nfcd cannot reach the readers: \(info.readerServiceDetail ?? "see nfcctl doctor")")
        }
        let needed: [Capability] =
            switch purpose {
            case .scan: [.read]
            case .write: [.read, .write]
            case .lock: [.read, .lock]
            }
        let missing = needed.map(\.rawValue).filter { !info.entitlements.capabilities.contains($0) }
        guard !missing.isEmpty else { return nil }
        let names = missing.map { "\"\($0)\"" }.joined(separator: ", ")
        return WebError(.notReadable, "nfcd does not grant you \(names); add it to a [[grant]] of nfcd.toml.")
    }

    /// Reads a tag.
    static func examine(_ tag: RemoteTag) async -> WebTag.Content {
        do {
            try await tag.connect()
            let found = try await tag.readNDEF()
            let isReadOnly = found.status == .readOnly
            return found.message.records.isEmpty
                ? .empty(isReadOnly: isReadOnly) : .message(found.message, isReadOnly: isReadOnly)
        } catch let error as NFCClientError where [.unsupportedFeature, .zeroLengthMessage].contains(error.nfcCode) {
            return await examineWithoutMessage(tag, error)
        } catch {
            return .failed(webError(error))
        }
    }

    private static func examineWithoutMessage(_ tag: RemoteTag, _ reason: NFCClientError) async -> WebTag.Content {
        do {
            let found = try await tag.queryNDEFStatus()
            guard found.status == .notSupported else { return .empty(isReadOnly: found.status == .readOnly) }
            return found.formattable == true ? .blank : .unsupported(found.reason ?? "\(reason)")
        } catch {
            return .failed(webError(error))
        }
    }

    /// Writes a tag; returns why it failed.
    static func write(_ message: NDEFMessage, to tag: RemoteTag, formats: Bool) async -> WebError? {
        do {
            try await tag.connect()
            if formats { try await tag.format() }
            try await tag.writeNDEF(message)
            return nil
        } catch {
            return webError(error)
        }
    }

    /// Makes a tag read-only; returns why it failed.
    static func lock(_ tag: RemoteTag) async -> WebError? {
        do {
            try await tag.connect()
            try await tag.writeLock()
            return nil
        } catch let error as NFCClientError where error.nfcCode == .tagNotWritable {
            return WebError(.notSupported, "\(error)")
        } catch {
            return webError(error)
        }
    }

    /// An error of nfcd as a page sees it.
    static func webError(_ error: any Error) -> WebError {
        guard let error = error as? NFCClientError else { return WebError(.network, "\(error)") }
        switch error {
        case .noDaemon, .connectionFailed, .connectionLost, .fellBehind, .protocolViolation:
            return WebError(.notSupported, "\(error); see nfcctl doctor")
        case .notPermitted: return WebError(.notReadable, "\(error): join the group nfc; see nfcctl doctor")
        case .refused(let refusal):
            return refusal.code == -32602
                ? WebError(.syntax, "\(refusal)") : WebError(name(refusal.nfcCode), "\(refusal)")
        case .sessionEnded(let end): return WebError(name(end.code), "\(end)")
        }
    }

    private static func name(_ code: NFCErrorCode?) -> WebError.Name {
        switch code {
        case .unsupportedFeature: .notSupported
        case .securityViolation, .radioDisabled: .notReadable
        default: .network
        }
    }
}
