package import Logging
package import NFCClient
package import NFCProtocol
package import ServiceSupport
import Synchronization
import Threading

/// The connection to nfcd, which is made again whenever it is lost.
package final class DaemonLink: Sendable {
    /// Why there is no connection.
    package struct NotConnected: Error, CustomStringConvertible {
        package let description: String
    }

    private enum Link {
        /// With the reason.
        case down(String)
        /// With what nfcd refuses that the service needs.
        case up(NFCClient, refusal: String?)

        var client: NFCClient? { if case .up(let client, _) = self { client } else { nil } }
        var error: String? {
            switch self {
            case .down(let reason): reason
            case .up(_, let refusal): refusal
            }
        }
    }

    private struct State {
        var link = Link.down("not connected yet")
        var followers: [Int: AsyncStream<NFCClient?>.Continuation] = [:]
        var nextFollower = 0
    }

    private let endpoint: any DaemonEndpoint
    private let time: ServiceTime
    private let logger: Logger
    private let state = Mutex(State())

    package init(_ endpoint: any DaemonEndpoint, time: ServiceTime, logger: Logger) {
        self.endpoint = endpoint
        self.time = time
        self.logger = logger
    }

    /// Why there is no connection, or what nfcd refuses; nil where all is well.
    package var error: String? { state.withLock { $0.link.error } }

    /// Whether there is a connection.
    package var isConnected: Bool { state.withLock { $0.link.client != nil } }

    /// Keeps up the connection until the task is cancelled.
    package func run() async {
        var backOff = BackOff(base: .milliseconds(250), cap: .seconds(5))
        while !Task.isCancelled {
            do {
                let client = try await NFCClient.connect(to: endpoint)
                logger.info("connected to nfcd")
                backOff.reset()
                publish(.up(client, refusal: nil))
                let reason = try? await client.waitForEnd()
                publish(.down(reason.map { "\($0)" } ?? "the service stops"))
                await client.close()
                if !Task.isCancelled { logger.warning("the connection to nfcd ended; connecting again") }
            } catch {
                report("\(error)")
            }
            try? await time.sleep(backOff.next(time.random()))
        }
    }

    /// Calls a method of nfcd.
    ///
    /// - Throws: ``NotConnected``, `NFCClientError`, `CancellationError`.
    package func call<M: Method>(_ method: M.Type, _ parameters: M.Parameters) async throws -> M.Result {
        switch state.withLock(\.link) {
        case .down(let reason): throw NotConnected(description: reason)
        case .up(let client, _): return try await client.call(method, parameters)
        }
    }

    /// Runs a function with each connection, from the current one on, until the task is cancelled. What it throws is logged; it
    /// runs again with the next connection.
    package func forEachConnection(_ body: (NFCClient) async throws -> Void) async {
        let (connections, continuation) = AsyncStream.makeStream(
            of: NFCClient?.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextFollower += 1
            state.followers[state.nextFollower] = continuation
            continuation.yield(state.link.client)
            return state.nextFollower
        }
        defer { state.withLock { $0.followers[number] = nil } }
        for await client in connections {
            guard let client else { continue }
            do {
                try await body(client)
            } catch {
                logger.debug("nfcd: \(error)")
            }
        }
    }

    /// Notes that nfcd refuses what the service needs, for the status; nil: it no longer does.
    package func noteRefusal(_ reason: String?) {
        state.withLock { state in
            if let client = state.link.client { state.link = .up(client, refusal: reason) }
        }
    }

    private func publish(_ link: Link) {
        state.withLock { state in
            state.link = link
            for follower in state.followers.values { follower.yield(link.client) }
        }
    }

    /// Logs why there is no connection, once for each reason.
    private func report(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.link = .down(reason) }
            return state.link.error != reason
        }
        if isNew, !Task.isCancelled { logger.warning("\(reason); trying again until it answers (nfcctl doctor)") }
    }
}
