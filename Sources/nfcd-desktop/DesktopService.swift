import Logging
import NFCClient
import NFCProtocol
import ServiceClient
import ServiceSupport
import Threading

/// Shows the taps of nfcd to the person in the session, and does what that person clicks.
actor DesktopService: Service {
    private let configuration: DesktopConfiguration
    private let link: DaemonLink
    private let session: DesktopSession
    private let time: ServiceTime
    private let logger: Logger
    private var recent = RecentTaps()
    private var board = NoticeBoard()
    private var lastComplaint = ""

    init(
        _ configuration: DesktopConfiguration, link: DaemonLink, session: DesktopSession, time: ServiceTime,
        logger: Logger
    ) {
        self.configuration = configuration
        self.link = link
        self.session = session
        self.time = time
        self.logger = logger
    }

    nonisolated func run(until stop: StopSignal) async throws {
        try await session.bus.match(NotificationServer.rule)
        try await stop.cancelling { [self] in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.session.bus.run() }
                group.addTask { for await signal in self.session.signals { await self.take(signal) } }
                group.addTask { await self.link.forEachConnection { try await self.follow($0) } }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Follows one connection until it ends.
    private func follow(_ client: NFCClient) async throws {
        do {
            let taps = try await client.observeTaps(
                matching: configuration.filter, requiring: configuration.requirement)
            link.noteRefusal(nil)
            logger.info("waiting for taps")
            for try await case .didReadTag(let tap) in taps { await take(tap) }
        } catch let error as NFCClientError {
            if case .refused = error {
                link.noteRefusal("\(error)")
                logger.error("\(error). Add the user to the group nfc, and log in again.")
            }
            throw error
        }
    }

    private func take(_ tap: BackgroundDidReadTag) async {
        guard configuration.uses(reader: tap.reader, name: tap.readerName) else { return }
        let novelty = recent.take(
            reader: tap.reader, tag: tap.tag.identifier.bytes, isRead: tap.error == nil, now: time.now())
        guard novelty != .repeated else {
            return logger.debug("a tap was ignored: the same tag acted a moment ago")
        }
        guard await mayAct() else { return }
        let notice = TapNotice(tap, configuration.policy)
        var failures: [String] = []
        if let rule = configuration.typingRule(reader: tap.reader, name: tap.readerName),
            novelty == .new || rule.content != .uid
        {
            if let failure = await type(tap, rule) { failures.append("Nothing was typed: \(failure).") }
        }
        if let link = notice.link, configuration.policy.opensByItself(link) {
            if let failure = await open(link, token: nil) { failures.append("It was not opened: \(failure).") }
        }
        for failure in failures { complain(failure) }
        if configuration.shows { await show(notice, failures, reader: tap.reader) }
    }

    /// Whether the person in front of the screen is the user of this session.
    private func mayAct() async -> Bool {
        switch await session.lock.state() {
        case .active: return true
        case .locked, .inBackground:
            logger.debug("a tap was ignored: the session is locked, or not on the screen")
            return false
        case .unknown(let reason):
            if configuration.unknownLock == .unlocked { return true }
            complain(
                "taps are ignored, because nothing reports whether this session is locked: \(reason). Set unknown-lock in section [session] of desktop.toml to unlocked to use them anyway"
            )
            return false
        }
    }

    private func type(_ tap: BackgroundDidReadTag, _ rule: TypingRule) async -> String? {
        let shown = ShownRecord.chosen(of: tap.messages.flatMap(\.records), at: tap.record)
        do {
            let text = try rule.text(identifier: tap.tag.identifier.bytes, shown: shown)
            try await session.keyboard.type(text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func open(_ link: TagLink, token: String?) async -> String? {
        do {
            try await session.opener.open(link, token: token)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func show(_ notice: TapNotice, _ failures: [String], reader: String) async {
        let body = ([notice.body] + failures).joined(separator: "\n")
        await show(notice, body, notice.actions, reader: reader)
    }

    private func show(
        _ notice: TapNotice, _ body: String, _ actions: [NotificationServer.Action], reader: String
    ) async {
        let notification = NotificationServer.Notification(summary: notice.summary, body: body, actions: actions)
        do {
            let number = try await session.notifications.show(
                notification, replacing: board.number(ofReader: reader))
            board.add(number, notice, reader: reader)
        } catch {
            complain("no notification can be shown: \(error)")
        }
    }

    private func take(_ signal: BusSignal) async {
        switch await session.notifications.event(signal) {
        case .action(let number, let action):
            guard let entry = board.take(number), await mayAct() else { return }
            await perform(action, entry)
        case .token(let number, let token): board.note(token, of: number)
        case .closed(let number): board.remove(number)
        case nil: break
        }
    }

    private func perform(_ action: NotificationServer.Action, _ entry: NoticeBoard.Entry) async {
        var failure: String?
        switch action {
        case .default, .open:
            guard let link = entry.notice.link else { return }
            failure = await open(link, token: entry.token).map { "It was not opened: \($0)." }
        case .copy:
            guard let text = entry.notice.copied else { return }
            do {
                try await session.clipboard.copy(text)
            } catch {
                failure = "It was not copied: \(error)."
            }
        case .details:
            let actions = entry.notice.actions.filter { $0 != .details }
            await show(entry.notice, entry.notice.details, actions, reader: entry.reader)
        }
        guard let failure else { return }
        complain(failure)
        await show(entry.notice, [failure], reader: entry.reader)
    }

    /// Logs a failure, once until another one.
    private func complain(_ failure: String) {
        guard failure != lastComplaint else { return }
        lastComplaint = failure
        logger.warning("\(failure)")
    }
}

extension TapNotice {
    /// What a person can do with it.
    var actions: [NotificationServer.Action] {
        (link == nil ? [] : [.default, .open]) + (copied == nil ? [] : [.copy]) + [.details]
    }
}
