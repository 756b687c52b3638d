import Dispatch
import FoundationEssentials
import Glibc
import NFCClient
import TestSupport

/// A daemon that follows the script of a test with the first client that connects, on its own thread.
final class FakeDaemon: Sendable {
    /// What a client has sent: a request, or a notification if there is no id.
    struct Request: Decodable, Sendable {
        /// The parameters that the tests look at.
        struct Parameters: Decodable, Sendable {
            let session: String?
            let tag: String?
            let id: Int64?
            let subscription: String?
            let removals: Bool?
            let errorMessage: String?
            let sequence: Int64?
        }

        let id: Int64?
        let method: String
        let params: Parameters
    }

    /// The client that has connected.
    struct Peer {
        private let socket: OpenSocket
        private var rest: [UInt8] = []

        fileprivate init(_ socket: OpenSocket) {
            self.socket = socket
        }

        /// The next request; nil at the end of the connection.
        mutating func request() throws -> Request? {
            while true {
                if let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest.removeSubrange(...newline) }
                    return try JSONDecoder().decode(Request.self, from: Data(rest[..<newline]))
                }
                let bytes = UnixSocket.read(from: socket.descriptor)
                guard !bytes.isEmpty else { return nil }
                rest += bytes
            }
        }

        /// Answers the next request.
        @discardableResult
        mutating func answer(_ result: String = "{}") throws -> Request? {
            let request = try request()
            if let id = request?.id { send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#) }
            return request
        }

        /// Sends a line.
        func send(_ line: String) {
            _ = UnixSocket.write(Array("\(line)\n".utf8), to: socket.descriptor)
        }

        /// Sends a notification.
        func notify(_ method: String, _ params: String) {
            send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#)
        }

        /// Sends the end of a session.
        func invalidate(_ session: String, _ code: Int = 200) {
            notify(
                "session.didInvalidate",
                #"{"session":"\#(session)","code":\#(code),"name":"Name","message":"Message","detail":"detail"}"#)
        }

        /// Sends the detection of a tag.
        func detect(_ tag: String, in session: String) {
            notify("session.didDetectTags", #"{"session":"\#(session)","tags":[\#(FakeDaemon.tag(tag))]}"#)
        }

        /// Carries out whatever the client still sends, until it closes the connection.
        mutating func answerAll() throws {
            while try answer() != nil {}
        }
    }

    private let directory: String
    private let listener: OpenSocket
    let path: String

    init() throws {
        let template = FileManager.default.temporaryDirectory.path + "/nfcclient-XXXXXX"
        directory = template.withCString { name in
            let copy = strdup(name)
            defer { free(copy) }
            return copy.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? template
        }
        path = "\(directory)/fake.sock"
        listener = OpenSocket(try UnixSocket.bound(to: path))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Starts the script. The connection ends with it.
    func serve(_ script: @escaping @Sendable (inout Peer) throws -> Void) {
        DispatchQueue(label: "fake-daemon").async { [listener] in
            let descriptor = accept(listener.descriptor, nil, nil)
            guard descriptor >= 0 else { return }
            var peer = Peer(OpenSocket(descriptor))
            try? script(&peer)
        }
    }

    /// Connects a client to a daemon that follows a script.
    static func run<Value>(
        _ script: @escaping @Sendable (inout Peer) throws -> Void, _ body: (NFCClient) async throws -> Value
    ) async throws -> Value {
        let daemon = try FakeDaemon()
        daemon.serve(script)
        return try await NFCClient.withConnection(to: daemon.path, body)
    }

    /// A tag as it is detected.
    static func tag(_ name: String) -> String {
        #"{"tag":"\#(name)","reader":"r","readerName":"R","type":"miFare","technology":"Type 2","identifier":"04A1B2"}"#
    }
}

extension AsyncStream {
    /// Every element until the end.
    var all: [Element] {
        get async {
            var all: [Element] = []
            for await element in self { all.append(element) }
            return all
        }
    }
}
