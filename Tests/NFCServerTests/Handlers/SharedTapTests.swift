import FoundationEssentials
import LocalSocket
import NDEF
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags
import Synchronization
import Testing

@testable import NFCServer

/// A tap that many subscriptions receive.
@Suite struct SharedTapTests {
    /// Keeps what a client is sent.
    final class Recipient: ClientOutlet {
        let lines = Mutex<[SharedLine]>([])
        var isConnected: Bool { true }

        func send(_ line: Data) -> Int {
            lines.withLock { $0.append(SharedLine([SharedBytes(line)])) }
            return 0
        }

        func send(_ line: SharedLine) -> Int {
            lines.withLock { $0.append(line) }
            return 0
        }

        func close() {}
    }

    struct NoSchedule: RequestSchedule {
        func turn(for client: PeerCredentials) async {}

        func decode<Value: Sendable>(
            _ length: Int, for client: PeerCredentials, _ body: @escaping @Sendable () -> Value
        )
            async throws -> Value
        {
            body()
        }
    }

    static let reader = ReaderDescription(id: ReaderID(rawValue: "desk"), name: "Desk \"messages\":[]")

    static func reading(_ records: Int, payload: Int) throws -> NDEFReading {
        guard records > 0 else {
            return NDEFReading(failure: TagError(.tagResponseError, #""messages":[] "subscription""#))
        }
        let record = NDEFRecord(
            typeNameFormat: .nfcWellKnown, type: Array("T".utf8),
            payload: [2] + Array("en".utf8) + [UInt8](repeating: 0x61, count: payload))
        return NDEFReading(
            messages: [NDEFMessage(records: [NDEFRecord](repeating: record, count: records))], status: .readWrite,
            capacity: 65_000)
    }

    /// The records of the message, the bytes of each, and the form of the message in the notification.
    @Test(arguments: [
        (1, 3, "decoded"), (1, 40_000, "decoded"), (3_000, 0, "raw"), (13_000, 0, "encoded"), (0, 0, "error"),
    ])
    func `a tap is encoded once, and each subscription receives it under its name`(
        records: Int, payload: Int, form: String
    ) async throws {
        let coordinator = SessionCoordinator(driver: SimulatedDriver(readers: 0), logger: .silent)
        let server = RequestServer(
            coordinator: coordinator, access: AccessPolicy(AccessRules(superusers: [7])), simulator: nil,
            schedule: NoSchedule(), logger: .silent)
        let outlets = (0..<20).map { _ in Recipient() }
        let peers = outlets.enumerated().map {
            server.client(ClientID(rawValue: UInt64($0)), PeerCredentials(userID: 7), over: $1)
        }
        let tap = BackgroundTap(
            reader: Self.reader, identity: nil, reading: try Self.reading(records, payload: payload))
        peers[3].prepare(tap)
        for peer in peers {
            for number in 0..<16 {
                #expect(peer.send(tap, of: SubscriptionID(rawValue: "background-\(peer.id.rawValue)-\(number)")))
            }
        }
        let lines = outlets.flatMap { outlet in outlet.lines.withLock { $0 } }
        #expect(lines.count == 320)
        // All but the name is the same memory.
        let names = Set(lines.compactMap { $0.pieces.first { $0.data.starts(with: Data("\"background-".utf8)) }?.data })
        #expect(names.count == 320)
        let shared = lines.map {
            $0.pieces.filter { !$0.data.starts(with: Data("\"background-".utf8)) }.map(ObjectIdentifier.init)
        }
        #expect(Set(shared).count == 1)

        for (line, name) in [(lines[0], "background-0-0"), (lines[319], "background-19-15")] {
            #expect(line.count == line.data.count && line.count <= JSONLine.maximumLength + 1 && line.data.last == 0x0A)
            let json = try JSON(parsing: String(decoding: line.data, as: UTF8.self))
            #expect(json["method"] == "background.didReadTag" && json["params"]["subscription"] == .string(name))
            #expect(json["params"]["readerName"] == .string(Self.reader.name))
            let message = json["params"]["messages"][0]
            switch form {
            case "decoded": #expect(message["records"][0]["decoded"]["kind"] == "text")
            case "raw": #expect(message["records"][0]["decoded"] == nil && message["records"][0]["type"] == "54")
            case "encoded": #expect(message["encoded"].text?.isEmpty == false)
            default:
                #expect(message == nil && json["params"]["error"]["detail"].text?.hasPrefix(#""messages":[]"#) == true)
            }
        }
    }
}
