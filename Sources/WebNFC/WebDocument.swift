import NDEF

/// A page that uses NFC: its scans, the write and the lock that wait for a tag.
struct WebDocument: Sendable {
    /// A call of the page.
    struct Call: Sendable {
        let id: WebRequest.CallID
        let purpose: TagDesk.Purpose
        let message: NDEFMessage
        let overwrites: Bool
        /// Whether nfcd was not asked yet.
        var isChecking = true

        init(
            _ id: WebRequest.CallID, _ purpose: TagDesk.Purpose, message: NDEFMessage = NDEFMessage(),
            overwrites: Bool = true
        ) {
            (self.id, self.purpose, self.message, self.overwrites) = (id, purpose, message, overwrites)
        }
    }

    /// For people who look at nfcd's sessions.
    let origin: String
    /// Whether it is left alone until it calls again or is shown again.
    var isPaused = false
    private var calls: [Call] = []
    /// The scans that have begun since the document was last in front without them.
    private var fresh: Set<WebRequest.ScanID> = []

    init(origin: String) { self.origin = origin }

    /// The scans that have begun.
    var scans: [WebRequest.ScanID] { calls.filter { $0.purpose == .scan && !$0.isChecking }.map(\.id) }

    /// The scans that had begun before the document was last hidden.
    var staleScans: Set<WebRequest.ScanID> { Set(scans).subtracting(fresh) }

    /// Whether it scans, or an operation waits for a tag.
    var isBusy: Bool { calls.contains { !$0.isChecking } }

    /// Whether an operation waits for a tag.
    var waits: Bool { nextOperation != nil }

    /// The operation that gets the next tag.
    var nextOperation: Call? { operation(.write) ?? operation(.lock) }

    private func operation(_ purpose: TagDesk.Purpose) -> Call? {
        calls.first { $0.purpose == purpose && !$0.isChecking }
    }

    func has(_ id: WebRequest.CallID) -> Bool { calls.contains { $0.id == id } }

    func isChecking(_ id: WebRequest.CallID) -> Bool { calls.contains { $0.id == id && $0.isChecking } }

    // MARK: Changes

    /// Adds a call. False if there are too many.
    mutating func add(_ call: Call, most: Int) -> Bool {
        guard calls.count < most else { return false }
        isPaused = false
        calls.append(call)
        return true
    }

    /// Lets a call begin. A write or lock replaces the one before it, unless that has begun on a tag.
    ///
    /// - Returns: what is to be reported.
    mutating func admit(_ id: WebRequest.CallID, keeping running: WebRequest.CallID?) -> [WebReport] {
        guard let index = calls.firstIndex(where: { $0.id == id }) else { return [] }
        calls[index].isChecking = false
        let purpose = calls[index].purpose
        guard purpose != .scan else {
            fresh.insert(id)
            return [.done(id)]
        }
        let replaced = calls.filter { $0.purpose == purpose && $0.id != id && !$0.isChecking && $0.id != running }
        calls.removeAll { call in replaced.contains { $0.id == call.id } }
        return replaced.map { .failed($0.id, WebError(.abort, "A newer call replaced this one.")) }
    }

    mutating func remove(_ id: WebRequest.CallID) {
        calls.removeAll { $0.id == id }
        fresh.remove(id)
    }

    /// Ends a scan.
    mutating func stop(_ id: WebRequest.ScanID) {
        if calls.contains(where: { $0.id == id && $0.purpose == .scan }) { remove(id) }
    }

    /// Another document, or none, came to the front.
    mutating func lostFront() {
        isPaused = false
        fresh = []
    }

    /// Takes out the operations that wait for a tag, without the one that has begun on a tag.
    mutating func takeWaiting(keeping running: WebRequest.CallID?) -> [WebRequest.CallID] {
        let waiting = calls.filter { $0.purpose != .scan && !$0.isChecking && $0.id != running }.map(\.id)
        for id in waiting { remove(id) }
        return waiting
    }
}

extension WebDocument.Call {
    /// Why the operation is refused on a tag with this content; nil where it is tried.
    func refusal(by content: WebTag.Content) -> WebError? {
        switch (content, purpose) {
        case (.unsupported(let reason), _): WebError(.notSupported, reason)
        case (.failed(let error), .lock): error
        // What is broken can be overwritten; whether it can, the tag decides.
        case (.failed(let error), _): overwrites ? nil : error
        case (.message, .write) where !overwrites:
            WebError(.notAllowed, "The tag holds a message, and overwrite is false.")
        case (.blank, .lock): WebError(.notSupported, "The tag holds no NDEF; write a message first.")
        case (.message(_, isReadOnly: true), .lock), (.empty(isReadOnly: true), .lock):
            WebError(.notSupported, "The tag is read-only already.")
        default: nil
        }
    }
}
