import NFCReaders
import NFCTags

@testable import NFCSessions

/// One thing that can happen to a session, as a value.
enum MachineEvent: Sendable, Hashable {
    case begin(SessionMachine.Standing)
    case arrive(TagArrival)
    case leave(ReaderID)
    case read(TagArrival, polling: Int, NDEFReading)
    case find(TagArrival, polling: Int)
    case connect(TagID)
    case restart([TagArrival])
    case invalidate(NFCErrorCode)

    /// Lets it happen.
    func apply(to machine: inout SessionMachine) -> [SessionMachine.Action] {
        switch self {
        case .begin(let standing): return machine.begin(standing)
        case .arrive(let arrival): return machine.tagArrived(arrival)
        case .leave(let reader): return machine.tagLeft(reader)
        case .read(let arrival, let polling, let reading):
            return machine.tagRead(
                arrival, polling: polling, on: Fixtures.reader("\(arrival.reader)"), identity: nil, reading)
        case .find(let arrival, let polling):
            return machine.tagFound(
                arrival, polling: polling, on: Fixtures.reader("\(arrival.reader)"), identity: Fixtures.identity)
        case .connect(let tag):
            _ = machine.connect(tag)
            return []
        case .restart(let present): return machine.restartPolling(present: present)
        case .invalidate(let code): return machine.invalidate(Invalidation(code))
        }
    }
}
