import NFCReaders
import NFCTags

@testable import NFCSessions

/// One thing that can happen to a session, as a value.
enum MachineEvent: Sendable, Hashable {
    case begin(SessionMachine.Standing)
    case arrive(TagArrival)
    case leave(ReaderID)
    case read(TagArrival, polling: Int, NDEFReading)
    case restart([TagArrival])
    case invalidate(NFCErrorCode)

    /// Lets it happen.
    func apply(to machine: inout SessionMachine) -> [SessionMachine.Action] {
        switch self {
        case .begin(let standing): machine.begin(standing)
        case .arrive(let arrival): machine.tagArrived(arrival)
        case .leave(let reader): machine.tagLeft(reader)
        case .read(let arrival, let polling, let reading):
            machine.tagRead(arrival, polling: polling, on: Fixtures.reader("\(arrival.reader)"), identity: nil, reading)
        case .restart(let present): machine.restartPolling(present: present)
        case .invalidate(let code): machine.invalidate(Invalidation(code))
        }
    }
}
