import Glibc
import NFCSessions
import Testing

@testable import NFCServer

@Suite struct `The credentials of a peer` {
    @Test func `are those of the process at the other end, with all its groups`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let peer = try PeerCredentials(socket: ends[0])
        #expect(peer.processID == getpid())
        #expect(peer.userID == geteuid())
        #expect(peer.groupIDs == Self.ownGroups)
        #expect(peer.principal == Principal(userID: geteuid(), groupIDs: Self.ownGroups))
        #expect("\(peer)" == "uid \(geteuid()), pid \(getpid())")
    }

    @Test(arguments: [-1, STDIN_FILENO]) func `are refused for what is no Unix socket`(descriptor: Int32) {
        #expect(throws: PeerCredentials.Failure.self) { try PeerCredentials(socket: descriptor) }
    }

    private static var ownGroups: Set<UInt32> {
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(groups.count), &groups)
        return Set(groups.prefix(Int(count))).union([getegid()])
    }
}
