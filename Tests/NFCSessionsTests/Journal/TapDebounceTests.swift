import NFCReaders
import NFCTags
import TestSupport
import Testing

@testable import NFCSessions

@Suite struct `A tap is one tap` {
    /// What happens on a reader: a contact of a tag, by its UID, and what the debounce says of it.
    enum Step: Sendable {
        /// It arrives at this time in milliseconds.
        case at(Int, String, isFailed: Bool = false, isNew: Bool)
        /// It leaves.
        case away(Int)
        /// It is read once more, as after a restart of polling.
        case again(String, isFailed: Bool = false, isNew: Bool)
    }

    /// Plays the steps on one reader, with a rest time of 300 ms.
    private func play(_ steps: [Step]) -> [String] {
        var debounce = TapDebounce()
        var arrival = Fixtures.arrival(Fixtures.desk, 0)
        var surprises: [String] = []
        func read(_ identifier: String, _ isFailed: Bool, _ isNew: Bool, _ step: Int) {
            let identifier = hex(identifier)
            let result = debounce.isNew(arrival, identifier, isFailed: isFailed, rest: .milliseconds(300))
            if result { debounce.record(arrival, identifier, isFailed: isFailed) }
            if result != isNew { surprises.append("step \(step): \(result ? "new" : "not new")") }
        }
        for (number, step) in steps.enumerated() {
            switch step {
            case .at(let time, let identifier, let isFailed, let isNew):
                arrival = Fixtures.arrival(Fixtures.desk, arrival.number + 1)
                debounce.tagArrived(arrival, at: .milliseconds(time))
                read(identifier, isFailed, isNew, number)
            case .away(let time): debounce.tagLeft(Fixtures.desk.id, at: .milliseconds(time))
            case .again(let identifier, let isFailed, let isNew): read(identifier, isFailed, isNew, number)
            }
        }
        return surprises
    }

    private static let (one, other) = ("04A1B2C3D4E5F6", "04FFFFFFFFFFFF")

    @Test(arguments: [
        ("the first", [Step.at(0, one, isNew: true)]),
        ("the same after the rest time", [.at(0, one, isNew: true), .away(100), .at(400, one, isNew: true)]),
        ("the same within the rest time", [.at(0, one, isNew: true), .away(100), .at(399, one, isNew: false)]),
        ("another within the rest time", [.at(0, one, isNew: true), .away(100), .at(150, other, isNew: true)]),
        (
            "a contact that bounces for longer than the rest time",
            [
                .at(0, one, isNew: true), .away(100), .at(300, one, isNew: false), .away(350),
                .at(600, one, isNew: false), .away(700), .at(1_000, one, isNew: true),
            ]
        ),
        (
            "the same after another",
            [.at(0, one, isNew: true), .away(1), .at(2, other, isNew: true), .away(3), .at(4, one, isNew: true)]
        ),
        (
            "one that lies on the reader",
            [.at(0, one, isNew: true), .again(one, isNew: false), .again(one, isNew: false)]
        ),
        ("a success after a failure", [.at(0, one, isFailed: true, isNew: true), .away(1), .at(2, one, isNew: true)]),
        (
            "a failure after a success",
            [
                .at(0, one, isNew: true), .away(1), .at(2, one, isFailed: true, isNew: false), .away(3),
                .at(4, one, isNew: false),
            ]
        ),
        (
            "a success of the same contact after a failure",
            [.at(0, one, isFailed: true, isNew: true), .again(one, isNew: true)]
        ),
        (
            "a contact too short to be identified",
            [
                .at(0, one, isNew: true), .away(1), .at(2, "", isFailed: true, isNew: false), .away(3),
                .at(4, one, isNew: false),
            ]
        ),
        (
            "one that cannot be identified, after the rest time",
            [.at(0, one, isNew: true), .away(1), .at(400, "", isFailed: true, isNew: true)]
        ),
        ("two without a UID", [.at(0, "", isNew: true), .away(1), .at(2, "", isNew: true)]),
        ("a random UID", [.at(0, "08112233", isNew: true), .away(1), .at(2, "08112233", isNew: true)]),
        (
            "7 bytes that begin like a random one",
            [.at(0, "08112233445566", isNew: true), .away(1), .at(2, "08112233445566", isNew: false)]
        ),
        ("a random UID that lies on the reader", [.at(0, "08112233", isNew: true), .again("08112233", isNew: false)]),
    ])
    func `by its UID and the time it was away`(what: String, steps: [Step]) {
        #expect(play(steps) == [], "\(what)")
    }

    @Test func `a tag that was read by a session in between is a new tap`() {
        var debounce = TapDebounce()
        let arrivals = (1...3).map { Fixtures.arrival(Fixtures.desk, $0) }
        debounce.tagArrived(arrivals[0], at: .zero)
        debounce.record(arrivals[0], [4], isFailed: false)
        debounce.tagLeft(Fixtures.desk.id, at: .milliseconds(1))
        // The session's tap is not recorded.
        debounce.tagArrived(arrivals[1], at: .milliseconds(2))
        debounce.tagLeft(Fixtures.desk.id, at: .milliseconds(3))
        debounce.tagArrived(arrivals[2], at: .milliseconds(4))
        let isNew = debounce.isNew(arrivals[2], [4], isFailed: false, rest: .seconds(1))
        #expect(isNew)
    }

    @Test func `another reader, and a reader that was unplugged, do not know it`() {
        var debounce = TapDebounce()
        let (desk, door) = (Fixtures.arrival(Fixtures.desk, 1), Fixtures.arrival(Fixtures.door, 1))
        debounce.tagArrived(desk, at: .zero)
        debounce.record(desk, [4], isFailed: false)
        debounce.tagLeft(Fixtures.desk.id, at: .zero)
        debounce.tagArrived(door, at: .zero)
        let isNewThere = debounce.isNew(door, [4], isFailed: false, rest: .seconds(1))
        #expect(isNewThere)
        debounce.forget(Fixtures.desk.id)
        let again = Fixtures.arrival(Fixtures.desk, 2)
        debounce.tagArrived(again, at: .zero)
        let isNewLater = debounce.isNew(again, [4], isFailed: false, rest: .seconds(1))
        #expect(isNewLater)
    }

    @Test func `a reader may have its own rest time`() {
        var times = RestTimes(general: .milliseconds(10))
        times.set(.seconds(2), forReadersMatching: "DOOR")
        times.set(.seconds(3), forReadersMatching: "reader")
        #expect(times.time(for: Fixtures.door) == .seconds(2))
        #expect(times.time(for: Fixtures.desk) == .seconds(3))
        #expect(times.time(for: ReaderDescription(id: ReaderID(rawValue: "x"), name: "x")) == .milliseconds(10))
    }
}
