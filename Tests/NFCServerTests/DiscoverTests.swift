import NDEF
import NFCReaders
import NFCSessions
import Testing

@testable import NFCProtocol
@testable import NFCServer

/// The interface as a document, over the socket.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DiscoverTests {
    @Test func `every method that can be called is described, and no other`() {
        let coordinator = SessionCoordinator(driver: SimulatedDriver(readers: 0), logger: .silent)
        let server = NFCServer(socket: "", coordinator: coordinator, logger: .silent)
        #expect(Set(Interface.methods.map(\.name)) == server.methodNames)
    }

    @Test func `rpc discover answers with an OpenRPC document`() async throws {
        try await withServer { server in
            let client = try server.client()
            let document = try await client.call("rpc.discover")["result"]
            #expect(document["openrpc"] == "1.3.2" && document["info"]["title"] == "nfcd")
            #expect(document["components"]["errors"]["SessionTimeout"]["code"] == 201)
            #expect(document["components"]["errors"]["ZeroLengthMessage"]["message"].text != nil)
        }
    }

    @Test func `the names of type name formats are those of NDEF`() {
        let formats = MessageForm.schemas["NDEFRecord"]?["properties"]?["typeNameFormat"]?["enum"]
        #expect(formats == .array(TypeNameFormat.allCases.map { .string($0.description) }))
    }
}
