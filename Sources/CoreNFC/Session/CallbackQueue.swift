/// The queue of a session's callbacks: the client's own or a private one, always one callback after the other.
struct CallbackQueue: Sendable {
    /// The queue as the client knows it.
    let visible: DispatchQueue
    /// Serial, and run by the visible one: callbacks keep their order on a concurrent queue, too.
    private let order: DispatchQueue

    init(_ queue: DispatchQueue?) {
        visible = queue ?? DispatchQueue(label: "CoreNFC session")
        order = DispatchQueue(label: "CoreNFC callbacks", target: visible)
    }

    /// Runs something after everything that was posted before it.
    func post(_ callback: @escaping @Sendable () -> Void) {
        order.async(execute: callback)
    }
}
