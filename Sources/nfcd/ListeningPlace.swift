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
    /// The further sockets, each with its own grants.
    let further: [FurtherSocket]

    /// Why it cannot be decided.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// A socket that was passed takes precedence, and must agree with `--socket`; then `--socket`, `NFCD_SOCKET`, the
    /// configuration, and the default of the instance.
    init(
        passed: PassedSockets, option: String?, configured: String?, _ instance: Instance,
        _ environment: [String: String]
    ) throws(Failure) {
        further = passed.further
        if let passed = passed.main {
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

/// A further socket, most often for the programs of one container: its clients have the grants with its name and no others, whatever
/// users they are.
struct FurtherSocket: Sendable, Equatable {
    let name: String
    let socket: InheritedSocket

    /// What a name may be.
    static let rule = "expected 1 to 32 letters, digits, \"-\" or \"_\", as in FileDescriptorName= of the socket's unit"

    /// Whether a further socket may have this name.
    static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// The sockets that a service manager opened for nfcd (sd_listen_fds(3)).
struct PassedSockets: Equatable {
    /// The one for the users of this machine; nil: none was passed.
    let main: InheritedSocket?
    /// The others.
    let further: [FurtherSocket]

    /// No socket was passed.
    static let none = PassedSockets(main: nil, further: [])

    private init(main: InheritedSocket?, further: [FurtherSocket]) { (self.main, self.further) = (main, further) }

    /// The sockets that were passed to this process. The variables are for this process only, and are removed.
    static func take(_ environment: [String: String]) throws(InheritedSocket.Failure) -> PassedSockets {
        for name in PassedDescriptors.variables { unsetenv(name) }
        guard let passed = try PassedDescriptors(environment, processID: getpid()) else { return none }
        return try PassedSockets(passed)
    }

    /// A descriptor with the name of a unit, or without one, is the socket for users; one with another name (FileDescriptorName=) is a
    /// further socket. So a socket that is meant for a container never gets the rights of the first one because that is missing.
    ///
    /// - Parameter first: the number of the first descriptor.
    init(_ passed: PassedDescriptors, first: CInt = InheritedSocket.firstDescriptor) throws(InheritedSocket.Failure) {
        var main: InheritedSocket?
        var further: [FurtherSocket] = []
        for index in 0..<passed.count {
            let name = passed.names.indices.contains(index) ? passed.names[index] : nil
            let socket = try InheritedSocket(first + CInt(index), name: name)
            if let name, !Self.isUnitName(name) {
                try Self.check(name, further)
                further.append(FurtherSocket(name: name, socket: socket))
            } else if let earlier = main {
                throw InheritedSocket.Failure(
                    "\(earlier.path) and \(socket.path) are both without a FileDescriptorName=; give one to each socket but nfcd.socket"
                )
            } else {
                main = socket
            }
        }
        guard let main else {
            let names = further.map(\.name).joined(separator: ", ")
            throw InheritedSocket.Failure("there are only further sockets (\(names)); start nfcd.socket, too")
        }
        (self.main, self.further) = (main, further)
    }

    /// What systemd and systemd-socket-activate(1) name a descriptor without FileDescriptorName=.
    private static func isUnitName(_ name: String) -> Bool {
        name.isEmpty || name == "unknown" || name.hasSuffix(".socket")
    }

    private static func check(_ name: String, _ others: [FurtherSocket]) throws(InheritedSocket.Failure) {
        guard FurtherSocket.isName(name) else {
            throw InheritedSocket.Failure("one is named \"\(name)\"; \(FurtherSocket.rule)")
        }
        guard !others.contains(where: { $0.name == name }) else {
            throw InheritedSocket.Failure("two are named \"\(name)\"; give each its own FileDescriptorName=")
        }
    }
}

/// A listening socket that a service manager opened for nfcd, and that stays open when nfcd ends (sd_listen_fds(3)).
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
    private static let most = 64

    /// How many there are, from `InheritedSocket.firstDescriptor` on.
    let count: Int
    /// Their names, if they have any.
    let names: [String]

    /// Nil where none was passed to the process with this number.
    init?(_ environment: [String: String], processID: Int32) throws(InheritedSocket.Failure) {
        guard let count = environment["LISTEN_FDS"], let meant = environment["LISTEN_PID"] else { return nil }
        guard Int32(meant) == processID else { return nil }
        guard let count = Int(count), (0...Self.most).contains(count) else {
            throw InheritedSocket.Failure("LISTEN_FDS is \"\(count)\", not a number of sockets up to \(Self.most)")
        }
        guard count > 0 else { return nil }
        self.count = count
        names =
            environment["LISTEN_FDNAMES"].map {
                $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            } ?? []
    }
}
