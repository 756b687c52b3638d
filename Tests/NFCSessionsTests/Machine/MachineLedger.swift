import NFCReaders
import NFCTags

@testable import NFCSessions

/// What a session has told so far, and whether it was allowed to: an independent account of the rules in design §3.
struct MachineLedger: Hashable {
    private(set) var faults: [String] = []
    private var isActive = false
    private var isOver = false
    private var hasBegun = false
    private var polling = 0
    private var present: Set<TagArrival> = []
    /// Readings that were asked for and not yet answered; the second number is that of the polling.
    private var asked: [Asked: Int] = [:]
    private var usedIDs: Set<TagID> = []
    private var liveIDs: Set<TagID> = []
    /// The tags that are held for commands.
    private var heldIDs: Set<TagID> = []
    private var connected: TagID?

    private struct Asked: Hashable {
        let arrival: TagArrival
        let polling: Int
    }

    /// Takes in an event and what the machine made of it.
    mutating func enter(_ event: MachineEvent, _ actions: [SessionMachine.Action], _ machine: SessionMachine) {
        if isOver { check(actions.isEmpty, "an action after the end") }
        let expectsReads = readsExpected(event)
        let expectsDetection = takeReading(event)
        check(actions.compactMap(\.readArrival) == expectsReads, "reads other than those due")
        check(actions.count(where: \.isDetection) == (expectsDetection ? 1 : 0), "detections other than those due")
        for index in actions.indices { enter(actions[index], after: index > 0 ? actions[index - 1] : nil, machine) }
        if case .connect(let tag) = event, heldIDs.contains(tag) { connected = tag }
        for tag in usedIDs { check(machine.objection(toCommanding: tag) == objection(tag), "commands to \(tag)") }
        let isHeld = machine.request.detection == .messages || heldIDs == liveIDs
        check(isHeld, "a tag that is told of is not held, or the other way round")
        check(machine.isActive == isActive, "active or not")
        check(machine.isInvalidated == isOver, "over or not")
        check(!(machine.isWaiting && hasBegun), "waits after it was active")
        if !faults.isEmpty { faults.append("after \(event): \(actions.map(\.words))") }
    }

    private mutating func enter(
        _ action: SessionMachine.Action, after previous: SessionMachine.Action?, _ machine: SessionMachine
    ) {
        switch action {
        case .activate:
            check(!hasBegun && !isOver, "activated twice or after the end")
            isActive = true
        case .read(let arrival, let number), .connect(let arrival, let number):
            check(isActive && number == polling, "a read that is not for the polling of now")
            asked[Asked(arrival: arrival, polling: number), default: 0] += 1
        case .hold(let tag):
            check(isActive && heldIDs.insert(tag).inserted, "\(tag) held twice")
        case .letGo(let tag):
            check(isActive && heldIDs.remove(tag) != nil, "\(tag) let go without being held")
            if connected == tag { connected = nil }
        case .end:
            check(!isOver, "ended twice")
            // Whoever carries this out lets go of all tags.
            (isActive, isOver, asked, liveIDs, heldIDs) = (false, true, [:], [], [])
        case .notify(let event): enter(event, after: previous, machine)
        }
    }

    private mutating func enter(
        _ event: SessionEvent, after previous: SessionMachine.Action?, _ machine: SessionMachine
    ) {
        switch event {
        case .didBecomeActive:
            check(previous == .activate && !hasBegun, "told to be active without readers, or twice")
            hasBegun = true
        case .didDetectNDEFs(let tag, _):
            check(isActive && hasBegun, "a detection while not active")
            check(usedIDs.insert(tag.id).inserted, "\(tag.id) used again")
            liveIDs.insert(tag.id)
        case .didDetectTags(let tags):
            check(isActive && hasBegun && tags.count == 1, "a detection while not active")
            for tag in tags {
                check(previous == .hold(tag.id), "\(tag.id) told of before it was held")
                check(usedIDs.insert(tag.id).inserted, "\(tag.id) used again")
                liveIDs.insert(tag.id)
            }
        case .tagRemoved(let id):
            check(isActive && liveIDs.remove(id) != nil, "\(id) removed without being there")
            check(!heldIDs.contains(id), "\(id) told to be gone while it is held")
        case .didInvalidate(let reason):
            check(previous == .end, "told of the end before the readers were free")
            if reason.code == .firstNDEFTagRead {
                check(machine.request.invalidateAfterFirstRead, "204 without being asked for")
            }
        }
    }

    /// Why a tag that was once told of does not take commands now.
    private func objection(_ tag: TagID) -> NFCErrorCode? {
        if !isActive { return .sessionInvalidated }
        if !liveIDs.contains(tag) { return .tagConnectionLost }
        return connected == tag ? nil : .tagNotConnected
    }

    /// The tags that have to be read now: those that were not there before.
    private mutating func readsExpected(_ event: MachineEvent) -> [TagArrival] {
        guard isActive else { return [] }
        switch event {
        case .arrive(let arrival): return present.insert(arrival).inserted ? [arrival] : []
        case .leave(let reader):
            present = present.filter { $0.reader != reader }
            return []
        case .restart(let arrivals):
            (polling, present, liveIDs, asked) = (polling + 1, Set(arrivals), [], [:])
            return arrivals
        case .begin, .read, .find, .connect, .invalidate: return []
        }
    }

    /// Whether the event is an answer that was waited for.
    private mutating func takeReading(_ event: MachineEvent) -> Bool {
        guard isActive, let arrival = event.answer(for: polling) else { return false }
        let key = Asked(arrival: arrival, polling: polling)
        guard let count = asked[key], count > 0 else { return false }
        asked[key] = count == 1 ? nil : count - 1
        return true
    }

    private mutating func check(_ holds: Bool, _ fault: @autoclosure () -> String) {
        if !holds { faults.append(fault()) }
    }
}

extension SessionMachine.Action {
    fileprivate var readArrival: TagArrival? {
        switch self {
        case .read(let arrival, _), .connect(let arrival, _): arrival
        default: nil
        }
    }

    fileprivate var isDetection: Bool {
        switch self {
        case .notify(.didDetectNDEFs), .notify(.didDetectTags): true
        default: false
        }
    }
}

extension MachineEvent {
    /// The tag that this says something of, if it was asked for in that polling.
    fileprivate func answer(for polling: Int) -> TagArrival? {
        switch self {
        case .read(let arrival, polling, _), .find(let arrival, polling): arrival
        default: nil
        }
    }
}
