import NFCReaders
import NFCTags

@testable import NFCSessions

/// Which tags were looked at together, and what has to be told when the last of them is known.
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

    /// The readers whose tags are told of because of an event, and how many failures.
    mutating func told(
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
    func reasonToWait(_ standing: SessionMachine.Standing) -> NFCErrorCode? {
        switch standing {
        case .clear: nil
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

    /// Where the tags lie that are told of.
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
