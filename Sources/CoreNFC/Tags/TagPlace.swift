import Synchronization

/// Where a tag is, as far as its session knows.
final class TagPlace: Sendable {
    enum Standing: Sendable { case field, gone, stale }

    private let standing = Mutex(Standing.field)

    /// The tag is no longer one to talk to; the first reason stays.
    func leave(as reason: Standing) {
        standing.withLock { if $0 == .field { $0 = reason } }
    }

    /// Why the tag takes no command; nil where it may.
    var objection: NFCReaderError? {
        switch standing.withLock({ $0 }) {
        case .field: nil
        case .gone: .init(.readerTransceiveErrorTagConnectionLost, reason: "the tag left the field")
        case .stale:
            .init(
                .readerTransceiveErrorTagNotConnected,
                reason: "the tag was found before polling was restarted; take the new one")
        }
    }
}
