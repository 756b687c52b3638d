import FoundationEssentials
import LocalSocket
import NFCProtocol
import RelayProtocol
import Synchronization
import Testing

@testable import nfcd_relay

@Suite struct ControlMethodsTests {
    private let operations = RecordedOperations()

    private func answer(_ line: String, privileged: Bool = true) async throws -> String? {
        let peer = PeerCredentials(userID: privileged ? 0 : 70_000)
        return try await ControlMethods(operations).answer(Data(line.utf8), from: peer).map {
            String(decoding: try JSONLine.encode($0), as: UTF8.self)
        }
    }

    private func request(_ method: String, _ parameters: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#
    }

    @Test(arguments: [
        ("relay.status", "{}", true), ("relay.metrics", "{}", true), ("relay.parked", "{}", true),
        ("relay.test", #"{"consumer":"a"}"#, false), ("relay.pause", #"{"consumer":"a","paused":true}"#, false),
        ("relay.unpark", #"{"consumer":"a","action":"retry"}"#, false),
        ("relay.replay", #"{"consumer":"a","after":3}"#, false),
    ])
    func `everyone may look, and only root and the relay's user may change something`(
        method: String, parameters: String, isForEveryone: Bool
    ) async throws {
        #expect(try await answer(request(method, parameters))?.contains(#""result":"#) == true)
        let other = try #require(try await answer(request(method, parameters), privileged: false))
        #expect(other.contains(isForEveryone ? #""result":"# : "is for root and for the user of nfcd-relay"))
        #expect(operations.changes.withLock { $0 } == (isForEveryone ? 0 : 1))
    }

    @Test(arguments: [
        ("", "-32700"), ("null", "-32700"), ("[]", "-32700"), (#"{"id":1,"method":"relay.status"}"#, "-32600"),
        (#"{"jsonrpc":"2.0","id":1,"method":"relay.stats"}"#, "did you mean"),
        (#"{"jsonrpc":"2.0","id":1,"method":"relay.test"}"#, "params.consumer"),
        (#"{"jsonrpc":"2.0","id":1,"method":"relay.test","params":{"consumer":5}}"#, "params.consumer"),
        (#"{"jsonrpc":"2.0","id":1,"method":"relay.unpark","params":{"consumer":"a","action":"eat"}}"#, "retry"),
        (#"{"jsonrpc":"2.0","id":1,"method":"relay.test","params":[1]}"#, "-32602"),
        (#"{"jsonrpc":"2.0","id":{},"method":"relay.status"}"#, "-32700"),
    ])
    func `an invalid request gets an error`(line: String, words: String) async throws {
        let answer = try #require(try await answer(line))
        #expect(answer.contains(#""error":"#) && answer.contains(words), "\(answer)")
    }

    @Test func `a notification gets no answer`() async throws {
        #expect(try await answer(#"{"jsonrpc":"2.0","method":"relay.status"}"#) == nil)
    }
}

/// Operations that count what they change.
private final class RecordedOperations: RelayOperations {
    let changes = Mutex(0)

    private func change() { changes.withLock { $0 += 1 } }

    func status() async -> RelayStatus.Result {
        RelayStatus.Result(version: "1", daemonConnected: true, daemonError: nil, consumers: [])
    }
    func metrics() async -> String { "x 1\n" }
    func parked(_ consumer: String?) async throws(RPCError) -> [RelayParked.Tap] { [] }
    func test(_ consumer: String) async throws(RPCError) -> RelayTest.Result {
        change()
        return RelayTest.Result(delivered: true, detail: "")
    }
    func unpark(_ parameters: RelayUnpark.Parameters) async throws(RPCError) -> Int {
        change()
        return 1
    }
    func pause(_ consumer: String, _ isPaused: Bool) async throws(RPCError) { change() }
    func replay(_ consumer: String, after sequence: Int64) async throws(RPCError) { change() }
}
