import Dispatch
import TestSupport
import Glibc

@testable import VirtualTags

/// The little of vpcd that a card sees: a listener on an ephemeral port that talks to one client at a time.
final class FakeVPCD: Sendable {
    struct Failure: Error {
        let step: String
    }

    /// The accepted connection. Reads give up after a minute, so that a test cannot hang.
    struct Peer {
        let descriptor: Int32

        func send(_ bytes: [UInt8]) throws {
            let sent = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent == bytes.count else { throw Failure(step: "send") }
        }

        /// Reads exactly `count` bytes; fewer when the card closes.
        func read(_ count: Int) throws -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var buffer = [UInt8](repeating: 0, count: count - bytes.count)
                let got = recv(descriptor, &buffer, buffer.count, 0)
                guard got >= 0 else { throw Failure(step: "read") }
                if got == 0 { return bytes }
                bytes += buffer.prefix(got)
            }
            return bytes
        }

        /// One framed message, nil when the card closed.
        func message() throws -> [UInt8]? {
            let header = try read(2)
            guard header.count == 2 else { return nil }
            return try read(Int(header[0]) << 8 | Int(header[1]))
        }

        /// Sends a framed message as vpcd does: length and body in separate segments.
        func request(_ body: [UInt8]) throws {
            try send([UInt8(body.count >> 8), UInt8(body.count & 0xFF)])
            try send(body)
        }

        /// Sends a command and returns its response, as hexadecimal.
        func transmit(_ command: String) throws -> String {
            try request(hex(command))
            return hex(try message() ?? [])
        }
    }

    private let listener: Int32
    let port: UInt16

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard bound else { throw Failure(step: "listen") }
        Self.limit(listener)
    }

    deinit {
        close(listener)
    }

    var address: VPCDAddress { VPCDAddress(port: port) }

    /// Accepts one card, plays the script with it on its own thread, and closes.
    func serve<Value: Sendable>(_ script: @escaping @Sendable (Peer) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "fake-vpcd").async { [self] in
                continuation.resume(with: Result { try play(script) })
            }
        }
    }

    private func play<Value>(_ script: (Peer) throws -> Value) throws -> Value {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { throw Failure(step: "accept") }
        defer { close(descriptor) }
        Self.limit(descriptor)
        return try script(Peer(descriptor: descriptor))
    }

    private static func limit(_ descriptor: Int32) {
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
}
