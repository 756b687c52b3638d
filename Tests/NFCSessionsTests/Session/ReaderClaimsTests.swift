import NFCReaders
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

    static let overlaps: [(Claim, Claim, Bool)] = [
        (.all, .all, true), (.all, desk, true), (.all, nothing, true), (desk, desk, true), (desk, door, false),
        (desk, both, true), (both, both, true), (nothing, nothing, false), (nothing, desk, false),
    ]

    @Test(arguments: overlaps) func `overlap where they meet on a reader`(one: Claim, other: Claim, meet: Bool) {
        #expect(one.overlaps(other) == meet)
        #expect(other.overlaps(one) == meet)
    }

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

    @Test func `stand in the way of those that overlap, never of the session itself`() {
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

    @Test func `of one that waits do not stand in the way of one that has waited longer`() {
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
        #expect(claims == ReaderClaims())
    }
}
