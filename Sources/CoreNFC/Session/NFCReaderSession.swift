public import Foundation
import NFCClient
import NFCProtocol
import Synchronization

/// What the sessions have in common: a life from ``begin()`` to its one end, which is the delegate's last callback.
///
/// Every callback and every completion handler of a session's tags runs on ``sessionQueue``, in the order in which things
/// happened. Only the callbacks of a delegate that is isolated to the main actor run there, in their order, also where the queue is
/// another one; completion handlers then run beside them. A callback that blocks while it waits for another one never returns. With
/// `queue: .main` the main loop must run: end the program with `RunLoop.main.run()`. With `dispatchMain()` callbacks come as well, but
/// on other threads than the main one.
///
/// The calls of a program to its sessions reach nfcd in their order: of two sessions that begin in a row the second is the one that
/// ends with 203, and one that begins right after another's ``invalidate()`` finds the reader free.
///
/// The delegate is held weakly. From ``begin()`` to its end the session keeps itself alive, also where the program has no
/// reference to it; whether an iPhone does that is not documented. Without a delegate nothing can receive the session's events any more, and it
/// ends with code 200: before the next session of the program begins, and after a tenth of a second at the latest. So a screen
/// that owns its session and is its delegate may go away without ``invalidate()``.
open class NFCReaderSession: NSObject, NFCReaderSessionProtocol, @unchecked Sendable {
    let engine: SessionEngine
    /// The settings that an iPhone does not have.
    let wishes = SessionWishes()

    /// The delegate as it was given.
    public private(set) weak var delegate: AnyObject?

    /// Whether there is an nfcd to ask that has a reader. Asks it, and waits five seconds at most.
    open class var readingAvailable: Bool { DaemonAddress.readingAvailable }

    /// Where callbacks and completion handlers run: the queue given, or a private one.
    public var sessionQueue: DispatchQueue { engine.queue.visible }

    /// Whether tags are being looked for or used: true from did-become-active to the end.
    open var isReady: Bool { engine.isReady }

    /// A text that is shown for the session, for example by `nfcctl sessions`. It may be changed at any time.
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

    /// Starts looking for tags. Returns at once; a start that fails ends the session, with the reason. Has no effect on a
    /// session that has begun or is over.
    open func begin() {
        engine.begin(SessionCallbacks(self)) { try self.makeRequest() }
    }

    /// Ends the session, with code 200. Has no effect on one that is over; one that has not begun ends without having been
    /// active.
    open func invalidate() {
        engine.invalidate(SessionCallbacks(self))
    }

    /// Ends the session, with code 200, and shows a text as the reason.
    open func invalidate(errorMessage: String) {
        engine.invalidate(SessionCallbacks(self), message: errorMessage)
    }

    // MARK: For the kinds of session

    /// What to ask nfcd for.
    func makeRequest() throws -> SessionParameters {
        throw NFCReaderError(.readerErrorUnsupportedFeature, reason: "this kind of session cannot begin")
    }

    func becameActive() {}
    func detected(_ tags: [LiveTag]) {}
    func ended(_ error: NFCReaderError) {}

    /// Whether an object may be called as a delegate of this kind of session from where this runs.
    func isDelegate(_ object: Any) -> Bool { true }
}

extension NFCReaderSession {
    /// Calls the delegate: here, or on the main actor where its conformance is isolated to that.
    ///
    /// A cast to a protocol fails where the conformance is isolated to an actor that this does not run on (SE-0470). Without this the
    /// delegate's methods, which the compiler takes for methods of the main actor, would run on the session's queue unnoticed.
    func notify(_ callback: @escaping @Sendable () -> Void) {
        guard let delegate, !isDelegate(delegate) else { return callback() }
        Log.once("a delegate of the main actor is called on it, not on the session's queue; pass queue: .main")
        DispatchQueue.main.async(execute: callback)
    }
}

/// What all sessions have in common.
public protocol NFCReaderSessionProtocol: NSObjectProtocol {
    /// Whether the reader is polling.
    var isReady: Bool { get }
    /// The text that is shown for the session. It may be changed at any time.
    var alertMessage: String { get set }
    /// Starts the session and returns at once. Failures arrive as its invalidation.
    func begin()
    /// Ends the session.
    func invalidate()
    /// Ends the session and shows a text as the reason.
    func invalidate(errorMessage: String)
}

// Additions to what an iPhone has. Everything here is set before `begin()`, and has no effect afterwards.

extension NFCReaderSession {
    /// The readers to use, by name or by nfcd's own name for them, as `nfcctl readers` lists them; nil for all there are.
    public var readers: [String]? {
        get { wishes.current.readers }
        set { wishes.change { $0.readers = newValue } }
    }

    /// Whether a session without a reader waits for one instead of ending with code 1 or 6.
    public var waitsForReader: Bool {
        get { wishes.current.waitsForReader }
        set { wishes.change { $0.waitsForReader = newValue } }
    }

    /// Whether a session waits for its turn instead of ending with code 203 where another one holds a reader.
    public var waitsForTurn: Bool {
        get { wishes.current.waitsForTurn }
        set { wishes.change { $0.waitsForTurn = newValue } }
    }

    /// Seconds until the session ends with code 201, more than 0; nil, and anything longer, for nfcd's own limit.
    public var timeLimit: TimeInterval? {
        get { wishes.current.timeout }
        set { wishes.change { $0.timeout = newValue } }
    }

    /// Calls back on the session's queue when a tag that was delivered has left the field. It replaces an earlier handler,
    /// and may be set at any time. The session keeps the handler until its end: it should not keep the delegate in turn.
    public func onTagRemoval(_ handler: (@Sendable (any NFCNDEFTag) -> Void)?) {
        engine.onRemoval(handler)
    }
}

extension NFCReaderSession {
    /// A reader that nfcd has.
    public struct Reader: Sendable, Hashable {
        /// Its name for people. ``NFCReaderSession/readers`` takes it.
        public let name: String
        /// Its name within nfcd. ``NFCReaderSession/readers`` takes it, too.
        public let identifier: String
        /// Of `iso14443`, `iso15693`, `iso18092`.
        public let technologies: [String]
    }

    /// The readers there are.
    ///
    /// - Throws: ``NFCReaderError`` 1 where no nfcd runs, 2 where this user may not use it.
    public static func availableReaders() async throws -> [Reader] {
        do {
            let readers = try await NFCClient.withConnection(to: DaemonAddress.endpoint) { client in
                try await client.call(ReadersList.self)
            }
            return readers.map { Reader(name: $0.name, identifier: $0.reader, technologies: $0.technologies) }
        } catch {
            throw NFCReaderError(start: error)
        }
    }
}

/// What a session may ask for beyond what an iPhone has. Thread-safe.
final class SessionWishes: Sendable {
    struct Values: Sendable {
        var readers: [String]?
        var waitsForReader = false
        var waitsForTurn = false
        var timeout: TimeInterval?
    }

    private let values = Mutex(Values())

    var current: Values { values.withLock { $0 } }

    func change(_ change: (inout Values) -> Void) {
        values.withLock { change(&$0) }
    }
}

extension SessionParameters {
    /// The same with what is wished for.
    func with(_ wishes: SessionWishes) -> SessionParameters {
        var request = self
        let wishes = wishes.current
        request.defaultSelection = true
        request.readers = wishes.readers
        request.waitForReader = wishes.waitsForReader ? true : nil
        request.whenBusy = wishes.waitsForTurn ? .queue : nil
        request.timeout = wishes.timeout
        return request
    }
}
