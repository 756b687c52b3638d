import LocalSocket
import NFCServer
import NFCSessions
import NFCTypes
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Limits the number of connections: of each user, and of all together, with a reserve for privileged users and one for services. The fewer
/// are left, the fewer one user may have: a user without a connection gets one, however many the users before it have taken.
final class Admissions: Sendable {
    /// Why a connection is refused.
    enum Refusal: Error, Hashable, CustomStringConvertible {
        case user(ClientAccount, limit: Int)
        case total(limit: Int)
        /// The rest is for users with fewer connections.
        case share(ClientAccount, count: Int)

        var description: String {
            switch self {
            case .user(let user, let limit):
                "\(user) has \(limit) connections, the limit for one user; close one, or raise server.connections-per-user"
            case .share(let user, let count):
                "nfcd has few connections left, and \(user) has \(count); close one, or raise server.connections"
            case .total(let limit):
                "nfcd has \(limit) connections, the limit for all users; try again later, or raise server.connections"
            }
        }
    }

    private struct State {
        var counts: [ClientAccount: Int] = [:]
        var total = 0
    }

    /// Descriptors that are needed for other purposes (readers, timers, logs), unless that is more than a quarter of all.
    private static let otherDescriptors = 128

    /// How many connections one user may have while more than a part of all is free, in 16ths; below the last part it is one. With 1024
    /// for all, over 200 users who take what they get leave one to the next user.
    private static let steps = [(free: 5, count: few), (free: 4, count: 4)]
    private static let half = 8
    /// What a service gets of its reserve.
    private static let few = 16

    private let perUser: Int
    private let total: Int
    private let services: Set<UInt32>
    private let state = Mutex(State())

    /// - Parameters:
    ///   - perUser: the limit for one user.
    ///   - total: the limit for all users; less if the process may not have so many descriptors. An eighth of it is for
    ///     privileged users, of which services may use a half.
    ///   - services: the users of nfcd's services.
    init(perUser: Int, total: Int, services: Set<UInt32> = []) {
        self.perUser = perUser
        self.services = services
        let descriptors = Self.descriptorLimit
        self.total = min(total, descriptors - min(Self.otherDescriptors, descriptors / 4))
    }

    /// Counts a connection as long as the returned object exists.
    func admit(_ credentials: PeerCredentials) throws(Refusal) -> Admission {
        let (user, isService) = (
            credentials.account, credentials.socket == nil && services.contains(credentials.userID)
        )
        let reserve = credentials.isPrivileged ? 0 : isService ? total / 16 : total / 8
        let refusal = state.withLock { state -> Refusal? in
            let count = state.counts[user, default: 0]
            guard count < perUser else { return .user(user, limit: perUser) }
            guard total - state.total > reserve else { return .total(limit: total - reserve) }
            let share = max(isService ? Self.few : 1, share(of: state.total))
            guard credentials.isPrivileged || count < share else { return .share(user, count: count) }
            state.counts[user, default: 0] += 1
            state.total += 1
            return nil
        }
        if let refusal { throw refusal }
        return Admission(self, user)
    }

    /// How many connections an ordinary user may have while so many are taken.
    private func share(of taken: Int) -> Int {
        let limit = total - total / 8
        func isFree(_ part: Int) -> Bool { (limit - taken) * 16 > limit * part }
        return isFree(Self.half) ? perUser : Self.steps.first { isFree($0.free) }?.count ?? 1
    }

    fileprivate func leave(_ user: ClientAccount) {
        state.withLock { state in
            state.total -= 1
            let count = state.counts[user, default: 1] - 1
            state.counts[user] = count > 0 ? count : nil
        }
    }

    private static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }
}

/// A connection that is counted as long as this object exists.
final class Admission: Sendable {
    private let admissions: Admissions
    private let user: ClientAccount

    fileprivate init(_ admissions: Admissions, _ user: ClientAccount) {
        self.admissions = admissions
        self.user = user
    }

    deinit {
        admissions.leave(user)
    }
}
