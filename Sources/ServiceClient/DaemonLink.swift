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

    private struct State {
        var client: NFCClient?
        var error: String? = "not connected yet"
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
    package var error: String? { state.withLock { $0.error } }

    /// Whether there is a connection.
    package var isConnected: Bool { state.withLock { $0.client != nil } }

    /// Keeps up the connection until the task is cancelled.
    package func run() async {
        var backOff = BackOff(base: .milliseconds(250), cap: .seconds(5))
        while !Task.isCancelled {
            do {
                let client = try await NFCClient.connect(to: endpoint)
                logger.info("connected to nfcd")
                backOff.reset()
                publish(client, nil)
                let reason = try? await client.waitForEnd()
                publish(nil, reason.map { "\($0)" } ?? "the service stops")
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
        let (client, error) = state.withLock { ($0.client, $0.error) }
        guard let client else { throw NotConnected(description: error ?? "there is no connection to nfcd") }
        return try await client.call(method, parameters)
    }

    /// Runs a function with each connection, from the current one on, until the task is cancelled. What it throws is logged; it
    /// runs again with the next connection.
    package func forEachConnection(_ body: (NFCClient) async throws -> Void) async {
        let (connections, continuation) = AsyncStream.makeStream(
            of: NFCClient?.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextFollower += 1
            state.followers[state.nextFollower] = continuation
            continuation.yield(state.client)
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
            if state.client != nil { state.error = reason }
        }
    }

    private func publish(_ client: NFCClient?, _ error: String?) {
        state.withLock { state in
            state.client = client
            state.error = error
            for follower in state.followers.values { follower.yield(client) }
        }
    }

    /// Logs why there is no connection, once for each reason.
    private func report(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.error = reason }
            return state.error != reason
        }
        if isNew, !Task.isCancelled { logger.warning("\(reason); trying again until it answers (nfcctl doctor)") }
    }
}
