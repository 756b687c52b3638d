/// One command that makes a reader show or sound something. Pure data: sending it is up to the caller.
public struct ReaderFeedback: Sendable, Hashable {
    /// What to tell the person at the reader.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The operation is done.
        case success
        /// It failed.
        case failure
    }

    /// How the command gets to the reader.
    public enum Route: String, Sendable, Hashable, CaseIterable {
        /// As a pseudo-APDU to the connected tag (SCardTransmit).
        case transmit
        /// As an escape command (SCardControl), which the driver has to allow.
        case escape
    }

    /// How it gets to the reader.
    public let route: Route
    /// The bytes to send.
    public let command: [UInt8]
    /// What a good answer begins with. What follows is the state of the lights, and no status word.
    public let answerPrefix: [UInt8]
    /// Whether the answer comes only when everything has ended: such a command belongs between operations, never inside one.
    public let isSlow: Bool
}

extension ReaderProfile {
    /// How this reader tells of success or failure; nil where no way is known.
    ///
    /// ACR122U: one green blink, or two red ones, with the buzzer. ACR1251U to ACR1581U: a short or a long sound.
    public func feedback(_ kind: ReaderFeedback.Kind) -> ReaderFeedback? {
        switch (feedbackWay, kind) {
        case (.acr122, .success): .pseudoAPDU([0xFF, 0x00, 0x40, 0xA0, 0x04, 0x01, 0x01, 0x01, 0x01], isSlow: true)
        case (.acr122, .failure): .pseudoAPDU([0xFF, 0x00, 0x40, 0x50, 0x04, 0x01, 0x01, 0x02, 0x01], isSlow: true)
        case (.acrEscape, .success): .escape([0xE0, 0x00, 0x00, 0x28, 0x01, 0x0A])
        case (.acrEscape, .failure): .escape([0xE0, 0x00, 0x00, 0x28, 0x01, 0x32])
        case (.none, _): nil
        }
    }

    /// Switches the sound that greets every tag on or off; nil where no way is known for sure.
    ///
    /// ACR1251U to ACR1581U keep it among other settings in one byte, which is not touched without knowing all of them.
    public func detectionBeep(_ isOn: Bool) -> ReaderFeedback? {
        guard feedbackWay == .acr122 else { return nil }
        return .pseudoAPDU([0xFF, 0x00, 0x52, isOn ? 0xFF : 0x00, 0x00], isSlow: false)
    }

    private enum FeedbackWay {
        case none, acr122, acrEscape
    }

    private var feedbackWay: FeedbackWay {
        switch self {
        case .acr122: .acr122
        case .acr125x, .acr1552: .acrEscape
        default: .none
        }
    }
}

extension ReaderFeedback {
    fileprivate static func pseudoAPDU(_ command: [UInt8], isSlow: Bool) -> Self {
        Self(route: .transmit, command: command, answerPrefix: [0x90], isSlow: isSlow)
    }

    fileprivate static func escape(_ command: [UInt8]) -> Self {
        Self(route: .escape, command: command, answerPrefix: [0xE1, 0x00, 0x00, 0x00], isSlow: false)
    }
}
