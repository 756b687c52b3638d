import NFCReaders
import NFCTags

@testable import NFCSessions

/// What a session has reported so far, and whether it was allowed to: an independent account of the rules in design §3.
struct MachineLedger: Hashable {
    private(set) var faults: [String] = []
    private var isActive = false
    private var isOver = false
    private var hasBegun = false
    /// What a session that waits ends with when it has waited for too long.
    private var waitsFor: NFCErrorCode?
    private var hasQueued = false
    private var polling = 0
    private var technologies: Set<PollingTechnology>?
    private var present: Set<TagArrival> = []
    private var looks = LookLedger()
    private var usedIDs: Set<TagID> = []
    private var liveIDs: Set<TagID> = []
    /// Those of type ISO 7816.
    private var cardIDs: Set<TagID> = []
    /// How often each tag is held.
    private var held: [HeldTag: Int] = [:]
    private var connected: TagID?

    /// Takes in an event and what the machine made of it.
    mutating func enter(_ event: MachineEvent, _ actions: [SessionMachine.Action], _ machine: SessionMachine) {
        if isOver {
            let isUnwanted = actions.allSatisfy { if case .release = $0 { true } else { false } }
            check(isUnwanted && (actions.isEmpty || event.isFind), "an action after the end")
        }
        enterWaiting(event, actions, machine.request)
        check(actions.compactMap(\.lookedFor) == arrivalsDue(event), "looks other than those due")
        let due = looks.reports(by: event, polling: polling, isActive: isActive)
        check(actions.flatMap(\.detectedReaders).sorted() == due.detected.sorted(), "detections other than those due")
        check(actions.count(where: \.isFailure) == due.failures, "failures other than those due")
        if case .find(let arrival, _) = event { held[Fixtures.held(arrival), default: 0] += 1 }
        for index in actions.indices { enter(actions[index], after: index > 0 ? actions[index - 1] : nil, machine) }
        enterConnecting(event)
        compare(machine)
        if !faults.isEmpty { faults.append("after \(event): \(actions.map(\.words))") }
    }

    /// Compares what is known here with what the machine says of itself.
    private mutating func compare(_ machine: SessionMachine) {
        for tag in usedIDs {
            var copy = machine
            let objection: NFCErrorCode? = if case .refuse(let code) = copy.command(tag) { code } else { nil }
            check(objection == self.objection(tag, machine.request), "commands to \(tag)")
        }
        let holds = machine.tags.compactMap(\.held).reduce(into: [HeldTag: Int]()) { $0[$1, default: 0] += 1 }
        check(holds == held, "a tag that was found is neither held nor released")
        check(machine.isActive == isActive, "active or not")
        check(machine.isInvalidated == isOver, "over or not")
        check(machine.isWaiting == (waitsFor != nil && !isActive && !isOver), "waits or not")
        check(machine.options.technologies == technologies ?? machine.request.polling, "looks for something else")
    }

    private mutating func enter(
        _ action: SessionMachine.Action, after previous: SessionMachine.Action?, _ machine: SessionMachine
    ) {
        switch action {
        case .activate:
            check(!hasBegun && !isOver, "activated twice or after the end")
            isActive = true
        case .read(let arrival, let number), .connect(let arrival, let number):
            check(
                isActive && number == polling && present.contains(arrival), "a look that is not for the polling of now")
        case .release(let tag, _):
            check((held[tag] ?? 0) > 0, "release without being held")
            held[tag] = held[tag] == 1 ? nil : (held[tag] ?? 0) - 1
        case .end:
            check(!isOver && held.isEmpty, "ended twice, or with a tag that is held")
            (isActive, isOver, looks, liveIDs, connected) = (false, true, LookLedger(), [], nil)
        case .notify(let event): enter(event, after: previous, machine)
        }
    }

    private mutating func enter(
        _ event: SessionEvent, after previous: SessionMachine.Action?, _ machine: SessionMachine
    ) {
        switch event {
        case .didBecomeActive:
            check(previous == .activate && !hasBegun, "active without readers, or twice")
            hasBegun = true
        case .didDetectNDEFs(let tag, _): enter([tag])
        case .didDetectTags(let tags): enter(tags)
        case .tagFailed: check(isActive && machine.request.detection == .tags, "a failure that was not asked for")
        case .tagIgnored: check(isActive && machine.request.yields, "an ignored tag that was not asked for")
        case .tagRemoved(let id):
            check(isActive && liveIDs.remove(id) != nil, "\(id) removed without being there")
            if connected == id { connected = nil }
        case .didInvalidate(let reason):
            check(previous == .end, "notified of the end before the readers were free")
            if reason.code == .systemIsBusy, hasBegun { check(machine.yields, "203 without yielding") }
            if reason.code == .firstNDEFTagRead {
                check(machine.request.invalidateAfterFirstRead, "204 without being asked for")
            }
        }
    }

    private mutating func enter(_ detected: [DetectedTag]) {
        check(isActive && hasBegun && !detected.isEmpty, "a detection while not active")
        for tag in detected {
            check(usedIDs.insert(tag.id).inserted, "\(tag.id) used again")
            liveIDs.insert(tag.id)
            if tag.delivery?.type == .iso7816 { cardIDs.insert(tag.id) }
        }
    }

    private mutating func enterWaiting(
        _ event: MachineEvent, _ actions: [SessionMachine.Action], _ request: SessionRequest
    ) {
        switch event {
        case .begin(let standing) where !hasBegun && !isOver:
            waitsFor = request.reasonToWait(standing, hasQueued: hasQueued)
            if case .busy = standing { hasQueued = true }
        case .waitedTooLong:
            let ends = waitsFor != nil && !hasBegun && !isOver
            check(actions.compactMap(\.endCode) == (ends ? [waitsFor] : []), "the end of waiting")
        default: break
        }
    }

    private mutating func enterConnecting(_ event: MachineEvent) {
        switch event {
        case .connect(let tag) where liveIDs.contains(tag) && !held.isEmpty: connected = tag
        case .command(let tag) where takesCommandsAtOnce(tag): connected = tag
        default: break
        }
    }

    private func takesCommandsAtOnce(_ tag: TagID) -> Bool {
        connected == nil && liveIDs == [tag] && cardIDs.contains(tag)
    }

    /// Why a tag that was reported does not take commands now.
    private func objection(_ tag: TagID, _ request: SessionRequest) -> NFCErrorCode? {
        if !isActive { return .sessionInvalidated }
        if !liveIDs.contains(tag) || request.detection == .messages { return .tagConnectionLost }
        return connected == tag || takesCommandsAtOnce(tag) ? nil : .tagNotConnected
    }

    /// The tags that have to be looked at now: those that were not there before.
    private mutating func arrivalsDue(_ event: MachineEvent) -> [TagArrival] {
        guard isActive else { return [] }
        switch event {
        case .arrive(let arrival): return begin([arrival])
        case .look(let arrivals): return begin(arrivals)
        case .leave(let reader):
            present = present.filter { $0.reader != reader }
            return []
        case .restart(let arrivals, let change):
            (polling, present, liveIDs, looks, connected) = (polling + 1, [], [], LookLedger(), nil)
            technologies = change.technologies
            return begin(arrivals)
        default: return []
        }
    }

    private mutating func begin(_ arrivals: [TagArrival]) -> [TagArrival] {
        let new = arrivals.filter { present.insert($0).inserted }
        looks.begin(new)
        return new
    }

    private mutating func check(_ holds: Bool, _ fault: @autoclosure () -> String) {
        if !holds { faults.append(fault()) }
    }
}

/// The tags that were detected together, and what has to be reported when the last of them is known.
struct LookLedger: Hashable {
    private struct Look: Hashable {
        var waiting: [TagArrival]
        var found: [String] = []
    }

    private var looks: [Look] = []

    /// A look at tags.
    mutating func begin(_ arrivals: [TagArrival]) {
        if !arrivals.isEmpty { looks.append(Look(waiting: arrivals)) }
    }

    /// The readers whose tags an event makes the session report, and the number of failures.
    mutating func reports(
        by event: MachineEvent, polling: Int, isActive: Bool
    ) -> (detected: [String], failures: Int) {
        guard isActive, let (arrival, number) = event.answer, number == polling,
            let index = looks.firstIndex(where: { $0.waiting.contains(arrival) }),
            let place = looks[index].waiting.firstIndex(of: arrival)
        else { return ([], 0) }
        looks[index].waiting.remove(at: place)
        defer { looks.removeAll { $0.waiting.isEmpty } }
        switch event {
        case .read: return (["\(arrival.reader)"], 0)
        case .find: looks[index].found.append("\(arrival.reader)")
        default: break
        }
        let isComplete = looks[index].waiting.isEmpty
        return (isComplete ? looks[index].found : [], event.isFailure ? 1 : 0)
    }
}

extension SessionRequest {
    /// What a session that waits for this ends with; nil where it does not wait.
    ///
    /// - Parameter hasQueued: whether it has waited for its turn before.
    func reasonToWait(_ standing: SessionMachine.Standing, hasQueued: Bool) -> NFCErrorCode? {
        switch standing {
        case .clear: nil
        case .readersFailed: waitForReader || hasQueued ? .unsupportedFeature : nil
        case .serviceStarting: .radioDisabled
        case .busy: whenBusy == .queue ? .systemIsBusy : nil
        case .noReader: waitForReader ? .unsupportedFeature : nil
        case .serviceUnavailable: waitForReader ? .radioDisabled : nil
        }
    }
}

extension MachineEvent {
    /// The tag that this says something of, and the polling it was asked for in.
    fileprivate var answer: (TagArrival, Int)? {
        switch self {
        case .read(let arrival, let polling, _), .find(let arrival, let polling), .ignore(let arrival, let polling),
            .fail(let arrival, let polling):
            (arrival, polling)
        default: nil
        }
    }

    fileprivate var isFailure: Bool { if case .fail = self { true } else { false } }

    var isFind: Bool { if case .find = self { true } else { false } }
}

extension SessionMachine.Action {
    /// The tag that is to be looked at.
    var lookedFor: TagArrival? {
        switch self {
        case .read(let arrival, _), .connect(let arrival, _): arrival
        default: nil
        }
    }

    /// The readers of the tags that are reported.
    var detectedReaders: [String] {
        switch self {
        case .notify(.didDetectNDEFs(let tag, _)): ["\(tag.reader.id)"]
        case .notify(.didDetectTags(let tags)): tags.map { "\($0.reader.id)" }
        default: []
        }
    }

    var isFailure: Bool { if case .notify(.tagFailed) = self { true } else { false } }

    var endCode: NFCErrorCode? { if case .notify(.didInvalidate(let reason)) = self { reason.code } else { nil } }
}
