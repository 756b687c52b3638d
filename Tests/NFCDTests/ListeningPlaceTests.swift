import Glibc
import Testing

@testable import nfcd

@Suite struct `A socket that a service manager passes` {
    static let none: [[String: String]] = [
        [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "7"], ["LISTEN_FDS": "1", "LISTEN_PID": "8"],
        ["LISTEN_FDS": "1", "LISTEN_PID": ""], ["LISTEN_FDS": "0", "LISTEN_PID": "7"],
    ]

    @Test(arguments: none) func `is not there, or is another process's`(environment: [String: String]) throws {
        #expect(try PassedDescriptors(environment, processID: 7) == nil)
    }

    @Test(arguments: ["", "x", "-1", "1 ", "65", "99999999999999999999"])
    func `is counted in a number`(count: String) {
        #expect(throws: InheritedSocket.Failure.self) {
            try PassedDescriptors(["LISTEN_FDS": count, "LISTEN_PID": "7"], processID: 7)
        }
    }

    @Test func `has a name`() throws {
        let environment = ["LISTEN_FDS": "2", "LISTEN_PID": "7", "LISTEN_FDNAMES": "nfcd.socket:other"]
        let passed = try #require(try PassedDescriptors(environment, processID: 7))
        #expect(passed.count == 2)
        #expect(passed.names == ["nfcd.socket", "other"])
    }

    /// A Unix socket with this name in the abstract namespace, or without one.
    private func unixSocket(_ type: __socket_type, name: String? = nil) -> CInt {
        let descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
        guard let name else { return descriptor }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: name.utf8) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count))
            }
        }
        return descriptor
    }

    @Test func `is taken if it listens, under its name, and no program inherits it`() throws {
        let name = "nfcd-test-\(getpid())"
        let descriptor = unixSocket(SOCK_STREAM, name: name)
        defer { close(descriptor) }
        #expect(listen(descriptor, 1) == 0)
        let socket = try InheritedSocket(descriptor, name: "nfcd.socket")
        #expect(socket.path == "@" + name)
        #expect(socket.descriptor == descriptor)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    private func refusal(_ descriptor: CInt) throws -> String {
        defer { close(descriptor) }
        let failure = try #require(throws: InheritedSocket.Failure.self) {
            try InheritedSocket(descriptor, name: "a.socket")
        }
        #expect(failure.description.contains("descriptor \(descriptor) (a.socket)"))
        return failure.description
    }

    @Test func `is refused if it is something else`() throws {
        #expect(try refusal(open("/dev/null", O_RDONLY)).contains("is not a socket: Socket operation on non-socket"))
        #expect(try refusal(1_000_000).contains("is not a socket: Bad file descriptor"))
        #expect(
            try refusal(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
                .contains("is of address family 2, not a Unix socket"))
        #expect(try refusal(unixSocket(SOCK_DGRAM)).contains("is a Unix socket of type 2, not a stream"))
        #expect(try refusal(unixSocket(SOCK_STREAM)).contains("does not listen"))
    }
}

@Suite struct `Further sockets` {
    /// Sockets that listen, with consecutive descriptors. Other tests open files meanwhile, so a descriptor is never chosen, only asked for.
    private func withSockets<Result>(_ count: Int, _ body: (CInt) throws -> Result) throws -> Result {
        var made: [CInt] = []
        defer { for descriptor in made { close(descriptor) } }
        while made.count < count {
            let socket = try listeningSocket()
            defer { close(socket) }
            let next = fcntl(socket, F_DUPFD, (made.last ?? 500) + 1)
            try #require(next >= 0)
            if let last = made.last, next != last + 1 {
                for descriptor in made { close(descriptor) }
                made = []
            }
            made.append(next)
        }
        return try body(made[0])
    }

    private func listeningSocket() throws -> CInt {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var family = sa_family_t(AF_UNIX)
        _ = withUnsafeMutablePointer(to: &family) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size))
            }
        }
        try #require(listen(descriptor, 1) == 0)
        return descriptor
    }

    /// What was passed, and the first descriptor.
    private func sockets(_ names: String?) throws -> (PassedSockets, CInt) {
        let count = names.map { $0.split(separator: ":", omittingEmptySubsequences: false).count } ?? 1
        return try withSockets(count) { first in
            var environment = ["LISTEN_FDS": "\(count)", "LISTEN_PID": "7"]
            environment["LISTEN_FDNAMES"] = names
            let passed = try #require(try PassedDescriptors(environment, processID: 7))
            return (try PassedSockets(passed, first: first), first)
        }
    }

    @Test(
        arguments: [
            (nil, 0, []), ("", 0, []), ("unknown", 0, []), ("nfcd.socket", 0, []), ("mine.socket", 0, []),
            ("nfcd.socket:kiosk", 0, ["kiosk"]), ("kiosk:nfcd.socket", 1, ["kiosk"]),
            ("a:nfcd.socket:B-2_x", 1, ["a", "B-2_x"]), ("kiosk:", 1, ["kiosk"]),
        ] as [(String?, CInt, [String])])
    func `have a name, and the first socket that of its unit or none`(
        names: String?, main: CInt, further: [String]
    ) throws {
        let (passed, first) = try sockets(names)
        #expect(passed.main?.descriptor == first + main)
        #expect(passed.further.map(\.name) == further)
    }

    @Test(arguments: [
        ("kiosk", "there are only further sockets (kiosk); start nfcd.socket, too"),
        ("a:b", "there are only further sockets (a, b)"),
        ("nfcd.socket:other.socket", "are both without a FileDescriptorName="),
        ("nfcd.socket:", "are both without a FileDescriptorName="),
        ("nfcd.socket:kiosk:kiosk", "two are named \"kiosk\""),
        ("nfcd.socket:a b", "one is named \"a b\"; expected 1 to 32 letters"),
        ("nfcd.socket:" + String(repeating: "a", count: 33), "expected 1 to 32 letters"),
        ("nfcd.socket:b\u{e4}r", "expected 1 to 32 letters"),
    ])
    func `that could get the rights of another one are refused`(names: String, message: String) throws {
        let failure = try #require(throws: InheritedSocket.Failure.self) { try sockets(names) }
        #expect(failure.description.contains(message), "\(failure)")
    }
}

@Suite struct `The place where nfcd listens` {
    private static let runtime = ["XDG_RUNTIME_DIR": "/run/user/7", "NFCD_SOCKET": ""]

    private func listeningSocket() throws -> (InheritedSocket, CInt) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        // It gets a name of the kernel's choice (unix(7), autobind).
        var family = sa_family_t(AF_UNIX)
        _ = withUnsafeMutablePointer(to: &family) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size))
            }
        }
        #expect(listen(descriptor, 1) == 0)
        return (try InheritedSocket(descriptor, name: nil), descriptor)
    }

    @Test func `is the socket that was passed, whatever the configuration says`() throws {
        let (passed, descriptor) = try listeningSocket()
        defer { close(descriptor) }
        func only(_ socket: InheritedSocket) throws -> PassedSockets {
            let environment = ["LISTEN_FDS": "1", "LISTEN_PID": "7"]
            return try PassedSockets(
                #require(try PassedDescriptors(environment, processID: 7)), first: socket.descriptor)
        }
        for option in [nil, passed.path] {
            let place = try ListeningPlace(
                passed: try only(passed), option: option, configured: "/a", .system, ["NFCD_SOCKET": "/b"])
            #expect(place.path == passed.path && place.inherited == descriptor)
        }
        let failure = try #require(throws: ListeningPlace.Failure.self) {
            try ListeningPlace(passed: try only(passed), option: "/c", configured: nil, .system, [:])
        }
        #expect(failure.description.contains("--socket is /c, but the service manager passed a socket on @"))
    }

    @Test func `depends on for whom nfcd runs`() throws {
        let system = try ListeningPlace(passed: .none, option: nil, configured: nil, .system, Self.runtime)
        #expect(system.path == "/run/nfcd/nfcd.sock" && system.inherited == nil)
        let user = try ListeningPlace(passed: .none, option: nil, configured: nil, .user, Self.runtime)
        #expect(user.path == "/run/user/7/nfcd/nfcd.sock")
        let named = try ListeningPlace(passed: .none, option: "/x", configured: "/y", .user, [:])
        #expect(named.path == "/x")
        #expect(throws: ListeningPlace.Failure.self) {
            try ListeningPlace(passed: .none, option: nil, configured: nil, .user, [:])
        }
    }

    @Test func `comes with a configuration`() {
        #expect(Instance.system.configurationFile(["XDG_CONFIG_HOME": "/x"]) == "/etc/nfcd/nfcd.toml")
        #expect(Instance.user.configurationFile(["XDG_CONFIG_HOME": "/x"]) == "/x/nfcd/nfcd.toml")
        #expect(Instance.user.configurationFile(["HOME": "/h"]) == "/h/.config/nfcd/nfcd.toml")
        #expect(
            Instance.user.configurationFile(["XDG_CONFIG_HOME": "x", "HOME": "/h"]) == "/h/.config/nfcd/nfcd.toml")
        #expect(Instance.user.configurationFile([:]) == nil)
    }
}
