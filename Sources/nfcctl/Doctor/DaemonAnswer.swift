import NFCProtocol

/// What came of asking nfcd.
enum DaemonAnswer: Sendable {
    case answered(DaemonState)
    /// There is no socket.
    case noSocket
    /// There is a socket, and nobody behind it.
    case nobodyListens
    /// The socket is there, but not for this user.
    case notPermitted
    /// Somebody listens and does not answer.
    case silent
    /// Anything else, in words.
    case failed(String)

    /// What nfcd told, where it did.
    var state: DaemonState? {
        if case .answered(let state) = self { state } else { nil }
    }
}

/// What nfcd tells of itself.
struct DaemonState: Sendable {
    /// Why no session can begin.
    struct Refusal: Sendable {
        /// CoreNFC's number: 1 without a reader, 6 without a PC/SC service.
        let code: Int
        let detail: String
    }

    let info: ServerInfo.Result
    let readers: [ReadersList.Reader]
    /// Told where there are no readers.
    let refusal: Refusal?

    /// Whether a tag can be read right now.
    var hasWorkingReader: Bool { readers.contains { $0.state != .failed } }

    /// Whether the readers exist in nfcd alone: PC/SC has no part in it.
    var isSimulated: Bool { !readers.isEmpty && readers.allSatisfy { $0.reader.hasPrefix("simulated-") } }
}
