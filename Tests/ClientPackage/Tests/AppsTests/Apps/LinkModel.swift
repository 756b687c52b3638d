import CoreNFC

/// A value that others observe, as `@Published` of Combine.
@MainActor
@propertyWrapper
final class Observed<Value> {
    var wrappedValue: Value {
        didSet { for observer in observers { observer(wrappedValue) } }
    }

    var projectedValue: Observed<Value> { self }
    private var observers: [(Value) -> Void] = []

    init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    /// Calls back now, and at every change.
    func sink(_ observer: @escaping (Value) -> Void) {
        observers.append(observer)
        observer(wrappedValue)
    }
}

/// What a screen shows of a scan. It gives the session no queue, although all of it is on the main actor.
@MainActor
final class LinkModel: NSObject, @MainActor NFCNDEFReaderSessionDelegate {
    enum State: Equatable, Sendable {
        case idle
        case scanning
        case read(String)
        case over(String)
    }

    @Observed private(set) var state = State.idle
    private var session: NFCNDEFReaderSession?

    func scan() {
        session = NFCNDEFReaderSession(delegate: self, queue: nil, invalidateAfterFirstRead: true)
        session?.alertMessage = "Hold the tag to the reader."
        session?.begin()
    }

    func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) {
        MainActor.preconditionIsolated()
        state = .scanning
    }

    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
        MainActor.preconditionIsolated()
        state = .read(messages.first?.records.first?.wellKnownTypeURIPayload()?.absoluteString ?? "")
    }

    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: Error) {
        MainActor.preconditionIsolated()
        state = .over(error.localizedDescription)
        self.session = nil
    }
}
