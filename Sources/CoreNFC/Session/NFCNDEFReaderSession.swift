public import Foundation
import NDEF
import NFCClient
import NFCProtocol
import Synchronization

/// A session for NDEF messages.
///
/// Which of two modes it has is up to its delegate. One that implements `readerSession(_:didDetect:)` is given tags, to
/// read and write; after a detection no more are delivered until ``restartPolling()``. Any other gets the messages of
/// tags as they come. Which it is shows at the first tag.
open class NFCNDEFReaderSession: NFCReaderSession, @unchecked Sendable {
    private weak var messageDelegate: (any NFCNDEFReaderSessionDelegate)?
    private let invalidatesAfterFirstRead: Bool

    /// A session that has not begun.
    ///
    /// - Parameters:
    ///   - delegate: held weakly.
    ///   - queue: where callbacks run; nil for a private serial queue.
    ///   - invalidateAfterFirstRead: whether the session ends, with 204, after the first message. Without effect where the
    ///     delegate is given tags.
    public init(
        delegate: any NFCNDEFReaderSessionDelegate, queue: DispatchQueue?, invalidateAfterFirstRead: Bool
    ) {
        messageDelegate = delegate
        invalidatesAfterFirstRead = invalidateAfterFirstRead
        super.init(delegate: delegate, queue: queue)
    }

    /// Restarts polling; tags delivered before become invalid, also those in the field. Has no effect where
    /// the delegate is given messages.
    open func restartPolling() {
        guard !engine.readsMessages else { return }
        engine.restartPolling()
    }

    /// Makes a detected tag the one that can be read and written, instead of another.
    @preconcurrency
    open func connect(to tag: any NFCNDEFTag, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        engine.connect(to: tag as? LiveTag, completionHandler)
    }

    /// Makes a detected tag the one that can be read and written, instead of another.
    open func connect(to tag: any NFCNDEFTag) async throws {
        let live = tag as? LiveTag
        try await engine.connect(to: live)
    }

    /// The delegate has no method for tags: it is given messages, for the rest of the session's life.
    func delegateHasNoTagCallback() {
        engine.readMessages()
    }

    override func makeRequest() throws -> SessionParameters {
        try ProgramDeclarations.current.checkMessages()
        return SessionParameters(kind: .ndef, detection: .tags).with(wishes)
    }

    override func isDelegate(_ object: Any) -> Bool { object is any NFCNDEFReaderSessionDelegate }

    override func becameActive() {
        messageDelegate?.readerSessionDidBecomeActive(self)
    }

    override func detected(_ tags: [LiveTag]) {
        if !engine.readsMessages {
            guard engine.takeDetection(of: tags) else { return }
            messageDelegate?.readerSession(self, didDetect: tags)
        }
        // The first tag has shown what the delegate wants.
        if engine.readsMessages { for tag in tags { readMessage(of: tag) } }
    }

    override func ended(_ error: NFCReaderError) {
        messageDelegate?.readerSession(self, didInvalidateWithError: error)
    }

    /// Reads a tag and hands over its message; a tag without one is passed over.
    private func readMessage(of tag: LiveTag) {
        let engine = engine
        engine.perform(on: tag) { remote in
            try await remote.connect()
            return try await remote.readNDEF().message
        } completion: { result in
            guard case .success(let message) = result else { return }
            self.notify {
                self.messageDelegate?.readerSession(self, didDetectNDEFs: [NFCNDEFMessage(message)])
                guard self.invalidatesAfterFirstRead else { return }
                engine.requestEnd(.init(.readerSessionInvalidationErrorFirstNDEFTagRead, reason: nil))
            }
        }
    }
}

/// The callbacks of an ``NFCNDEFReaderSession``.
///
/// A delegate that implements `readerSession(_:didDetect:)` gets tags, and `readerSession(_:didDetectNDEFs:)` is never
/// called. Any other delegate gets messages. The method must be in the class that declares the conformance: where a
/// subclass adds it, Swift does not find it.
public protocol NFCNDEFReaderSessionDelegate: NSObjectProtocol {
    /// The session is over; nothing follows.
    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error)
    /// Messages were read.
    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage])
    /// Tags were found. Need not be implemented.
    func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag])
    /// The reader has begun to poll. Need not be implemented.
    func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession)
}

extension NFCNDEFReaderSessionDelegate {
    /// Notifies the session that the delegate does not implement this method, and wants messages.
    public func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag]) {
        session.delegateHasNoTagCallback()
    }

    /// Does nothing.
    public func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) {}
}
