import NFCTypes
import Synchronization
import Testing

@testable import NFCClient

@Suite(.timeLimit(.minutes(20)))
struct RemoteTagTests {
    /// A command, its method, and an answer of the daemon.
    struct Command: Sendable, CustomTestStringConvertible {
        let method: String
        let result: String
        let run: @Sendable (RemoteTag) async throws -> String

        var testDescription: String { method }

        init(_ method: String, _ result: String = "{}", _ run: @escaping @Sendable (RemoteTag) async throws -> String) {
            (self.method, self.result, self.run) = (method, result, run)
        }

        init(_ method: String, _ run: @escaping @Sendable (RemoteTag) async throws -> Void) {
            self.init(method) { tag in
                try await run(tag)
                return ""
            }
        }
    }

    private static let response = #"{"data":"A1","sw1":144,"sw2":0}"#
    private static let bytes = #"{"data":"A1B2"}"#
    private static let key: [UInt8] = [1, 2, 3, 4, 5, 6]
    static let commands: [Command] = [
        Command("session.connect") { try await $0.connect() },
        Command("tag.queryNDEFStatus", #"{"status":"readOnly","capacity":7}"#) {
            let status = try await $0.queryNDEFStatus()
            return "\(status.status) \(status.capacity)"
        },
        Command("tag.readNDEF", #"{"message":{"records":[]},"status":"readWrite","capacity":9}"#) {
            let read = try await $0.readNDEF()
            return "\(read.message.records.count) \(read.status) \(read.capacity)"
        },
        Command("tag.writeNDEF") { try await $0.writeNDEF(NDEFMessage(records: []), verify: true) },
        Command("tag.format") { try await $0.format() },
        Command("tag.writeLock") { try await $0.writeLock() },
        Command("tag.describe", #"{"product":"NTAG213","blockSize":4,"lockState":"unlocked","fields":[]}"#) {
            "\(try await $0.describe().product ?? "")"
        },
        Command("tag.dump", #"{"layout":"type2","blockSize":4,"sections":[],"facts":{}}"#) {
            "\(try await $0.dump().layout)"
        },
        Command("tag.authenticate", #"{"acknowledge":"CAFE"}"#) {
            "\(try await $0.authenticate([1, 2, 3, 4]))"
        },
        Command("tag.writeMemory", #"{"written":2}"#) {
            "\(try await $0.writeMemory([.init(number: 4, bytes: HexBytes([1, 2, 3, 4]))]))"
        },
        Command("tag.setPassword", #"{"firstPage":4,"protects":"readWrite","attempts":0}"#) {
            "\(try await $0.setPassword([1, 2, 3, 4]).protects)"
        },
        Command("tag.removePassword") { try await $0.removePassword() },
        Command("tag.configure", #"{"counter":"on","mirror":"uid","mirrorPage":9,"mirrorByte":1}"#) {
            "\(try await $0.configure(counter: .on).mirror)"
        },
        Command("tag.cancelCommands", #"{"cancelled":3}"#) { "\(try await $0.cancelCommands())" },
        Command("iso7816.sendCommand", response) {
            let answer = try await $0.iso7816.sendCommand([0, 0xA4, 4, 0], timeout: .seconds(1))
            return "\(answer.data.bytes) \(answer.sw1) \(answer.sw2)"
        },
        Command("miFare.sendISO7816Command", response) {
            "\(try await $0.miFare.sendISO7816Command([0, 0xA4, 4, 0]).sw1)"
        },
        Command("miFare.sendCommand", bytes) { "\(try await $0.miFare.sendCommand([0x30, 4]))" },
        Command("feliCa.sendCommand", bytes) { "\(try await $0.feliCa.sendCommand([0, 0xFF, 0xFF, 0, 0]))" },
        Command("iso15693.sendRequest", #"{"responseFlag":1,"data":"0F"}"#) {
            let answer = try await $0.iso15693.sendRequest(requestFlags: 2, commandCode: 0x20, data: [4])
            return "\(answer.responseFlag) \(answer.data.bytes)"
        },
        Command("miFareClassic.authenticate") {
            try await $0.miFareClassic.authenticate(block: 4, keyType: .a, key: key)
        },
        Command("miFareClassic.readBlock", bytes) { "\(try await $0.miFareClassic.readBlock(4))" },
        Command("miFareClassic.writeBlock") { try await $0.miFareClassic.writeBlock(block: 4, data: key) },
        Command("miFareClassic.increment") { try await $0.miFareClassic.increment(block: 4, amount: 1) },
        Command("miFareClassic.decrement") { try await $0.miFareClassic.decrement(block: 4, amount: 1) },
        Command("miFareClassic.restore") { try await $0.miFareClassic.restore(block: 4, destination: 5) },
    ]
    static let results: [String: String] = [
        "tag.queryNDEFStatus": "readOnly 7", "tag.readNDEF": "0 readWrite 9", "tag.describe": "NTAG213",
        "tag.dump": "type2", "tag.authenticate": "[202, 254]", "tag.cancelCommands": "3",
        "tag.writeMemory": "2", "tag.setPassword": "readWrite", "tag.configure": "uid",
        "iso7816.sendCommand": "[161] 144 0", "miFare.sendISO7816Command": "144", "miFare.sendCommand": "[161, 178]",
        "feliCa.sendCommand": "[161, 178]", "iso15693.sendRequest": "1 [15]", "miFareClassic.readBlock": "[161, 178]",
    ]

    /// A client with a session that has found a tag, and the methods that are called from then on.
    private static func withTag<Value>(
        _ script: @escaping @Sendable (inout FakeDaemon.Peer) throws -> Void,
        _ body: (RemoteTag) async throws -> Value
    ) async throws -> Value {
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            peer.detect("t", in: "s")
            try script(&peer)
            try peer.answerAll()
        } _: { client in
            let tags = try await client.beginSession(.init(kind: .tag)).nextTags()
            return try await body(try #require(tags.first))
        }
    }

    @Test(arguments: commands) func `a command calls its method for its tag and returns the result`(command: Command)
        async throws
    {
        let called = Mutex<[String]>([])
        let result = try await Self.withTag { peer in
            let request = try peer.answer(command.result)
            called.withLock {
                $0 = [request?.method, request?.params.session, request?.params.tag].map { $0 ?? "" }
            }
        } _: {
            try await command.run($0)
        }
        #expect(called.withLock { $0 } == [command.method, "s", "t"])
        #expect(result == Self.results[command.method] ?? "")
    }

    @Test func `a tag has its facts`() async throws {
        try await Self.withTag { _ in
        } _: { tag in
            #expect(tag.id == "t" && tag.identifier == [0x04, 0xA1, 0xB2])
            #expect(tag.facts.readerName == "R" && tag.session.id == "s")
        }
    }

    @Test func `an error of a tag has its code, its detail, its answer and its status word`() async throws {
        try await Self.withTag { peer in
            let id = try peer.request()?.id ?? 0
            let data = #"{"domain":"NFCError","name":"N","detail":"refused","response":"016A82","statusWord":"6A82"}"#
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":102,"message":"m","data":\#(data)}}"#)
        } _: { tag in
            let error = try await #require(throws: NFCClientError.self) { try await tag.format() }
            #expect(error.nfcCode == .tagResponseError && error.detail == "refused")
            #expect(error.response == [0x01, 0x6A, 0x82] && error.statusWord == 0x6A82)
        }
    }

    @Test func `progress is reported before the command returns`() async throws {
        let steps = Mutex<[Int]>([])
        try await Self.withTag { peer in
            let id = try peer.request()?.id ?? 0
            for done in 1...3 { peer.notify("$/progress", #"{"id":\#(id),"done":\#(done),"total":3}"#) }
            peer.notify("$/progress", #"{"id":99,"done":9,"total":9}"#)
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
        } _: { tag in
            try await tag.writeNDEF(NDEFMessage(records: [])) { done, _ in steps.withLock { $0.append(done) } }
            #expect(steps.withLock { $0 } == [1, 2, 3])
        }
    }

    @Test func `a cancelled command is taken back, and its answer ignored`() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        try await Self.withTag { peer in
            let id = try peer.request()?.id ?? 0
            ask.finish()
            guard try peer.request()?.params.id == id else { return }
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32800,"message":"request cancelled"}}"#)
        } _: { tag in
            let task = Task { try await tag.describe() }
            for await _ in asked {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await tag.connect()
        }
    }
}
