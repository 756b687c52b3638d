import Dispatch
import FoundationEssentials
import NFCTypes
import Synchronization
import TestSupport
import Testing

@testable import NFCClient

@Suite(.timeLimit(.minutes(20)))
struct SocketConnectionTests {
    /// Keeps the lines and the end of a connection.
    private final class Recipient: LineRecipient {
        private let received = Mutex<[String]>([])
        private let ends: AsyncStream<NFCClientError>
        private let ended: AsyncStream<NFCClientError>.Continuation

        init() {
            (ends, ended) = AsyncStream.makeStream()
        }

        var lines: [String] { received.withLock { $0 } }

        func receive(_ line: Data) {
            received.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }

        func end(_ reason: NFCClientError) {
            ended.yield(reason)
            ended.finish()
        }

        /// Why the connection ended.
        func end() async -> NFCClientError? { await ends.first { _ in true } }
    }

    private func connect(to daemon: FakeDaemon, _ recipient: Recipient) async throws -> any LineConnection {
        try await SocketEndpoint(path: daemon.path).connect(recipient)
    }

    @Test func `a daemon that does not read blocks nothing, and only so much waits for it`() async throws {
        let daemon = try FakeDaemon()
        let over = DispatchSemaphore(value: 0)
        daemon.serve { _ in over.wait() }
        defer { over.signal() }
        let recipient = Recipient()
        let connection = try await connect(to: daemon, recipient)
        let line = Data(repeating: UInt8(ascii: "x"), count: JSONLine.maximumLength)
        for _ in 0..<18 { connection.send(line) }
        guard case .connectionFailed(_, let reason)? = await recipient.end() else {
            Issue.record("the connection continues")
            return
        }
        #expect(reason.hasPrefix("nfcd does not read: ") && reason.hasSuffix(" bytes wait; restart nfcd"))
    }

    @Test func `long lines for a daemon that reads slowly arrive whole and in order`() async throws {
        let daemon = try FakeDaemon()
        daemon.serve { peer in
            var numbers: [String] = []
            while let request = try peer.request(), request.method != "last" { numbers.append(request.method) }
            peer.send(numbers.joined(separator: " "))
        }
        let recipient = Recipient()
        let connection = try await connect(to: daemon, recipient)
        let padding = String(repeating: " ", count: 300_000)
        for method in (0..<12).map(String.init) + ["last"] {
            connection.send(Data(#"{"method":"\#(method)","params":{}\#(padding)}\#("\n")"#.utf8))
        }
        guard case .connectionLost? = await recipient.end() else {
            Issue.record("the connection ended otherwise")
            return
        }
        #expect(recipient.lines == [(0..<12).map(String.init).joined(separator: " ")])
    }

    @Test func `what the daemon has sent is received, also where it takes nothing more`() async throws {
        let daemon = try FakeDaemon()
        daemon.serve { peer in for number in 0..<100 { peer.send("\(number)") } }
        let recipient = Recipient()
        let connection = try await connect(to: daemon, recipient)
        // Without MSG_NOSIGNAL the second would end the process.
        for _ in 0..<1_000 { connection.send(Data("{}\n".utf8)) }
        _ = await recipient.end()
        #expect(recipient.lines == (0..<100).map(String.init))
        connection.send(Data("late\n".utf8))
    }

    @Test func `every caller that closes a connection returns when it is closed`() async throws {
        let daemon = try FakeDaemon()
        daemon.serve { peer in _ = try peer.request() }
        let recipient = Recipient()
        let connection = try await connect(to: daemon, recipient)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { await connection.close() } }
        }
        guard case .connectionLost? = await recipient.end() else {
            Issue.record("the connection ended otherwise")
            return
        }
        await connection.close()
    }

    @Test func `a path that is too long for a socket is named`() async throws {
        let path = "/" + String(repeating: "x", count: 120)
        let error = try await #require(throws: NFCClientError.self) { try await NFCClient.connect(to: path) }
        #expect("\(error)" == "\(path): File name too long")
    }

    @Test(arguments: [1, 2, 3, 7, 64]) func `lines arrive whole, in whatever pieces they come`(size: Int) throws {
        let stream = Array("first\n\nthird, which is longer than the others\nlast\nrest".utf8)
        var framing = LineFraming()
        var lines: [String] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            try stream[start..<min(start + size, stream.count)].withUnsafeBytes { bytes in
                try framing.take(bytes) { lines.append(String(decoding: $0, as: UTF8.self)) }
            }
        }
        #expect(lines == ["first", "", "third, which is longer than the others", "last"])
    }
}
