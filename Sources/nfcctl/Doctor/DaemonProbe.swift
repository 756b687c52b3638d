import NFCClient
import NFCProtocol

/// Asks nfcd what it knows, and waits for the answer for a while only.
struct DaemonProbe: Sendable {
    let path: String
    /// Whether there is a file at the path.
    let hasSocket: Bool
    var limit: Duration = .seconds(5)

    func ask() async -> DaemonAnswer {
        await withTaskGroup(of: DaemonAnswer.self) { group in
            group.addTask { await answer() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .silent
            }
            defer { group.cancelAll() }
            return await group.next() ?? .silent
        }
    }

    private func answer() async -> DaemonAnswer {
        do {
            return .answered(try await NFCClient.withConnection(to: path) { try await state($0) })
        } catch NFCClientError.noDaemon {
            return hasSocket ? .nobodyListens : .noSocket
        } catch NFCClientError.notPermitted {
            return .notPermitted
        } catch {
            return .failed("\(error)")
        }
    }

    private func state(_ client: NFCClient) async throws -> DaemonState {
        let info = try await client.call(ServerInfo.self)
        let readers = try await client.call(ReadersList.self)
        let refusal = readers.isEmpty ? try await refusal(client, info.entitlements) : nil
        return DaemonState(info: info, readers: readers, refusal: refusal)
    }

    /// A session cannot begin without a reader, and its end says why there is none. Where one comes up just then, the
    /// session is given back.
    private func refusal(
        _ client: NFCClient, _ entitlements: ServerInfo.Entitlements
    ) async throws -> DaemonState.Refusal? {
        let isNDEF = entitlements.formats.contains("NDEF")
        let session = try await client.call(
            SessionBegin.self, .init(kind: isNDEF ? .ndef : .tag, detection: isNDEF ? .tags : nil)
        ).session
        for await event in client.events {
            switch event {
            case .didInvalidate(let end) where end.session == session:
                return DaemonState.Refusal(code: end.code, detail: end.detail)
            case .didBecomeActive(let event) where event.session == session:
                _ = try await client.call(SessionInvalidate.self, .init(session: session))
                return nil
            default: break
            }
        }
        return nil
    }
}

/// What came of asking nfcd.
enum DaemonAnswer: Sendable {
    case answered(DaemonState)
    /// There is no socket.
    case noSocket
    /// There is a socket, and nobody behind it.
    case nobodyListens
    /// The socket is there, but not for this user.
    case notPermitted
    /// Somebody listens and does not answer.
    case silent
    /// Anything else, in words.
    case failed(String)

    /// What nfcd told, where it did.
    var state: DaemonState? {
        if case .answered(let state) = self { state } else { nil }
    }
}

/// What nfcd tells of itself.
struct DaemonState: Sendable {
    /// Why no session can begin.
    struct Refusal: Sendable {
        /// CoreNFC's number: 1 without a reader, 6 without a PC/SC service.
        let code: Int
        let detail: String
    }

    let info: ServerInfo.Result
    let readers: [ReadersList.Reader]
    /// Told where there are no readers.
    let refusal: Refusal?

    /// Whether a tag can be read right now.
    var hasWorkingReader: Bool { readers.contains { $0.state != .failed } }

    /// Whether the readers exist in nfcd alone: PC/SC has no part in it.
    var isSimulated: Bool { !readers.isEmpty && readers.allSatisfy { $0.reader.hasPrefix("simulated-") } }
}
