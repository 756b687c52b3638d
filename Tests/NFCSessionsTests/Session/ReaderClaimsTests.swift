import NFCReaders
import TestSupport
import Testing

@testable import NFCSessions

@Suite struct `Claims to readers` {
    typealias Claim = ReaderClaims.Claim

    static let desk = Claim.some([Fixtures.desk.id])
    static let door = Claim.some([Fixtures.door.id])
    static let both = Claim.some([Fixtures.desk.id, Fixtures.door.id])
    static let nothing = Claim.some([])
    static let (one, two, three) = (session("one"), session("two"), session("three"))

    static func session(_ name: String) -> SessionID { SessionID(rawValue: name) }

    static let contents: [(Claim, desk: Bool, door: Bool)] = [
        (.all, true, true), (desk, true, false), (both, true, true), (nothing, false, false),
    ]

    @Test(arguments: contents) func `contain their readers`(claim: Claim, desk: Bool, door: Bool) {
        #expect(claim.contains(Fixtures.desk.id) == desk)
        #expect(claim.contains(Fixtures.door.id) == door)
    }

    @Test func `are held by one session, side by side where they are disjoint`() {
        var claims = ReaderClaims()
        claims.hold(Self.one, Self.desk)
        claims.hold(Self.two, Self.door)
        #expect(claims.holder(of: Fixtures.desk.id) == Self.one)
        #expect(claims.holder(of: Fixtures.door.id) == Self.two)
        #expect(claims.claim(of: Self.one) == Self.desk)
        #expect(claims.claim(of: Self.three) == nil)
        #expect(claims.holder(of: Fixtures.reader("gate").id) == nil)
    }

    @Test func `delay those that overlap, never of the session itself`() {
        var claims = ReaderClaims()
        claims.hold(Self.one, Self.desk)
        #expect(claims.obstacle(to: Self.two, wanting: .all) == Self.one)
        #expect(claims.obstacle(to: Self.two, wanting: Self.desk) == Self.one)
        #expect(claims.obstacle(to: Self.two, wanting: Self.door) == nil)
        #expect(claims.obstacle(to: Self.one, wanting: .all) == nil)
    }

    @Test func `are waited for in the order of coming, and a place is kept`() {
        var claims = ReaderClaims()
        claims.hold(Self.one, Self.desk)
        claims.wait(Self.two, .all)
        claims.wait(Self.three, Self.door)
        claims.wait(Self.two, .all)
        #expect(claims.waiting == [Self.two, Self.three])
        #expect(claims.obstacle(to: Self.three, wanting: Self.door) == Self.two)
        #expect(claims.obstacle(to: Self.two, wanting: .all) == Self.one)
        #expect(claims.claim(of: Self.two) == nil)
    }

    @Test func `of one that waits do not delay one that has waited longer`() {
        var claims = ReaderClaims()
        claims.wait(Self.one, Self.desk)
        claims.wait(Self.two, Self.desk)
        #expect(claims.obstacle(to: Self.one, wanting: Self.desk) == nil)
        #expect(claims.obstacle(to: Self.two, wanting: Self.desk) == Self.one)
        #expect(claims.obstacle(to: Self.three, wanting: Self.desk) == Self.one)
    }

    @Test func `of one that waits follow the readers that come`() {
        var claims = ReaderClaims()
        claims.wait(Self.one, Self.nothing)
        claims.wait(Self.one, Self.desk)
        #expect(claims.waiting == [Self.one])
        #expect(claims.obstacle(to: Self.two, wanting: Self.desk) == Self.one)
    }

    @Test func `that are held are no longer waited for`() {
        var claims = ReaderClaims()
        claims.wait(Self.one, Self.desk)
        claims.hold(Self.one, Self.desk)
        #expect(claims.waiting.isEmpty)
        #expect(claims.holder(of: Fixtures.desk.id) == Self.one)
    }

    @Test func `are released from holding and from waiting`() {
        var claims = ReaderClaims()
        claims.hold(Self.one, .all)
        claims.wait(Self.two, .all)
        claims.wait(Self.three, .all)
        claims.release(Self.two)
        #expect(claims.waiting == [Self.three])
        claims.release(Self.one)
        #expect(claims.holder(of: Fixtures.desk.id) == nil)
        #expect(claims.obstacle(to: Self.three, wanting: .all) == nil)
        claims.release(Self.three)
        #expect(claims.waiting.isEmpty && claims.holding.isEmpty)
    }

    @Test func `that could not be used now keep the place and delay no other`() {
        var claims = ReaderClaims()
        claims.wait(Self.one, nil)
        claims.wait(Self.two, Self.desk)
        #expect(claims.obstacle(to: Self.two, wanting: Self.desk) == nil)
        claims.wait(Self.one, Self.desk)
        #expect(claims.waiting == [Self.one, Self.two])
        #expect(claims.obstacle(to: Self.two, wanting: Self.desk) == Self.one)
    }

    @Test func `that are released name the sessions whose turn it is, each once, in their order`() {
        var claims = ReaderClaims()
        claims.hold(Self.one, .all)
        claims.wait(Self.three, Self.both)
        claims.wait(Self.two, Self.door)
        #expect(claims.takeCandidates() == [])
        claims.release(Self.one)
        #expect(claims.takeCandidates() == [Self.three])
        claims.release(Self.three)
        #expect(claims.takeCandidates() == [Self.two])
        #expect(claims.takeCandidates() == [])
    }
}

/// The index of claims against a list that is searched from the front.
@Suite struct `Claims to readers, indexed` {
    typealias Claim = ReaderClaims.Claim

    /// What can happen to claims.
    enum Step: CustomStringConvertible {
        case wait(SessionID, Claim?)
        /// Without effect where another session is in the way.
        case hold(SessionID, Claim)
        case release(SessionID)

        var description: String {
            switch self {
            case .wait(let session, let claim): "\(session) waits for \(claim.map { "\($0)" } ?? "nothing")"
            case .hold(let session, let claim): "\(session) holds \(claim)"
            case .release(let session): "\(session) is over"
            }
        }
    }

    /// The claims and their model, with what differs between them.
    struct Pair {
        var claims = ReaderClaims()
        var model = ListedClaims()

        mutating func take(_ step: Step, among sessions: [SessionID], _ wanted: [Claim]) -> String? {
            let free = Set(model.free)
            switch step {
            case .wait(let session, let claim):
                guard model.claim(of: session) == nil else { return nil }
                claims.wait(session, claim)
                model.wait(session, claim)
            case .hold(let session, let claim):
                guard model.obstacle(to: session, wanting: claim) == nil else { return nil }
                claims.hold(session, claim)
                model.hold(session, claim)
            case .release(let session):
                claims.release(session)
                model.release(session)
            }
            let candidates = claims.takeCandidates()
            let due = model.free.filter { !free.contains($0) }
            // A session that starts to wait is tried by its caller.
            if case .release = step, !Set(due).isSubset(of: candidates) { return "\(due) are due, not \(candidates)" }
            if !Set(candidates).isSubset(of: model.free) { return "\(candidates) are not candidates" }
            return difference(among: sessions, wanted)
        }

        private func difference(among sessions: [SessionID], _ wanted: [Claim]) -> String? {
            if claims.waiting != model.waiting { return "\(claims.waiting) wait, not \(model.waiting)" }
            if claims.holding != model.holding { return "\(claims.holding) hold, not \(model.holding)" }
            for session in sessions where claims.claim(of: session) != model.claim(of: session) {
                return "the claim of \(session)"
            }
            for reader in ListedClaims.readers where claims.holder(of: reader) != model.holder(of: reader) {
                return "the holder of \(reader)"
            }
            for reader in ListedClaims.readers where claims.queueLength(of: reader) != model.queueLength(of: reader) {
                return "the queue of \(reader)"
            }
            for session in sessions {
                for claim in wanted
                where claims.obstacle(to: session, wanting: claim) != model.obstacle(to: session, wanting: claim) {
                    return "the obstacle to \(session) wanting \(claim)"
                }
            }
            return nil
        }
    }

    static let sessions = (1...3).map { SessionID(rawValue: "session-\($0)") }
    static let claims: [Claim] =
        [.all] + [[0], [1], [0, 1]].map { .some(Set($0.map { ListedClaims.readers[$0] })) }

    static func steps(_ session: SessionID, _ claims: [Claim]) -> [Step] {
        [.wait(session, nil), .release(session)] + claims.flatMap { [.wait(session, $0), .hold(session, $0)] }
    }

    @Test func `answer as a list would, for every sequence of three steps`() {
        var pairs = [(Pair(), "")]
        for number in 1...3 {
            // The sessions are alike, so it does not matter which of them is the first.
            let steps = Self.sessions.prefix(number).flatMap { Self.steps($0, Self.claims) }
            pairs = pairs.flatMap { pair, story in
                steps.compactMap { step in
                    var next = pair
                    let difference = next.take(step, among: Self.sessions, Self.claims)
                    let story = "\(story), \(step)"
                    if let difference { Issue.record("\(difference) after\(story)") }
                    return difference == nil ? (next, story) : nil
                }
            }
        }
        #expect(pairs.count == 10 * 20 * 30)
    }

    @Test(arguments: 1...20) func `answer as a list would, in any order of 400 steps`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let sessions = (1...12).map { SessionID(rawValue: "session-\($0)") }
        let readers = ListedClaims.readers
        var pair = Pair()
        for _ in 0..<400 {
            let mask = random.next() % 20
            let some = readers.indices.filter { mask >> $0 & 1 == 1 }.map { readers[$0] }
            let claim = some.isEmpty || mask > 15 ? Claim.all : .some(Set(some))
            let step = Self.steps(sessions[Int(random.next() % 12)], [claim]).randomElement(using: &random)
            guard let step else { continue }
            if let difference = pair.take(step, among: sessions, [claim, .all]) {
                Issue.record("\(difference) after \(step), seed \(seed)")
                return
            }
        }
    }
}

/// Claims as a list that is searched from the front: what `ReaderClaims` indexes.
struct ListedClaims {
    typealias Claim = ReaderClaims.Claim

    static let readers = ["desk", "door", "gate", "roof"].map { ReaderID(rawValue: $0) }

    private var held: [(session: SessionID, claim: Claim)] = []
    private var queue: [(session: SessionID, claim: Claim?)] = []

    var waiting: [SessionID] { queue.map(\.session) }
    var holding: [SessionID] { held.map(\.session) }
    /// Those that wait, and no session is in their way.
    var free: [SessionID] {
        queue.compactMap { entry in
            entry.claim.flatMap { obstacle(to: entry.session, wanting: $0) == nil ? entry.session : nil }
        }
    }

    func holder(of reader: ReaderID) -> SessionID? { held.first { $0.claim.contains(reader) }?.session }

    func claim(of session: SessionID) -> Claim? { held.first { $0.session == session }?.claim }

    func queueLength(of reader: ReaderID) -> Int { queue.count { $0.claim?.contains(reader) ?? false } }

    func obstacle(to session: SessionID, wanting claim: Claim) -> SessionID? {
        let ahead = queue.prefix { $0.session != session }.compactMap { entry in entry.claim.map { (entry.session, $0) }
        }
        let all = held.map { ($0.session, $0.claim) } + ahead
        return all.first { $0.0 != session && Self.overlap($0.1, claim) }?.0
    }

    mutating func hold(_ session: SessionID, _ claim: Claim) {
        release(session)
        held.append((session, claim))
    }

    mutating func wait(_ session: SessionID, _ claim: Claim?) {
        if let place = queue.firstIndex(where: { $0.session == session }) {
            queue[place].claim = claim
        } else {
            queue.append((session, claim))
        }
    }

    mutating func release(_ session: SessionID) {
        held.removeAll { $0.session == session }
        queue.removeAll { $0.session == session }
    }

    private static func overlap(_ one: Claim, _ other: Claim) -> Bool {
        guard case .some(let mine) = one, case .some(let theirs) = other else { return true }
        return !mine.isDisjoint(with: theirs)
    }
}
