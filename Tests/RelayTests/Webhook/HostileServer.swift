import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// An HTTP server on loopback that answers as a test wants, byte by byte.
final class HostileServer: Sendable {
    /// What it does with a request.
    struct Behaviour: Sendable {
        /// The bytes that it sends, as they are.
        var answer = ""
        /// Sent after it.
        var bytes: [UInt8] = []
        /// It answers before the request arrives.
        var isEarly = false
        /// After the answer it sends nothing more, and keeps the connection.
        var holds = false
        /// It never answers.
        var isSilent = false
        /// It ends the connection with a reset after the answer.
        var resets = false
        /// It closes the connection after the answer.
        var closes = false

        static func status(_ line: String, _ headers: String = "", body: String = "") -> Behaviour {
            Behaviour(
                answer: "HTTP/1.1 \(line)\r\n\(headers)content-length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    private struct State {
        var behaviours: [Behaviour] = []
        var requests: [String] = []
        var connections = 0
        var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>

    /// - Parameter behaviours: for one request after another; the last is repeated.
    init(_ behaviours: [Behaviour]) throws {
        state = Mutex(State(behaviours: behaviours))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw CocoaError(.fileReadUnknown) }
        port = UInt16(bigEndian: address.sin_port)
        onThread { [self] in accept() }
    }

    deinit { close(listener) }

    var requests: [String] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }

    func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            state.withLock { $0.connections += 1 }
            onThread { [self] in serve(client) }
        }
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        if let early = state.withLock({ $0.behaviours.first { $0.isEarly } }) {
            write(Array(early.answer.utf8) + early.bytes, to: client)
        }
        while let request = readRequest(client) {
            let behaviour = state.withLock { state in
                state.requests.append(request)
                return state.behaviours.count > 1 ? state.behaviours.removeFirst() : state.behaviours[0]
            }
            if !behaviour.isSilent, !behaviour.isEarly {
                write(Array(behaviour.answer.utf8) + behaviour.bytes, to: client)
            }
            if behaviour.isSilent || behaviour.holds {
                var byte: UInt8 = 0
                // Until the client gives up.
                while recv(client, &byte, 1, 0) > 0 {}
                return
            }
            if behaviour.resets {
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(client, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                return
            }
            if behaviour.closes { return }
        }
    }

    private func write(_ bytes: [UInt8], to client: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// A whole request; nil at the end of the connection.
    private func readRequest(_ client: Int32) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let request = Self.complete(bytes) { return request }
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private static func complete(_ bytes: [UInt8]) -> String? {
        let end = Array("\r\n\r\n".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let head = String(decoding: bytes[..<start], as: UTF8.self).lowercased()
        let line = head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("content-length:") }
        let length = line.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        return bytes.count >= start + end.count + length ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) {
        // A separate thread, because it blocks.
        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { box in
                if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
