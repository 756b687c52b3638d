/// Why a call of a page failed, as the page sees it: the name of a DOMException (Web IDL, §2.8.1) and a text.
package struct WebError: Error, Sendable, Hashable, Codable {
    /// The names that Web NFC uses.
    package enum Name: String, Sendable, Hashable, Codable, CaseIterable {
        /// The call was replaced, or the page was hidden.
        case abort = "AbortError"
        /// The user or the tag's content forbids it.
        case notAllowed = "NotAllowedError"
        /// There is no reader, no service, or the tag has no NDEF.
        case notSupported = "NotSupportedError"
        /// There is a reader, and this user may not use it.
        case notReadable = "NotReadableError"
        /// The transfer failed.
        case network = "NetworkError"
        /// The message is not valid.
        case syntax = "SyntaxError"
    }

    /// The name.
    package var name: Name
    /// What failed, on what, and what to do.
    package var message: String

    package init(_ name: Name, _ message: String) {
        self.name = name
        self.message = message
    }
}
