import NDEF
import NFCProtocol

/// How a scan is shown.
protocol ScanOutput: Sendable {
    /// The session was asked for.
    func begin(readers: [ReadersList.Reader])

    /// Something happened, and the scan waits for more; nil: the session is not active yet.
    func waiting(secondsLeft: Double?)

    /// A tag was read.
    func tag(_ tag: SessionDidDetectNDEFs<NDEFMessage>)

    /// The session is over.
    func end(_ reason: SessionDidInvalidate)
}
