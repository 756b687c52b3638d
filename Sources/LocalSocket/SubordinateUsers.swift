import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The users that belong to another user: the ranges of subordinate ids for containers (subuid(5)). Limits count them as that user, who
/// could otherwise have 65,536 times as much.
package struct SubordinateUsers: Sendable, Hashable {
    /// A line of the file.
    private struct Range: Sendable, Hashable {
        let owner: UInt32
        let users: ClosedRange<UInt32>
    }

    private let ranges: [Range]

    /// Reads the lines of the file: a name or a number, the first user, and how many there are. Invalid lines are ignored.
    ///
    /// - Parameter userID: the number of a user's name.
    package init(_ text: String, userID: (String) -> UInt32?) {
        ranges = text.split(whereSeparator: \.isNewline).compactMap { line in
            let parts = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let start = UInt32(parts[1]), let count = UInt32(parts[2]), count > 0,
                case (let end, false) = start.addingReportingOverflow(count - 1),
                let owner = UInt32(parts[0]) ?? userID(parts[0])
            else { return nil }
            return Range(owner: owner, users: start...end)
        }
    }

    /// The user that limits count a user for. The containers of root count as the first user of their range, so that they do not
    /// use what root has.
    ///
    /// - Parameter isPrivileged: whether a user is root or the one that the daemon runs as.
    package func account(of user: UInt32, isPrivileged: (UInt32) -> Bool) -> UInt32 {
        guard !isPrivileged(user), let range = ranges.first(where: { $0.users.contains(user) }) else { return user }
        return isPrivileged(range.owner) ? range.users.lowerBound : range.owner
    }
}

extension SubordinateUsers {
    private static let path = "/etc/subuid"
    private static let cache = Mutex<(stamp: [UInt8], users: SubordinateUsers)?>(nil)

    /// Those of the system, read again when the file has changed.
    static var ofSystem: SubordinateUsers {
        var status = stat()
        guard stat(path, &status) == 0 else { return SubordinateUsers("", userID: { _ in nil }) }
        let stamp = withUnsafeBytes(of: status.st_mtim) { Array($0) } + [UInt8(truncatingIfNeeded: status.st_size)]
        if let known = cache.withLock({ $0 }), known.stamp == stamp { return known.users }
        // Two threads may read it at once; a lock would let one wait for the name service of the other.
        let text = (try? String(contentsOf: URL(filePath: path), encoding: .utf8)) ?? ""
        let users = SubordinateUsers(text, userID: userID)
        cache.withLock { $0 = (stamp, users) }
        return users
    }

    /// The number of a user's name (getpwnam_r(3)).
    private static func userID(_ name: String) -> UInt32? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return entry.pw_uid
    }
}
