import NFCProtocol

/// Where nfcd listens.
struct ListeningPlace: Equatable {
    let path: String
    /// The descriptor that listens there already.
    let inherited: CInt?

    /// Why it cannot be settled.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// A socket that was passed goes before everything but `--socket`, with which it has to agree; then come `--socket`,
    /// `NFCD_SOCKET`, the configuration, and the place of the instance.
    init(
        passed: InheritedSocket?, option: String?, configured: String?, _ instance: Instance,
        _ environment: [String: String]
    ) throws(Failure) {
        if let passed {
            guard option == nil || option == passed.path else {
                throw Failure(
                    description: "--socket says \(option ?? ""), but the service manager passed a socket on "
                        + "\(passed.path); leave out --socket, or change ListenStream= in nfcd.socket")
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
                    "a user's nfcd listens in $XDG_RUNTIME_DIR, which is not set; log in by a session of one's "
                    + "own, or use --socket")
        }
    }
}
