import NFCProtocol
import Synchronization

/// What the sessions have in common: a life from ``begin()`` to its one end, which the delegate is told of last.
///
/// Every callback and every completion handler of a session's tags runs on ``sessionQueue``, in the order in which things
/// happened. A callback that blocks while it waits for another one waits for ever. With `queue: .main` the main loop must
/// run: end the program with `dispatchMain()` or `RunLoop.main.run()`.
///
/// The delegate is held weakly. From ``begin()`` to its end the session keeps itself alive; it ends by itself where nobody
/// listens any more.
open class NFCReaderSession: NSObject, NFCReaderSessionProtocol, @unchecked Sendable {
    let engine: SessionEngine
    /// What Linux has more of than an iPhone.
    let wishes = SessionWishes()

    /// The delegate as it was given.
    public private(set) weak var delegate: AnyObject?

    /// Whether there is an nfcd to ask that has a reader. Asks it, and waits half a second at most.
    open class var readingAvailable: Bool { DaemonAddress.readingAvailable }

    /// Where callbacks and completion handlers run: the queue given, or a private one.
    public var sessionQueue: DispatchQueue { engine.queue.visible }

    /// Whether tags are being looked for or used: true from did-become-active to the end.
    open var isReady: Bool { engine.state.withLock { $0.phase == .active && $0.wantedEnd == nil } }

    /// A text for whoever shows the session, such as `nfcctl sessions`. May be changed at any time.
    open var alertMessage: String {
        get { engine.alertMessage }
        set { engine.alertMessage = newValue }
    }

    init(delegate: AnyObject, queue: DispatchQueue?) {
        engine = SessionEngine(queue: queue)
        self.delegate = delegate
        super.init()
        engine.owner = self
    }

    /// Starts looking for tags. Returns at once; a start that fails ends the session, with the reason. Without effect on a
    /// session that has begun or is over.
    open func begin() {
        engine.begin(SessionCallbacks(self)) { try self.makeRequest() }
    }

    /// Ends the session, with code 200. Without effect on one that is over; one that has not begun ends without having been
    /// active.
    open func invalidate() {
        engine.invalidate(SessionCallbacks(self))
    }

    /// Ends the session, with code 200, and gives whoever shows it a text to show as the reason.
    open func invalidate(errorMessage: String) {
        engine.invalidate(SessionCallbacks(self), message: errorMessage)
    }

    // MARK: For the kinds of session

    /// What to ask nfcd for.
    func makeRequest() throws -> SessionRequest {
        throw NFCReaderError(.readerErrorUnsupportedFeature, reason: "this kind of session cannot begin")
    }

    func becameActive() {}
    func detected(_ tags: [LiveTag]) {}
    func ended(_ error: NFCReaderError) {}
}
