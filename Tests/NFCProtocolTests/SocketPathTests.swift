import NFCProtocol
import Testing

@Suite struct SocketPathTests {
    @Test(
        arguments: [
            ([:], nil),
            (["XDG_RUNTIME_DIR": ""], nil),
            (["XDG_RUNTIME_DIR": "/run/user/7"], "/run/user/7/nfcd/nfcd.sock"),
        ] as [([String: String], String?)])
    func `the socket of a user is in the runtime directory`(environment: [String: String], path: String?) {
        #expect(SocketPath.user(environment) == path)
    }

    @Test(
        arguments: [
            (nil, [:], false, "/run/nfcd/nfcd.sock"),
            (nil, ["XDG_RUNTIME_DIR": "/run/user/7"], false, "/run/nfcd/nfcd.sock"),
            (nil, ["XDG_RUNTIME_DIR": "/run/user/7"], true, "/run/user/7/nfcd/nfcd.sock"),
            (nil, ["XDG_RUNTIME_DIR": ""], true, "/run/nfcd/nfcd.sock"),
            (nil, ["NFCD_SOCKET": "/e.sock", "XDG_RUNTIME_DIR": "/run/user/7"], true, "/e.sock"),
            (nil, ["NFCD_SOCKET": "", "XDG_RUNTIME_DIR": "/run/user/7"], true, "/run/user/7/nfcd/nfcd.sock"),
            ("/o.sock", ["NFCD_SOCKET": "/e.sock"], true, "/o.sock"),
            ("relative.sock", [:], true, "relative.sock"),
            ("", ["NFCD_SOCKET": "/e.sock"], true, "/e.sock"),
        ] as [(String?, [String: String], Bool, String)])
    func `a client uses the given path, then the user's socket, then the system's`(
        option: String?, environment: [String: String], userHasOne: Bool, path: String
    ) {
        let found = SocketPath.client(option: option, environment: environment) {
            $0 == SocketPath.user(environment) && userHasOne
        }
        #expect(found == path)
    }

    @Test(
        arguments: [
            (nil, nil, [:], true, "/run/nfcd/nfcd.sock"),
            (nil, nil, [:], false, "/run/nfcd/nfcd.sock"),
            (nil, nil, ["XDG_RUNTIME_DIR": "/run/user/7"], true, "/run/nfcd/nfcd.sock"),
            (nil, nil, ["XDG_RUNTIME_DIR": "/run/user/7"], false, "/run/user/7/nfcd/nfcd.sock"),
            (nil, nil, ["NFCD_SOCKET": "/e.sock"], true, "/e.sock"),
            (nil, nil, ["NFCD_SOCKET": ""], true, "/run/nfcd/nfcd.sock"),
            (nil, "/c.sock", ["XDG_RUNTIME_DIR": "/run/user/7"], false, "/c.sock"),
            (nil, "/c.sock", ["NFCD_SOCKET": "/e.sock"], false, "/e.sock"),
            (nil, "/c.sock", ["NFCD_SOCKET": ""], false, "/c.sock"),
            ("", "/c.sock", [:], false, "/c.sock"),
            ("/o.sock", "/c.sock", ["NFCD_SOCKET": "/e.sock"], false, "/o.sock"),
        ] as [(String?, String?, [String: String], Bool, String)])
    func `a daemon uses the given path, otherwise root the system's socket and other users their own`(
        option: String?, configured: String?, environment: [String: String], isRoot: Bool, path: String
    ) {
        let found = SocketPath.daemon(
            option: option, configured: configured, environment: environment, isRoot: isRoot)
        #expect(found == path)
    }
}
