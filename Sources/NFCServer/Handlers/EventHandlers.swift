import NFCProtocol
import NFCSessions

extension MethodTable {
    /// `events.*`.
    mutating func addEventMethods(_ coordinator: SessionCoordinator) {
        on(EventsSubscribe.self) { _, peer in
            await coordinator.addListener(peer)
            return Reply(Empty())
        }
    }
}
