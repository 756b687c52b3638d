import CTAP
import NFCClient
import NFCProtocol

/// A session of nfcd with the card that lies on a reader: from its tap until it has left.
///
/// The session yields, and looks for the FIDO application alone: nfcd sends the one SELECT.
struct CardSession: Sendable {
    /// What happens to the card.
    enum Event: Sendable {
        /// The card has the FIDO application, which is selected.
        case detected(RemoteTag)
        /// The card cannot be used: another application, or no answer. The session ends.
        case ignored(String)
        /// The card left the field.
        case removed
        /// The session is over; nothing follows.
        case ended(String)
    }

    /// What the bridge asks of the session.
    enum Command: Sendable {
        /// Whether another client may take the reader.
        case setYielding(Bool)
        /// Select the application again.
        case restartPolling
        /// End the session.
        case invalidate
    }

    /// The AID of FIDO (CTAP 2.1, §11.3.3).
    private static let application = HexBytes([0xA0, 0x00, 0x00, 0x06, 0x47, 0x2F, 0x00, 0x01])

    let client: NFCClient
    let reader: String
    private let commands: AsyncStream<Command>
    private let requests: AsyncStream<Command>.Continuation

    init(_ client: NFCClient, reader: String) {
        self.client = client
        self.reader = reader
        (commands, requests) = AsyncStream.makeStream()
    }

    /// Asks for something; requests are carried out in their order.
    func request(_ command: Command) { requests.yield(command) }

    /// Runs the session to its end, or until the task is cancelled.
    func run(_ report: @escaping @Sendable (Event) -> Void) async {
        do {
            let parameters = SessionBegin.Parameters(
                kind: .tag, pollingOption: [.iso14443], iso7816SelectIdentifiers: [Self.application],
                alertMessage: "security key", readers: [reader], timeout: try await timeout(), yields: true)
            let reason = try await client.withSession(parameters) { session in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await carryOut(session) }
                    defer { group.cancelAll() }
                    return await observe(session, report)
                }
            }
            report(.ended(reason))
        } catch {
            report(.ended("\(error)"))
        }
    }

    /// The longest session that nfcd grants, in seconds; nil: the usual one.
    private func timeout() async throws -> Double? {
        let grants = try await client.call(ServerInfo.self).entitlements.grants ?? []
        return grants.filter { $0.formats.contains("TAG") }.compactMap(\.sessionTimeout).max()
    }

    private func carryOut(_ session: ReaderSession) async {
        for await command in commands {
            // A request that fails comes too late: the session is over, which is reported as its event.
            switch command {
            case .setYielding(let yields): try? await session.setYielding(yields)
            case .restartPolling: try? await session.restartPolling()
            case .invalidate: try? await session.invalidate()
            }
        }
    }

    /// Reports what happens; returns the reason of the end.
    private func observe(_ session: ReaderSession, _ report: (Event) -> Void) async -> String {
        for await event in session.events {
            switch event {
            case .didDetectTags(let tags):
                if let tag = tags.first { report(.detected(tag)) }
            case .tagRemoved: report(.removed)
            case .tagIgnored: report(.ignored("it has no FIDO application"))
            case .tagFailed(let failure): report(.ignored(failure.detail))
            case .didInvalidate(let end): return "\(end)"
            case .didBecomeActive, .didDetectNDEFs: break
            }
        }
        return "the service stops"
    }
}
