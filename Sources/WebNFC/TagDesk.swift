package import NDEF

/// Decides which page gets a tag, and what is done with it: requests and events go in, actions come out; no I/O, no clock.
///
/// Only the document in front has the reader. A session is held while that document scans, or waits to write or to lock, and a
/// moment longer, so that its next call finds the same tag. One tag at a time is worked on, in this order: it is read for the
/// scans, then written, then locked (Web NFC, §"NFC reading" and §"Writing or pushing content").
package struct TagDesk: Sendable {
    /// What nfcd-web has to do, in this order.
    package enum Action: Sendable, Hashable {
        /// Ask nfcd whether there is a reader, and whether this user may do it; answer with ``TagDesk/checked(_:_:)``.
        case check(WebRequest.CallID, Purpose)
        /// Begin a session. The text is shown to people.
        case beginSession(String)
        /// Show another text for the session that continues.
        case showOrigin(String)
        /// End the session.
        case endSession
        /// Connect to a tag and read it; answer with ``TagDesk/examined(_:_:at:)``.
        case examine(WebTag.ID)
        /// Replace the tag's message, after formatting it where `formats`; answer with ``TagDesk/finished(_:_:at:)``.
        case write(WebTag.ID, NDEFMessage, formats: Bool)
        /// Make the tag read-only; answer with ``TagDesk/finished(_:_:at:)``.
        case lock(WebTag.ID)
        /// Send it to the extension.
        case report(WebReport)
    }

    /// What a call does with tags.
    package enum Purpose: Sendable, Hashable {
        case scan, write, lock
    }

    /// How long the session is held after an operation: a page that wrote a tag may make it read-only next.
    package static let hold = Duration.seconds(2)
    /// The wait before a session that ended unexpectedly is begun again.
    package static let retryDelay = Duration.seconds(1)
    /// The most documents, and scans of one document; the extension allows fewer.
    package static let (mostDocuments, mostScans) = (256, 64)

    private enum Session: Hashable {
        case none
        /// It was begun for this origin; `isActive` once it polls.
        case open(origin: String, isActive: Bool)
        /// It was asked to end.
        case ending
    }

    /// A tag that lies there, and what was done with it.
    private struct Contact {
        let tag: WebTag
        /// The scans that were informed about it, or are not to be.
        var informed: Set<WebRequest.ScanID>
        /// Whether it came together with others, and is left alone.
        let isIgnored: Bool
        var content: WebTag.Content?
    }

    /// The step that is being carried out.
    private enum Work: Hashable {
        case examine(WebTag.ID)
        case operation(WebTag.ID, WebRequest.CallID)
    }

    private var documents: [WebRequest.Document: WebDocument] = [:]
    private var front: WebRequest.Document?
    private var session = Session.none
    private var contacts: [Contact] = []
    /// The contacts of the session before, until its successor has found the tags that lie there.
    private var former: [Contact] = []
    private var work: Work?
    private var heldUntil: Duration?
    private var retryAt: Duration?
    private var isLinked = false
    private var reported = WebReport.SessionActivity.none

    package init() {}

    /// When ``tick(at:)`` is due.
    package var nextDeadline: Duration? { [heldUntil, retryAt].compactMap(\.self).min() }

    // MARK: Requests

    /// Takes a request of the extension; `hello` has no effect here.
    package mutating func receive(_ request: WebRequest, at time: Duration) -> [Action] {
        switch request {
        case .hello: return []
        case .scan(let id, let document, let origin): return add(.init(id, .scan), document, origin)
        case .write(let id, let document, let origin, let message, let overwrite):
            return add(.init(id, .write, message: message, overwrites: overwrite), document, origin)
        case .lock(let id, let document, let origin): return add(.init(id, .lock), document, origin)
        case .stop(let id, let document):
            documents[document]?.stop(id)
            return proceed(at: time)
        case .cancel(let id):
            return cancel(id) + proceed(at: time)
        case .front(let document):
            bringToFront(document)
            return proceed(at: time)
        case .forget(let document):
            documents[document] = nil
            if front == document { front = nil }
            return proceed(at: time)
        }
    }

    /// A check that ``Action/check(_:_:)`` asked for has ended.
    ///
    /// - Parameter refusal: why the call fails; nil where it continues.
    package mutating func checked(_ id: WebRequest.CallID, _ refusal: WebError?, at time: Duration) -> [Action] {
        guard let name = documents.first(where: { $0.value.isChecking(id) })?.key else { return [] }
        if let refusal {
            documents[name]?.remove(id)
            return [.report(.failed(id, refusal))]
        }
        let running = runningCall
        let reports = documents[name]?.admit(id, keeping: running) ?? []
        return reports.map { .report($0) } + proceed(at: time)
    }

    /// Takes a call, or refuses it. One with the number of an open call is ignored: a report of that number is the first one's.
    private mutating func add(
        _ call: WebDocument.Call, _ document: WebRequest.Document, _ origin: String
    ) -> [Action] {
        guard call.id != runningCall, !documents.values.contains(where: { $0.has(call.id) }) else { return [] }
        if documents[document] == nil {
            guard documents.count < Self.mostDocuments else {
                return [.report(.failed(call.id, WebError(.notSupported, "too many pages use NFC; close some")))]
            }
            documents[document] = WebDocument(origin: origin)
        }
        guard documents[document]?.add(call, most: Self.mostScans) == true else {
            return [.report(.failed(call.id, WebError(.notSupported, "the page has too many scans; end some")))]
        }
        return [.check(call.id, call.purpose)]
    }

    /// The call whose operation has begun on a tag: it cannot be taken back.
    private var runningCall: WebRequest.CallID? {
        if case .operation(_, let id) = work { id } else { nil }
    }

    private mutating func cancel(_ id: WebRequest.CallID) -> [Action] {
        guard id != runningCall, let name = documents.first(where: { $0.value.has(id) })?.key else { return [] }
        documents[name]?.remove(id)
        return [.report(.failed(id, WebError(.abort, "The call was taken back.")))]
    }

    private mutating func bringToFront(_ name: WebRequest.Document?) {
        guard name != front else { return }
        if let front { documents[front]?.lostFront() }
        front = name
        // A tag that lies there was another page's.
        for index in contacts.indices { contacts[index].informed.formUnion(document?.staleScans ?? []) }
    }

    // MARK: The session

    /// Whether there is a connection to nfcd. Without one, no session continues, and calls that wait for a tag fail.
    package mutating func linkChanged(isLinked linked: Bool, at time: Duration) -> [Action] {
        isLinked = linked
        guard !linked else { return proceed(at: time) }
        let failure = WebError(.notSupported, "The connection to nfcd ended; see nfcctl doctor.")
        return sessionIsOver(at: time) + failWaiting(failure) + proceed(at: time)
    }

    /// The session holds its readers.
    package mutating func sessionBecameActive(at time: Duration) -> [Action] {
        if case .open(let origin, _) = session { session = .open(origin: origin, isActive: true) }
        return proceed(at: time)
    }

    /// How a session ended.
    package enum EndReason: Sendable, Hashable {
        /// By the request of the desk, or by its time limit: the next may begin at once.
        case expected
        /// An operator ended it: the page stops until it is shown again or calls again.
        case byOperator
        /// nfcd refuses it.
        case refused(WebError)
        /// For another reason: the next begins after a moment.
        case unexpected
    }

    /// The session is over.
    package mutating func sessionEnded(_ end: EndReason, at time: Duration) -> [Action] {
        var actions = sessionIsOver(at: time)
        switch end {
        case .expected: break
        case .byOperator: actions += pause(WebError(.abort, "An operator of nfcd ended the session."))
        case .refused(let error): actions += pause(error)
        case .unexpected: retryAt = time + Self.retryDelay
        }
        return actions + proceed(at: time)
    }

    private mutating func sessionIsOver(at time: Duration) -> [Action] {
        if !contacts.isEmpty { former = contacts }
        (session, contacts) = (.none, [])
        guard let ended = work else { return [] }
        work = nil
        guard case .operation(_, let id) = ended else { return [] }
        return end(id, WebError(.network, "The session ended while the tag was being written."), at: time)
    }

    /// Leaves the document in front alone until it calls again or is shown again.
    private mutating func pause(_ error: WebError) -> [Action] {
        guard let front else { return [] }
        let actions = failWaiting(error)
        documents[front]?.isPaused = true
        heldUntil = nil
        return actions
    }

    private mutating func failWaiting(_ error: WebError) -> [Action] {
        let running = runningCall
        var actions: [Action] = []
        for name in documents.keys.sorted() {
            let ended = documents[name]?.takeWaiting(keeping: running) ?? []
            actions += ended.map { .report(.failed($0, error)) }
        }
        return actions
    }

    // MARK: Tags

    /// The session found tags together.
    package mutating func tagsFound(_ tags: [WebTag], at time: Duration) -> [Action] {
        guard case .open = session else { return [] }
        for tag in tags {
            let isAlone = tags.count { $0.reader == tag.reader } == 1
            // A tag that lay there while no page had the reader was not meant for the scans that had begun before.
            var informed = tag.wasPresent ? document?.staleScans ?? [] : []
            if tag.wasPresent, let known = former.first(where: { $0.tag.mayBe(tag) }) {
                informed.formUnion(known.informed)
            }
            contacts.append(Contact(tag: tag, informed: informed, isIgnored: !isAlone))
        }
        former.removeAll { contact in tags.contains { $0.reader == contact.tag.reader } }
        return proceed(at: time)
    }

    /// A tag has left. The step with it continues until it is reported as ended.
    package mutating func tagLeft(_ id: WebTag.ID, at time: Duration) -> [Action] {
        contacts.removeAll { $0.tag.id == id }
        return proceed(at: time)
    }

    /// A tag came to a reader, and nfcd could not connect to it.
    package mutating func tagFailed(_ reason: String, at time: Duration) -> [Action] {
        guard let front, let document, !document.isPaused else { return [] }
        let error = WebError(.network, reason)
        let reports = tapReports(.failed(error), identifier: [], for: front, document.scans)
        let running = runningCall
        let failed = documents[front]?.takeWaiting(keeping: running) ?? []
        return reports + failed.map { .report(.failed($0, error)) } + proceed(at: time)
    }

    /// A tag that ``Action/examine(_:)`` named was read.
    package mutating func examined(_ id: WebTag.ID, _ content: WebTag.Content, at time: Duration) -> [Action] {
        guard work == .examine(id) else { return [] }
        work = nil
        guard let index = contacts.firstIndex(where: { $0.tag.id == id }) else {
            return leftWhileRead(content, at: time)
        }
        contacts[index].content = content
        return proceed(at: time)
    }

    /// The tag left before it was read, or right afterwards: it was a tap all the same.
    private mutating func leftWhileRead(_ content: WebTag.Content, at time: Duration) -> [Action] {
        guard case .failed(let error) = content else { return proceed(at: time) }
        return tagFailed(error.message, at: time)
    }

    /// A write or lock has ended.
    ///
    /// - Parameter error: why it failed; nil where the tag has what it was to get.
    package mutating func finished(_ id: WebTag.ID, _ error: WebError?, at time: Duration) -> [Action] {
        guard case .operation(id, let call) = work else { return [] }
        work = nil
        if let index = contacts.firstIndex(where: { $0.tag.id == id }) { contacts[index].content = nil }
        return end(call, error, at: time) + proceed(at: time)
    }

    private mutating func end(_ id: WebRequest.CallID, _ error: WebError?, at time: Duration) -> [Action] {
        heldUntil = time + Self.hold
        for name in documents.keys { documents[name]?.remove(id) }
        return [.report(error.map { .failed(id, $0) } ?? .done(id))]
    }

    // MARK: What is next

    /// Time has passed.
    package mutating func tick(at time: Duration) -> [Action] { proceed(at: time) }

    /// The document in front.
    private var document: WebDocument? { front.flatMap { documents[$0] } }

    private mutating func proceed(at time: Duration) -> [Action] {
        if let end = heldUntil, end <= time { heldUntil = nil }
        if let end = retryAt, end <= time { retryAt = nil }
        let actions = work == nil ? workOnTags(at: time) : []
        return actions + keepSession()
    }

    /// Whether the document in front needs the reader.
    private var wantsSession: Bool {
        guard let document else { return false }
        return document.isBusy && !document.isPaused
    }

    private mutating func keepSession() -> [Action] {
        let origin = document?.origin ?? ""
        var actions: [Action] = []
        switch session {
        case .none where wantsSession && isLinked && retryAt == nil:
            session = .open(origin: origin, isActive: false)
            actions.append(.beginSession(origin))
        case .open where !wantsSession && work == nil && (heldUntil == nil || document == nil):
            session = .ending
            heldUntil = nil
            contacts = []
            actions.append(.endSession)
        case .open(let shown, let isActive) where wantsSession && shown != origin:
            session = .open(origin: origin, isActive: isActive)
            actions.append(.showOrigin(origin))
        default: break
        }
        return actions + reportState()
    }

    private mutating func reportState() -> [Action] {
        var state = WebReport.SessionActivity.none
        if wantsSession { state = if case .open(_, isActive: true) = session { .active } else { .waiting } }
        defer { reported = state }
        return state == reported ? [] : [.report(.state(state))]
    }

    /// The next step with the tags that lie there.
    private mutating func workOnTags(at time: Duration) -> [Action] {
        guard let front, let document, !document.isPaused else { return [] }
        for index in contacts.indices where !contacts[index].isIgnored {
            let scans = document.scans.filter { !contacts[index].informed.contains($0) }
            guard !scans.isEmpty || document.waits else { continue }
            guard let content = contacts[index].content ?? blockedContent(contacts[index].tag) else {
                work = .examine(contacts[index].tag.id)
                return [.examine(contacts[index].tag.id)]
            }
            contacts[index].informed.formUnion(scans)
            let reports = tapReports(content, identifier: contacts[index].tag.identifier, for: front, scans)
            let actions = reports + operate(on: contacts[index].tag, content, at: time)
            // Another tag may lie there, or another operation wait.
            return work == nil ? actions + workOnTags(at: time) : actions
        }
        return []
    }

    private func blockedContent(_ tag: WebTag) -> WebTag.Content? {
        tag.isBlocked ? .unsupported("Pages must not reach security keys.") : nil
    }

    private func tapReports(
        _ content: WebTag.Content, identifier: [UInt8], for document: WebRequest.Document, _ scans: [WebRequest.ScanID]
    ) -> [Action] {
        guard !scans.isEmpty else { return [] }
        let report: WebReport =
            switch content {
            case .message(let message, _): .tap(document, scans: scans, identifier: identifier, message)
            case .empty, .blank: .tap(document, scans: scans, identifier: identifier, NDEFMessage())
            case .unsupported(let reason): .tapError(document, scans: scans, reason: reason)
            case .failed(let error): .tapError(document, scans: scans, reason: error.message)
            }
        return [.report(report)]
    }

    /// Begins the operation that waits for this tag, or refuses it; a write comes before a lock.
    private mutating func operate(on tag: WebTag, _ content: WebTag.Content, at time: Duration) -> [Action] {
        guard let call = document?.nextOperation else { return [] }
        if let refusal = call.refusal(by: content) {
            return end(call.id, refusal, at: time)
        }
        work = .operation(tag.id, call.id)
        return [call.purpose == .lock ? .lock(tag.id) : .write(tag.id, call.message, formats: content == .blank)]
    }
}
