import NFCServer
import NFCTypes
import NIOCore
import Synchronization

/// The memory that clients may use in one direction: for what they send, or for what they are sent.
///
/// Every connection has its own share, so that other clients of the same user cannot starve it. Beyond its share it borrows
/// from the pool of its user, which is part of the pool of the daemon.
final class Budget: Sendable {
    /// The sizes of the pools, in bytes.
    struct Limits: Sendable, Hashable {
        /// What each connection may use without borrowing.
        var share: Int
        /// What the connections of one user may borrow together.
        var perUser: Int
        /// What all connections may borrow together.
        var total: Int
        /// The part of `total` that only privileged users may borrow.
        var reserve: Int { total / 8 }
    }

    /// The user who pays for a connection.
    struct Payer: Sendable, Hashable {
        var account: ClientAccount
        /// Root, or the user that the daemon runs as.
        var isPrivileged: Bool
    }

    fileprivate struct Account {
        let payer: Payer
        /// Called at most once, when the account has the most of an overdrawn pool; nil: the account is never closed for that.
        let onOverflow: (@Sendable () -> Void)?
        var held = 0
        /// Called once there is room again.
        var waiter: (@Sendable () -> Void)?
    }

    fileprivate struct State {
        var accounts: [UInt64: Account] = [:]
        var opened: UInt64 = 0
        /// The borrowed bytes of each user.
        var borrowed: [ClientAccount: Int] = [:]
        var total = 0
        /// The accounts that wait for a pool, in their order.
        var waiting: [UInt64] = []
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// What each connection may use without borrowing.
    var share: Int { limits.share }

    /// The bytes that are borrowed by all connections together.
    var borrowed: Int { state.withLock(\.total) }

    /// Opens the account of a connection.
    ///
    /// - Parameter onOverflow: called when a pool is overdrawn and this account has the most of it; then the account is closed.
    ///   Without it a pool may be overdrawn: the owner of the account stops adding bytes when there is no room.
    func open(for payer: Payer, onOverflow: (@Sendable () -> Void)? = nil) -> BudgetAccount {
        let number = state.withLock { state in
            state.opened += 1
            state.accounts[state.opened] = Account(payer: payer, onOverflow: onOverflow)
            return state.opened
        }
        return BudgetAccount(self, number)
    }

    fileprivate func close(_ number: UInt64) {
        // Its functions are released without the lock.
        let account = state.withLock { $0.accounts[number] }
        defer { withExtendedLifetime(account) {} }
        change(number) { state in
            defer { state.accounts[number] = nil }
            return state.charge(number, -(state.accounts[number]?.held ?? 0), share: limits.share)
        }
    }

    fileprivate func held(_ number: UInt64) -> Int {
        state.withLock { $0.accounts[number]?.held ?? 0 }
    }

    fileprivate func hasRoom(_ number: UInt64) -> Bool {
        state.withLock { room(for: number, $0) > 0 }
    }

    fileprivate func waits(_ number: UInt64, _ waiter: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard room(for: number, state) <= 0 else { return false }
            if state.accounts[number]?.waiter == nil { state.waiting.append(number) }
            state.accounts[number]?.waiter = waiter
            return true
        }
    }

    /// Adds bytes in any case. The largest account of a pool that is overdrawn by this is closed.
    fileprivate func add(_ bytes: Int, to number: UInt64) {
        let overflow = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.charge(number, bytes, share: limits.share) else { return nil }
            return overdrawn(number, &state)
        }
        overflow?()
    }

    fileprivate func remove(_ bytes: Int, from number: UInt64) {
        change(number) { $0.charge(number, -bytes, share: limits.share) }
    }

    /// Frees bytes, and calls those who wait for them. `body` returns whether less is borrowed now.
    private func change(_ number: UInt64, _ body: (inout State) -> Bool) {
        let waiters = state.withLock { state in
            let isWaiting = state.accounts[number]?.waiter != nil
            return body(&state) || isWaiting ? takeWaiters(&state) : []
        }
        for waiter in waiters { waiter() }
    }

    /// The bytes that an account may still add.
    private func room(for number: UInt64, _ state: borrowing State) -> Int {
        guard let account = state.accounts[number] else { return .max }
        guard account.held >= limits.share else { return limits.share - account.held }
        let user = limits.perUser - (state.borrowed[account.payer.account] ?? 0)
        let total = limits.total - (account.payer.isPrivileged ? 0 : limits.reserve) - state.total
        return min(user, total)
    }

    /// Takes the waiters for which there is room, as many as its bytes are likely to serve.
    private func takeWaiters(_ state: inout State) -> [@Sendable () -> Void] {
        var taken: [@Sendable () -> Void] = []
        var given: [ClientAccount: Int] = [:]
        let waiting = state.waiting
        state.waiting = waiting.filter { number in
            guard let account = state.accounts[number], let waiter = account.waiter else { return false }
            let room = room(for: number, state)
            guard room > given[account.payer.account, default: 0] else { return true }
            given[account.payer.account, default: 0] += limits.share
            state.accounts[number]?.waiter = nil
            taken.append(waiter)
            return false
        }
        return taken
    }

    /// Closes the largest account of a pool that is overdrawn: that of the account's user, or else that of the user who has
    /// borrowed most.
    private func overdrawn(_ number: UInt64, _ state: inout State) -> (@Sendable () -> Void)? {
        guard room(for: number, state) < 0, let payer = state.accounts[number]?.payer else { return nil }
        let isOwn = (state.borrowed[payer.account] ?? 0) > limits.perUser
        let user = isOwn ? payer.account : state.borrowed.max { $0.value < $1.value }?.key
        let candidates = state.accounts.filter { $0.value.payer.account == user && $0.value.onOverflow != nil }
        guard let largest = candidates.max(by: { $0.value.held < $1.value.held }) else { return nil }
        _ = state.charge(largest.key, -largest.value.held, share: limits.share)
        state.accounts[largest.key] = nil
        return largest.value.onOverflow
    }
}

extension Budget.State {
    /// Adds bytes to an account. Returns whether the borrowed bytes have changed.
    fileprivate mutating func charge(_ number: UInt64, _ bytes: Int, share: Int) -> Bool {
        guard let user = accounts[number]?.payer.account, let held = accounts[number]?.held else { return false }
        accounts[number]?.held = held + bytes
        let change = max(0, held + bytes - share) - max(0, held - share)
        guard change != 0 else { return false }
        total += change
        borrowed[user, default: 0] += change
        if borrowed[user] == 0 { borrowed[user] = nil }
        return true
    }
}

/// The account of a connection in a ``Budget``.
final class BudgetAccount: Sendable {
    private let budget: Budget
    private let number: UInt64

    fileprivate init(_ budget: Budget, _ number: UInt64) {
        self.budget = budget
        self.number = number
    }

    deinit {
        budget.close(number)
    }

    /// The bytes that the connection uses.
    var held: Int { budget.held(number) }

    /// What the connection may use without borrowing.
    var share: Int { budget.share }

    /// Whether the connection may use more bytes.
    var hasRoom: Bool { budget.hasRoom(number) }

    /// Adds bytes that are in memory already.
    func add(_ bytes: Int) { budget.add(bytes, to: number) }

    /// Removes bytes that are no longer in memory.
    func remove(_ bytes: Int) { budget.remove(bytes, from: number) }

    /// Adds bytes that are used as long as the returned object exists.
    func hold(_ bytes: Int) -> BudgetHold { BudgetHold(self, bytes) }

    /// Calls a waiter once there is room. Returns false, and never calls it, if there is room now.
    func waits(_ waiter: @escaping @Sendable () -> Void) -> Bool { budget.waits(number, waiter) }
}

/// Bytes of an account that are used as long as this object exists.
final class BudgetHold: Sendable {
    private let account: BudgetAccount
    private let bytes: Int

    fileprivate init(_ account: BudgetAccount, _ bytes: Int) {
        self.account = account
        self.bytes = bytes
        account.add(bytes)
    }

    deinit {
        account.remove(bytes)
    }
}

/// The budgets for what clients send and are sent.
struct Budgets: Sendable {
    /// What each connection may use without borrowing.
    static let share = 16_384
    /// The number of queued bytes above which no further request of a client is started.
    static let mark = 262_144

    let incoming: Budget
    let outgoing: Budget
    /// The time for a line that is longer than the share of a connection.
    let patience: TimeAmount

    init(_ limits: ServerLimits) {
        let pools = Budget.Limits(share: Self.share, perUser: limits.bytesPerUser, total: limits.bytes)
        incoming = Budget(pools)
        outgoing = Budget(pools)
        patience = TimeAmount(limits.lineTime)
    }
}
