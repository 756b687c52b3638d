import Logging
import NFCClient
import NFCProtocol
import ServiceClient
import ServiceSupport
import WebNFC

/// Carries out what ``TagDesk`` decides, with one connection to nfcd and at most one session.
///
/// Everything that happens comes in one after another, by the inbox; what takes time is a child task that reports there.
actor WebHost {
    private enum Input: Sendable {
        /// The extension is asked for its next request when this one was handled.
        case request(WebRequest, handled: CheckedContinuation<Void, Never>)
        case link(NFCClient?)
        case checked(WebRequest.CallID, WebError?)
        case session(SessionReport, of: Running.Number)
        case examined(WebTag.ID, WebTag.Content)
        case finished(WebTag.ID, WebError?)
        case alarm
    }

    /// What happens to the session of nfcd.
    private enum SessionReport: Sendable {
        case began(ReaderSession)
        case active
        case found([RemoteTag])
        case left(RemoteTag.ID)
        case failed(String)
        case ended(TagDesk.EndReason)
    }

    /// The session, from the moment that it is asked for.
    private struct Running {
        /// Different for each session of this process.
        typealias Number = Int

        enum Phase {
            /// It is asked for.
            case beginning
            /// It ends as soon as it has begun.
            case unwanted
            case open(ReaderSession)
            /// It was asked to end.
            case ending
        }

        let number: Number
        var phase = Phase.beginning
        var tags: [WebTag.ID: RemoteTag] = [:]

        /// Whether it was not asked to end.
        var isWanted: Bool {
            switch phase {
            case .beginning, .open: true
            case .unwanted, .ending: false
            }
        }

        /// The name of a tag among those of all sessions.
        func name(_ id: RemoteTag.ID) -> WebTag.ID { "\(number)/\(id)" }
    }

    /// The version of the verbs.
    private static let version = 1

    private let endpoint: SocketEndpoint
    private let link: DaemonLink
    private let time: ServiceTime
    private let logger: Logger
    private let inbox: AsyncStream<Input>
    private let report: AsyncStream<Input>.Continuation

    private var desk = TagDesk()
    private var client: NFCClient?
    private var running: Running?
    private var sessions: Running.Number = 0
    private var alarm: (task: Task<Void, Never>, deadline: Duration)?

    init(_ endpoint: SocketEndpoint, time: ServiceTime, logger: Logger) {
        self.endpoint = endpoint
        self.time = time
        self.logger = logger
        link = DaemonLink(endpoint, time: time, logger: logger)
        (inbox, report) = AsyncStream.makeStream()
    }

    /// Takes a request of the extension; returns when it was handled.
    nonisolated func take(_ request: WebRequest) async {
        await withCheckedContinuation { handled in
            if case .terminated = report.yield(.request(request, handled: handled)) { handled.resume() }
        }
    }

    /// Runs until the task is cancelled; then the session ends with the connection.
    ///
    /// - Parameter send: takes what is for the extension, in its order; must not block.
    func run(_ send: @escaping @Sendable (WebReport) -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { [link] in await link.run() }
            group.addTask { [link, report] in
                await link.forEachConnection { client in
                    report.yield(.link(client))
                    _ = try? await client.waitForEnd()
                    report.yield(.link(nil))
                }
            }
            for await input in inbox {
                perform(take(input, send, &group), send, &group)
                setAlarm()
            }
            report.finish()
            alarm?.task.cancel()
            group.cancelAll()
        }
    }

    // MARK: What happened

    private func take(
        _ input: Input, _ send: (WebReport) -> Void, _ group: inout DiscardingTaskGroup
    ) -> [TagDesk.Action] {
        let now = time.now()
        switch input {
        case .request(.hello, let handled):
            handled.resume()
            send(.hello(version: Self.version, release: NFCDVersion.release))
            return []
        case .request(let request, let handled):
            handled.resume()
            return desk.receive(request, at: now)
        case .link(let client):
            self.client = client
            if client == nil { running = nil }
            return desk.linkChanged(isLinked: client != nil, at: now)
        case .checked(let id, let refusal): return desk.checked(id, refusal, at: now)
        case .session(let event, let number):
            if let running, running.number == number { return take(event, of: running, at: now, &group) }
            // The connection was lost and is back: no session of before is wanted.
            if case .began(let session) = event { end(session, &group) }
            return []
        case .examined(let tag, let content): return desk.examined(tag, content, at: now)
        case .finished(let tag, let error): return desk.finished(tag, error, at: now)
        case .alarm:
            alarm = nil
            return desk.tick(at: now)
        }
    }

    private func take(
        _ event: SessionReport, of session: Running, at now: Duration, _ group: inout DiscardingTaskGroup
    ) -> [TagDesk.Action] {
        switch event {
        case .began(let begun):
            running?.phase = session.isWanted ? .open(begun) : .ending
            if !session.isWanted { end(begun, &group) }
            return []
        case .active: return desk.sessionBecameActive(at: now)
        case .found(let tags):
            let named = tags.map { (session.name($0.id), $0) }
            for (name, tag) in named { running?.tags[name] = tag }
            return desk.tagsFound(named.map { WebTag($0, $1) }, at: now)
        case .left(let id):
            running?.tags[session.name(id)] = nil
            return desk.tagLeft(session.name(id), at: now)
        case .failed(let reason): return desk.tagFailed(reason, at: now)
        case .ended(let end):
            running = nil
            return desk.sessionEnded(session.isWanted ? end : .expected, at: now)
        }
    }

    /// Sets the alarm for what is due next.
    private func setAlarm() {
        guard let due = desk.nextDeadline, alarm.map({ due < $0.deadline }) ?? true else { return }
        alarm?.task.cancel()
        let task = Task { [time, report] in
            guard (try? await time.sleep(max(.zero, due - time.now()))) != nil else { return }
            report.yield(.alarm)
        }
        alarm = (task, due)
    }

    // MARK: What is to be done

    private func perform(
        _ actions: [TagDesk.Action], _ send: (WebReport) -> Void, _ group: inout DiscardingTaskGroup
    ) {
        for action in actions { perform(action, send, &group) }
    }

    private func perform(
        _ action: TagDesk.Action, _ send: (WebReport) -> Void, _ group: inout DiscardingTaskGroup
    ) {
        switch action {
        case .report(let message): send(message)
        case .check(let id, let purpose):
            group.addTask { [endpoint, report] in
                report.yield(.checked(id, await ReaderWork.refusal(purpose, endpoint)))
            }
        case .beginSession(let origin): begin(origin, &group)
        case .showOrigin(let origin):
            guard case .open(let session) = running?.phase else { return }
            group.addTask { try? await session.setAlertMessage(origin) }
        case .endSession:
            switch running?.phase {
            case .beginning: running?.phase = .unwanted
            case .open(let session):
                running?.phase = .ending
                end(session, &group)
            case .unwanted, .ending, nil: break
            }
        case .examine(let tag):
            work(tag, &group, lost: .examined(tag, .failed(Self.gone))) { .examined(tag, await ReaderWork.examine($0)) }
        case .write(let tag, let message, let formats):
            work(tag, &group, lost: .finished(tag, Self.gone)) {
                .finished(tag, await ReaderWork.write(message, to: $0, formats: formats))
            }
        case .lock(let tag):
            work(tag, &group, lost: .finished(tag, Self.gone)) { .finished(tag, await ReaderWork.lock($0)) }
        }
    }

    private static let gone = WebError(.network, "The tag has left.")

    /// Works with a tag, and reports the result; `lost` where it has left.
    private func work(
        _ tag: WebTag.ID, _ group: inout DiscardingTaskGroup, lost: Input,
        _ operation: @escaping @Sendable (RemoteTag) async -> Input
    ) {
        guard let remote = running?.tags[tag] else {
            report.yield(lost)
            return
        }
        group.addTask { [report] in report.yield(await operation(remote)) }
    }

    private func begin(_ origin: String, _ group: inout DiscardingTaskGroup) {
        sessions += 1
        let number = sessions
        running = Running(number: number)
        guard let client else {
            report.yield(.session(.ended(.unexpected), of: number))
            return
        }
        group.addTask { [report, logger] in
            let end = await Self.observe(client, origin) { report.yield(.session($0, of: number)) }
            logger.debug("a session ended: \(end)")
            report.yield(.session(.ended(end), of: number))
        }
    }

    private func end(_ session: ReaderSession, _ group: inout DiscardingTaskGroup) {
        group.addTask { try? await session.invalidate() }
    }

    /// Runs a session to its end.
    private static func observe(
        _ client: NFCClient, _ origin: String, _ report: (SessionReport) -> Void
    ) async -> TagDesk.EndReason {
        let parameters = SessionBegin.Parameters(
            kind: .ndef, detection: .tags, alertMessage: origin, whenBusy: .queue, waitForReader: true)
        do {
            return try await client.withSession(parameters) { session in
                report(.began(session))
                for await event in session.events {
                    switch event {
                    case .didBecomeActive: report(.active)
                    case .didDetectTags(let tags): report(.found(tags))
                    case .tagRemoved(let tag): report(.left(tag))
                    case .tagFailed(let failure): report(.failed(failure.detail))
                    case .didInvalidate(let end): return TagDesk.EndReason(end)
                    case .didDetectNDEFs, .tagIgnored: break
                    }
                }
                return .unexpected
            }
        } catch {
            let reason = ReaderWork.webError(error)
            return reason.name == .notReadable ? .refused(reason) : .unexpected
        }
    }
}

extension WebTag {
    fileprivate init(_ name: ID, _ tag: RemoteTag) {
        self.init(
            id: name, reader: tag.facts.reader, identifier: tag.identifier,
            historicalBytes: tag.facts.historicalBytes?.bytes ?? [], wasPresent: tag.facts.wasPresent ?? false)
    }
}

extension TagDesk.EndReason {
    /// Why nfcd ended a session that nfcd-web did not end.
    fileprivate init(_ end: SessionEnd) {
        switch end.code {
        case .sessionTimeout: self = .expected
        case .userCanceled: self = .byOperator
        case .securityViolation: self = .refused(WebError(.notReadable, "\(end)"))
        default: self = .unexpected
        }
    }
}
