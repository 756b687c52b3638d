/// Why a tag was not finished.
package struct SetUpError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Reason: String, Sendable, CaseIterable {
        /// Profile, keys or options do not allow it.
        case unsuitable
        /// A tag of another product.
        case wrongTag = "wrong-tag"
        /// A tag with keys or settings that are not of the profile. It was not tried further.
        case foreign
        /// The tag does not take the key that its version stands for.
        case keyRefused = "key-refused"
        /// A token does not make a key now.
        case keyUnavailable = "key-unavailable"
        /// The tag left, or an answer was wrong.
        case interrupted
        /// The record could not be read or stored.
        case record
        /// The tag was written and does not show what it should.
        case wrongResult = "wrong-result"
        /// There is nothing to continue.
        case nothingToResume = "nothing-to-resume"
    }

    /// What the tag is now.
    package enum State: String, Sendable, CaseIterable {
        /// As it was before.
        case unchanged
        /// Between before and after, also if it was so already. Every state between can be continued.
        case unfinished
        /// As it should be.
        case finished
    }

    /// The kind of failure.
    package let reason: Reason
    /// What failed, without a secret.
    package let detail: String
    /// The step, in words; nil before the first.
    package internal(set) var step: String?
    /// What the tag is now.
    package internal(set) var state: State

    init(_ reason: Reason, _ detail: String, step: String? = nil, state: State = .unchanged) {
        (self.reason, self.detail, self.step, self.state) = (reason, detail, step, state)
    }

    /// Any error, at a step.
    init(_ error: any Error, at step: String?, _ state: State) {
        self = (error as? SetUpError) ?? SetUpError(.interrupted, "\(error)")
        (self.step, self.state) = (step, state)
    }

    /// What the tag is, and what to do.
    package var advice: String {
        switch (state, reason) {
        case (.finished, _): "The tag is finished. Run `nfcctl secure resume` to complete its record."
        case (.unchanged, .interrupted): "The tag is as it was. Put it back and try again."
        case (.unchanged, .keyRefused):
            "The tag counted a failed attempt, and is as it was otherwise. Do not try it again with these keys."
        case (.unchanged, .keyUnavailable): "The tag is as it was. Try again when the token answers."
        case (.unchanged, .wrongTag): "The tag is as it was. Use another one."
        case (.unchanged, _): "The tag is as it was."
        case (.unfinished, .keyRefused):
            "The tag is unfinished, and counted a failed attempt. Resume it only with the keys with which it was begun."
        case (.unfinished, .keyUnavailable):
            "The tag is unfinished. When the token answers, put it back and run `nfcctl secure resume`."
        case (.unfinished, .wrongResult):
            "The tag is unfinished. Run `nfcctl secure resume`; if that fails too, `nfcctl secure reset`."
        case (.unfinished, .interrupted), (.unfinished, .record):
            "The tag is unfinished. Put it back and run `nfcctl secure resume`."
        case (.unfinished, _): "The tag is unfinished. Correct that, then run `nfcctl secure resume`."
        }
    }

    /// What failed, at which step, and what to do.
    package var description: String {
        (step.map { "\($0): " } ?? "") + detail + (detail.hasSuffix(".") ? " " : ". ") + advice
    }
}
