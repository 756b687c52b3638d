import NFCProtocol
import NFCTags

extension MethodTable {
    /// `rpc.discover`.
    mutating func addDiscoverMethods() {
        on(RPCDiscover.self) { _, _ in Reply(try discovery.get()) }
    }
}

/// Made once: the interface does not change while nfcd runs.
private let discovery = Result { RPCDiscover.Result(try OpenRPCDocument.make(tagErrors: tagErrors)) }

private var tagErrors: [OpenRPCDocument.ErrorEntry] {
    NFCErrorCode.all.map { OpenRPCDocument.ErrorEntry(code: $0.rawValue, name: $0.name, message: $0.text) }
}
