import NFCTypes
import Synchronization
import Testing

@testable import NFCServer
@testable import NFCSocketServer

@Suite struct BudgetTests {
    private let budget = Budget(Budget.Limits(share: 10, perUser: 100, total: 160))
    private let ann = Budget.Payer(account: 1000, isPrivileged: false)
    private let ben = Budget.Payer(account: 1001, isPrivileged: false)
    private let root = Budget.Payer(account: 0, isPrivileged: true)

    @Test func `a connection has its share even when its user has borrowed everything`() {
        let (greedy, modest) = (budget.open(for: ann), budget.open(for: ann))
        greedy.add(110)
        #expect(!greedy.hasRoom && modest.hasRoom)
        modest.add(9)
        #expect(modest.hasRoom)
        modest.add(1)
        #expect(!modest.hasRoom)
        greedy.remove(1)
        #expect(modest.hasRoom && greedy.hasRoom)
    }

    @Test
    func `a user cannot borrow more than the pool of the user, and all users no more than the pool of the daemon`() {
        let accounts = [ann, ben, root].map { budget.open(for: $0) }
        accounts[0].add(110)
        #expect(!accounts[0].hasRoom)
        accounts[1].add(49)
        #expect(accounts[1].hasRoom)
        // 140 of 160 are borrowed: the rest is for privileged users.
        accounts[1].add(1)
        #expect(!accounts[1].hasRoom)
        accounts[2].add(29)
        #expect(accounts[2].hasRoom)
        accounts[2].add(1)
        #expect(!accounts[2].hasRoom)
    }

    @Test func `a waiter is called once when there is room`() {
        let (one, other) = (budget.open(for: ann), budget.open(for: ann))
        let calls = Mutex(0)
        one.add(110)
        other.add(10)
        #expect(other.waits { calls.withLock { $0 += 1 } })
        #expect(calls.withLock { $0 } == 0)
        one.remove(50)
        one.remove(50)
        #expect(calls.withLock { $0 } == 1)
        #expect(!other.waits {})
    }

    @Test func `a waiter is called when its own connection frees its share`() {
        let (greedy, other) = (budget.open(for: ann), budget.open(for: ann))
        let calls = Mutex(0)
        greedy.add(110)
        other.add(10)
        #expect(other.waits { calls.withLock { $0 += 1 } })
        other.remove(1)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func `the largest account of an overdrawn pool is closed`() {
        let closed = Mutex<[String]>([])
        let open = { (name: String, payer: Budget.Payer) in
            budget.open(for: payer) { closed.withLock { $0.append(name) } }
        }
        let accounts = [open("large", ann), open("small", ann), open("other", ben)]
        accounts[0].add(80)
        accounts[2].add(40)
        #expect(closed.withLock { $0 } == [])
        accounts[1].add(41)
        #expect(closed.withLock { $0 } == ["large"])
        #expect(budget.borrowed == 61)
        // What the closed account frees later has no effect.
        accounts[0].remove(80)
        #expect(budget.borrowed == 61 && accounts[1].hasRoom)
    }

    @Test func `the user who has borrowed most pays when the pool of the daemon is overdrawn`() {
        let closed = Mutex<[String]>([])
        let open = { (name: String, payer: Budget.Payer) in
            budget.open(for: payer) { closed.withLock { $0.append(name) } }
        }
        let accounts = [open("a1", ann), open("a2", ann), open("b", ben)]
        accounts[0].add(50)
        accounts[1].add(60)
        accounts[2].add(65)
        #expect(closed.withLock { $0 } == ["a2"])
    }

    @Test func `an account frees its bytes at its end, and a hold those it has`() {
        do {
            let account = budget.open(for: ann)
            account.add(60)
            do {
                let hold = account.hold(20)
                #expect(account.held == 80)
                withExtendedLifetime(hold) {}
            }
            #expect(account.held == 60 && budget.borrowed == 50)
        }
        #expect(budget.borrowed == 0)
    }
}
