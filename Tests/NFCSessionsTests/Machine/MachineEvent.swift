import NFCReaders
import NFCTags

@testable import NFCSessions

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
        }
    }
}
