/// What LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES say about descriptors that a service manager passed (sd_listen_fds(3)).
struct PassedDescriptors: Equatable {
    static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// How many there are, from `InheritedSocket.firstDescriptor` on.
    let count: Int
    /// Their names, as far as they have some.
    let names: [String]

    /// Nil: none is meant for the process of this number.
    init?(_ environment: [String: String], processID: Int32) throws(InheritedSocket.Failure) {
        guard let count = environment["LISTEN_FDS"], let meant = environment["LISTEN_PID"] else { return nil }
        guard Int32(meant) == processID else { return nil }
        guard let count = Int(count), count >= 0 else {
            throw InheritedSocket.Failure("LISTEN_FDS is \"\(count)\"; it should be a number of sockets")
        }
        guard count > 0 else { return nil }
        self.count = count
        names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":").map(String.init)
    }
}
