package import NFCClient
import NFCProtocol
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where the sessions of this process find nfcd.
package enum DaemonAddress {
    /// An nfcd within this process.
    package struct StandIn: Sendable {
        /// How to connect to it.
        package let endpoint: any DaemonEndpoint
        /// Whether it has a reader. A caller that blocks the threads of this process could not wait for its answer.
        package let hasReader: Bool

        /// An nfcd for the sessions that begin from now on.
        package init(endpoint: any DaemonEndpoint, hasReader: Bool) {
            self.endpoint = endpoint
            self.hasReader = hasReader
        }
    }

    private static let replacement = Mutex<StandIn?>(nil)

    /// The replacement for the usual nfcd; nil for the usual one. Sessions read it when they begin.
    package static var standIn: StandIn? {
        get { replacement.withLock { $0 } }
        set { replacement.withLock { $0 = newValue } }
    }

    /// What a session would connect to now.
    static var endpoint: any DaemonEndpoint {
        standIn?.endpoint ?? SocketEndpoint(path: NFCClient.defaultPath)
    }

    /// Whether an nfcd with a reader is available.
    static var readingAvailable: Bool {
        standIn?.hasReader ?? ReadingAvailability.ask(NFCClient.defaultPath)
    }
}

/// The one synchronous request: whether a reader is available. It does not use NFCClient, whose answers are asynchronous:
/// the caller may block the threads that they need.
enum ReadingAvailability {
    /// An nfcd answers at once. On a machine that is very busy it may take longer.
    private static let limit = 5.0
    private static let longestAnswer = 1 << 20

    static func ask(_ path: String) -> Bool {
        guard let connection = try? OpenDescriptor(connectedTo: path, patience: limit) else { return false }
        let socket = connection.number
        let request = #"{"jsonrpc":"2.0","id":1,"method":"server.info"}"# + "\n"
        let sent = request.utf8.withContiguousStorageIfAvailable {
            send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == request.utf8.count, let line = withExtendedLifetime(connection, { readLine(socket) }) else {
            return false
        }
        let answer = try? JSONDecoder().decode(Answer.self, from: line)
        return answer?.result?.readingAvailable ?? false
    }

    private struct Answer: Decodable {
        let result: ServerInfo.Result?
    }

    /// The first line that comes within the limit.
    private static func readLine(_ socket: Int32) -> Data? {
        let deadline = Date(timeIntervalSinceNow: limit)
        var line = Data()
        var chunk = [UInt8](repeating: 0, count: 4096)
        while line.count < longestAnswer {
            let left = deadline.timeIntervalSinceNow
            var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&wait, 1, Int32(left * 1000) + 1) == 1 else { return nil }
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            line.append(contentsOf: chunk.prefix(count))
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return line.prefix(upTo: end) }
        }
        return nil
    }
}
