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

    /// A tag could not be connected to.
    func failed(_ failure: SessionTagFailed)

    /// The session is over.
    func end(_ reason: SessionDidInvalidate)
}

extension ScanOutput {
    func failed(_ failure: SessionTagFailed) {
        Terminal.endStatus()
        Terminal.error("A tag on \(failure.reader.escaped) could not be used: \(failure.detail.escaped)")
    }
}
