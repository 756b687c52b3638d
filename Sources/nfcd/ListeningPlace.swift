import LocalSocket
import NFCProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where nfcd listens.
struct ListeningPlace: Equatable {
    let path: String
    /// The descriptor that listens there already.
    let inherited: CInt?

    /// Why it cannot be decided.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// A socket that was passed takes precedence, and must agree with `--socket`; then `--socket`, `NFCD_SOCKET`, the
    /// configuration, and the default of the instance.
    init(
        passed: InheritedSocket?, option: String?, configured: String?, _ instance: Instance,
        _ environment: [String: String]
    ) throws(Failure) {
        if let passed {
            guard option == nil || option == passed.path else {
                throw Failure(
                    description: "--socket is \(option ?? ""), but the service manager passed a socket on "
                        + "\(passed.path); omit --socket, or change ListenStream= in nfcd.socket")
            }
            (path, inherited) = (passed.path, passed.descriptor)
            return
        }
        path = SocketPath.daemon(
            option: option, configured: configured, environment: environment, isRoot: instance == .system)
        inherited = nil
        guard instance == .system || path != SocketPath.system else {
            throw Failure(
                description:
                    "a user instance listens in $XDG_RUNTIME_DIR, which is not set; log in to your own session, "
                    + "or use --socket")
        }
    }
}

/// The listening socket that a service manager opened for nfcd, and that stays open when nfcd ends (sd_listen_fds(3)).
struct InheritedSocket: Sendable, Equatable {
    /// The first that is passed (SD_LISTEN_FDS_START).
    static let firstDescriptor: CInt = 3

    let descriptor: CInt
    /// Where it listens; `@name` for an abstract name.
    let path: String

    /// Why a passed descriptor cannot be used.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = "the service manager passed no socket that nfcd can serve on: \(description)"
        }
    }

    /// The socket that was passed to this process; nil: none was. The variables are for this process only, and are removed.
    static func take(_ environment: [String: String]) throws(Failure) -> InheritedSocket? {
        for name in PassedDescriptors.variables { unsetenv(name) }
        guard let passed = try PassedDescriptors(environment, processID: getpid()) else { return nil }
        guard passed.count == 1 else {
            let names = passed.names.isEmpty ? "" : " (\(passed.names.joined(separator: ", ")))"
            throw Failure("there are \(passed.count) descriptors\(names), and nfcd takes one; keep one ListenStream=")
        }
        return try InheritedSocket(firstDescriptor, name: passed.names.first)
    }

    /// Takes a descriptor, which must be a listening Unix stream socket.
    ///
    /// - Parameter name: the name it was passed under.
    init(_ descriptor: CInt, name: String?) throws(Failure) {
        let what = "descriptor \(descriptor)" + (name.map { " (\($0))" } ?? "")
        guard let family = Self.option(SO_DOMAIN, of: descriptor) else {
            throw Failure("\(what) is not a socket: \(String(cString: strerror(errno)))")
        }
        guard family == AF_UNIX else {
            throw Failure("\(what) is of address family \(family), not a Unix socket; give ListenStream= a path")
        }
        let type = Self.option(SO_TYPE, of: descriptor)
        guard type == CInt(SOCK_STREAM.rawValue) else {
            throw Failure("\(what) is a Unix socket of type \(type ?? 0), not a stream; use ListenStream=")
        }
        guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else {
            throw Failure("\(what) does not listen; use ListenStream= with Accept=no")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
        path = UnixAddress.text(of: descriptor)
    }

    private static func option(_ option: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 ? value : nil
    }
}

/// The descriptors that a service manager passed, by LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES (sd_listen_fds(3)).
struct PassedDescriptors: Equatable {
    static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// How many there are, from `InheritedSocket.firstDescriptor` on.
    let count: Int
    /// Their names, if they have any.
    let names: [String]

    /// Nil where none was passed to the process with this number.
    init?(_ environment: [String: String], processID: Int32) throws(InheritedSocket.Failure) {
        guard let count = environment["LISTEN_FDS"], let meant = environment["LISTEN_PID"] else { return nil }
        guard Int32(meant) == processID else { return nil }
        guard let count = Int(count), count >= 0 else {
            throw InheritedSocket.Failure("LISTEN_FDS is \"\(count)\", not a number of sockets")
        }
        guard count > 0 else { return nil }
        self.count = count
        names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":").map(String.init)
    }
}
