import FoundationEssentials
import LocalSocket
import NDEF
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

extension MethodTable {
    /// `sessions.*`, `readers.identify` and `server.metrics`.
    mutating func addOperatorMethods(_ coordinator: SessionCoordinator) {
        on(SessionsList.self) { parameters, peer in
            let offset = parameters.offset ?? 0
            guard offset >= 0 else {
                throw RPCError.invalidParameters("expected a number of at least 0", path: "params.offset")
            }
            let seesAll = peer.permissions.allow([.monitor])
            let sessions = await coordinator.summaries().filter { session in
                seesAll || (session.client as? Peer)?.credentials.isSameUser(as: peer.credentials) == true
            }
            return Reply(SessionsList.page(of: sessions.dropFirst(offset)))
        }
        on(SessionsCancel.self) { parameters, peer in
            do throws(SessionError) {
                try await coordinator.cancel(
                    SessionID(rawValue: parameters.session),
                    errorMessage: parameters.errorMessage ?? "cancelled by \(peer.label)")
            } catch {
                throw RPCError(
                    .sessionInvalidated, detail: "session \(parameters.session) does not exist or has ended")
            }
            return Reply(Empty())
        }
        on(ReadersIdentify.self) { parameters, _ in
            let readers = await coordinator.readers().filter { reader in
                parameters.reader.map { $0 == reader.entry.description.id.rawValue } ?? true
            }
            if let name = parameters.reader, readers.isEmpty {
                throw RPCError.invalidParameters("there is no reader \(name.prefix(64))", path: "params.reader")
            }
            let free = readers.filter { !$0.isInUse && $0.entry.failure == nil }.map(\.entry.description)
            return Reply(ReadersIdentify.Result(readers: await coordinator.identify(free).map(\.rawValue)))
        }
        on(ServerMetrics.self) { _, _ in
            Reply(ServerMetrics.Result(text: await coordinator.metricsText(version: NFCDVersion.release)))
        }
    }
}

extension MethodTable {
    /// `events.*` and `notices.*`.
    mutating func addEventMethods(_ coordinator: SessionCoordinator) {
        on(EventsSubscribe.self) { _, peer in
            await coordinator.addListener(peer)
            return Reply(Empty())
        }
        on(NoticesShow.self) { parameters, peer in
            do throws(NoticeError) {
                let notice = try await coordinator.showNotice(parameters.text, by: peer)
                return Reply(NoticesShow.Result(notice: notice.rawValue))
            } catch {
                throw RPCError(.systemIsBusy, detail: "\(error)")
            }
        }
        on(NoticesHide.self) { parameters, peer in
            await coordinator.hideNotice(NoticeID(rawValue: parameters.notice), by: peer.id)
            return Reply(Empty())
        }
    }
}

// The events that clients observe, as notifications.

extension ReaderAttached {
    init(_ reader: ReaderDescription) {
        self.init(
            reader: reader.id.rawValue, name: reader.name, technologies: reader.technologies.map(\.rawValue),
            profile: reader.profile.slug, serial: reader.serial)
    }
}

extension SessionBegan {
    init(_ session: SessionSummary) {
        self.init(
            session: session.id.rawValue, client: ClientProcess(session.client),
            readers: session.readers.map(\.rawValue), kind: session.request.kind)
    }
}

extension NoticeShown {
    init(_ notice: Notice) {
        self.init(notice: notice.id.rawValue, text: notice.text, client: ClientProcess(notice.client))
    }
}

extension SessionsList {
    /// The first sessions, as many as certainly fit into a line.
    fileprivate static func page(of summaries: some Sequence<SessionSummary>) -> [Session] {
        var room = JSONLine.maximumLength - 1_024
        var page: [Session] = []
        for session in summaries.lazy.map({ Session($0) }) {
            room -= session.maximumLength
            guard room >= 0 else { break }
            page.append(session)
        }
        return page
    }
}

extension SessionsList.Session {
    /// The most bytes of its JSON form: a byte of a text takes up to six, as `\u0000`.
    fileprivate var maximumLength: Int {
        512 + 6 * (alertMessage.utf8.count + readers.reduce(0) { $0 + $1.utf8.count + 1 })
    }

    init(_ session: SessionSummary) {
        let since = Date.now.addingTimeInterval(-(session.age / .seconds(1)))
        self.init(
            session: session.id.rawValue, client: ClientProcess(session.client),
            state: session.state, readers: session.readers.map(\.rawValue),
            kind: session.request.kind, alertMessage: session.alertMessage,
            since: since.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            remaining: session.remaining.map { $0 / .seconds(1) })
    }
}

extension ClientProcess {
    fileprivate init(_ client: any SessionClient) {
        let credentials = (client as? Peer)?.credentials
        // Every client of the server is a peer. For another one nothing is known; (uid_t)-1 is not a user.
        self.init(uid: credentials?.userID ?? .max, pid: credentials?.processID ?? 0)
    }
}
