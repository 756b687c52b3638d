import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

/// Every sequence of events up to a length, whether it makes sense or not.
@Suite struct `Every sequence of events` {
    /// A machine and what it has reported so far; equal ones have the same future.
    private struct Node: Hashable {
        var machine: SessionMachine
        var ledger = MachineLedger()
    }

    static let depth = 7

    /// What can happen; readings for sessions that are given messages, findings for those that are given tags.
    static func alphabet(_ detection: SessionDetection, yields: Bool = false) -> [MachineEvent] {
        let tags = [
            Fixtures.arrival(Fixtures.desk, 1), Fixtures.arrival(Fixtures.desk, 2), Fixtures.arrival(Fixtures.door, 1),
        ]
        let standings: [SessionMachine.Standing] = [
            .clear, .busy(""), .noReader(""), .readersFailed(""), .serviceStarting(""), .serviceUnavailable(""),
        ]
        let endings = tags.flatMap { tag in [0, 1].flatMap { polling in Self.answers(detection, tag, polling) } }
        let commands = ["tag-1", "tag-2"].map { TagID(rawValue: $0) }
        return standings.map { .begin($0) } + [.waitedTooLong, .look([tags[0], tags[2]])] + tags.map { .arrive($0) }
            + endings + (detection == .tags ? commands.flatMap { [.connect($0), .command($0)] } : []) + [
                .leave(Fixtures.desk.id), .leave(Fixtures.door.id), .restart([]),
                .restart([tags[0], tags[2]], PollingChange(technologies: [.iso14443])), .invalidate(.userCanceled),
                .yield,
            ] + (yields ? [.setYielding(true), .setYielding(false)] : [])
    }

    /// What can come of looking at a tag.
    private static func answers(
        _ detection: SessionDetection, _ tag: TagArrival, _ polling: Int
    ) -> [MachineEvent] {
        switch detection {
        case .messages:
            [Fixtures.read, Fixtures.empty].map { .read(tag, polling: polling, $0) }
                + [.ignore(tag, polling: polling)]
        case .tags: [.find(tag, polling: polling), .ignore(tag, polling: polling), .fail(tag, polling: polling)]
        }
    }

    static let requests: [SessionRequest] = [
        SessionRequest(), SessionRequest(invalidateAfterFirstRead: true), SessionRequest(whenBusy: .queue),
        SessionRequest(waitForReader: true),
        SessionRequest(invalidateAfterFirstRead: true, whenBusy: .queue, waitForReader: true),
        SessionRequest(detection: .tags), SessionRequest(kind: .tag, yields: true),
        SessionRequest(kind: .tag, whenBusy: .queue, waitForReader: true),
    ]

    @Test(arguments: requests) func `keeps the rules of a session`(request: SessionRequest) {
        let alphabet = Self.alphabet(request.detection, yields: request.yields)
        var seen: Set<Node> = []
        var frontier: Set<Node> = [Node(machine: SessionMachine(request: request))]
        for _ in 0..<Self.depth {
            seen.formUnion(frontier)
            frontier = Set(frontier.flatMap { node in alphabet.map { step(node, $0) } }).subtracting(seen)
            if let faulty = frontier.first(where: { !$0.ledger.faults.isEmpty }) {
                Issue.record("\(faulty.ledger.faults)")
                return
            }
        }
        let states = seen.union(frontier)
        print("explored \(states.count) states, \(alphabet.count) events, \(Self.depth) deep")
        #expect(states.contains { $0.machine.isInvalidated })
        #expect(states.contains { $0.machine.isActive })
    }

    private func step(_ node: Node, _ event: MachineEvent) -> Node {
        var next = node
        let actions = event.apply(to: &next.machine)
        next.ledger.enter(event, actions, next.machine)
        return next
    }
}

/// One thing that can happen to a session, as a value.
enum MachineEvent: Sendable, Hashable {
    case begin(SessionMachine.Standing)
    case waitedTooLong
    case arrive(TagArrival)
    /// Several in one look.
    case look([TagArrival])
    case leave(ReaderID)
    case read(TagArrival, polling: Int, NDEFReading)
    case find(TagArrival, polling: Int)
    case ignore(TagArrival, polling: Int)
    case fail(TagArrival, polling: Int)
    case connect(TagID)
    case command(TagID)
    case restart([TagArrival], PollingChange = PollingChange())
    case invalidate(NFCErrorCode)
    /// Another client's session could become active without this one.
    case yield
    case setYielding(Bool)

    /// Lets it happen.
    func apply(to machine: inout SessionMachine) -> [SessionMachine.Action] {
        switch self {
        case .begin(let standing): return machine.begin(standing)
        case .waitedTooLong: return machine.waitedTooLong()
        case .arrive(let arrival): return machine.tagsArrived([arrival])
        case .look(let arrivals): return machine.tagsArrived(arrivals)
        case .leave(let reader): return machine.tagLeft(reader)
        case .read(let arrival, let polling, let reading):
            return machine.tagRead(
                arrival, polling: polling, on: Fixtures.reader("\(arrival.reader)"), identity: nil, reading)
        case .find(let arrival, let polling):
            return machine.tagFound(
                arrival, polling: polling, on: Fixtures.reader("\(arrival.reader)"), Fixtures.held(arrival))
        case .ignore(let arrival, let polling): return machine.tagIgnored(arrival, polling: polling)
        case .fail(let arrival, let polling):
            return machine.tagFailed(
                arrival, polling: polling, on: Fixtures.reader("\(arrival.reader)"),
                TagError(.tagConnectionLost, "gone"))
        case .connect(let tag):
            _ = machine.connect(tag)
            return []
        case .command(let tag):
            _ = machine.command(tag)
            return []
        case .restart(let present, let change): return machine.restartPolling(present: present, change)
        case .invalidate(let code): return machine.invalidate(Invalidation(code))
        case .yield: return machine.yield(to: "another client")
        case .setYielding(let yields):
            machine.setYielding(yields)
            return []
        }
    }
}
