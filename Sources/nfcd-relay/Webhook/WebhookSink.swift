import FoundationEssentials
import Logging
import NFCProtocol
import ServiceSupport
import Threading

/// Delivers taps with HTTP POST.
final class WebhookSink: Sink {
    private static let attempts = 3

    private let settings: WebhookSettings
    private let identity: RelayIdentity
    private let signer: WebhookSigner
    private let sender: HTTPSender
    private let time: ServiceTime
    private let logger: Logger
    private let name: String

    init(
        _ settings: WebhookSettings, identity: RelayIdentity, logger: Logger, name: String, time: ServiceTime = .system
    ) {
        self.settings = settings
        self.identity = identity
        self.logger = logger
        self.name = name
        self.time = time
        sender = HTTPSender(time)
        signer = WebhookSigner(settings.keys)
    }

    /// There is no connection to keep up.
    func run(_ consumer: any SinkObserver) async {
        await Task.untilCancelled()
    }

    func deliver(_ event: TapEvent) async -> Delivery {
        do {
            let body = try WebhookBody(event, settings, identity)
            return try await post(body, id: event.tap.id, isTest: false)
        } catch let error as WebhookBody.Unsuitable {
            return error.delivery
        } catch {
            return .unacceptable("the tap cannot be encoded: \(error)")
        }
    }

    func deliver(_ notice: RelayNotice) async -> Delivery {
        do {
            guard let body = try WebhookBody(notice, settings, identity) else {
                return .delivered("the receiver has no use for it")
            }
            return try await post(body, id: notice.id, isTest: notice.subject == .test)
        } catch {
            return .unacceptable("the notice cannot be encoded: \(error)")
        }
    }

    // MARK: One request

    private func post(_ body: WebhookBody, id: String, isTest: Bool) async throws -> Delivery {
        let url = WebhookBody.target(settings.url, settings.preset)
        switch await answer(to: body, at: url, id) {
        case .failure(let failure): return .retry("\(failure)")
        case .success(let answer):
            let clocks = ClockReading(time)
            switch settings.preset {
            case .cloudevents, .json, .ntfy: return answer.delivery(clocks)
            case .spoolman: return answer.scanDelivery(clocks, address: "url")
            case .moonraker: return try await activateSpool(Moonraker.outcome(of: answer, clocks), id, isTest)
            }
        }
    }

    /// The second request to Moonraker, if a spool has the tag.
    private func activateSpool(_ scan: Moonraker.ScanOutcome, _ id: String, _ isTest: Bool) async throws -> Delivery {
        switch scan {
        case .failed(let failure): return failure
        case .unknownTag: return .delivered("Spoolman answers through Moonraker; no spool has this tag")
        case .spool where isTest: return .delivered("Spoolman answers through Moonraker")
        case .spool(let spool):
            let body = try WebhookBody(activating: spool)
            switch await answer(to: body, at: settings.url + Moonraker.spoolPath, id) {
            case .failure(let failure): return .retry("\(failure)")
            case .success(let answer): return Moonraker.delivery(of: spool, answer, ClockReading(time))
            }
        }
    }

    /// A request on a connection that the receiver has closed meanwhile is repeated at once; its id makes that safe. After a
    /// restart of the receiver, other connections may be closed as well.
    private func answer(to body: WebhookBody, at url: String, _ id: String) async -> HTTPTransfer.Outcome {
        for _ in 0..<Self.attempts {
            switch await sender.send(request(body, url, id)) {
            case .failure(.closed): continue
            case .failure(let failure): return .failure(failure)
            case .success(let answer):
                logger.debug("\(name): \(id): HTTP \(answer.status)")
                return .success(answer)
            }
        }
        return .failure(.closed)
    }

    private func request(_ body: WebhookBody, _ url: String, _ id: String) -> HTTPRequest {
        let seconds = Int64(time.wall().timeIntervalSince1970)
        var headers = [("content-type", body.contentType), ("user-agent", "nfcd-relay")]
        for (name, value) in signer.headers(id: id, seconds: seconds, body: body.data) + settings.headers {
            headers.removeAll { $0.0.lowercased() == name.lowercased() }
            headers.append((name, value))
        }
        return HTTPRequest(
            url: url, headers: headers, body: body.data, authorities: settings.authorities, timeout: settings.timeout,
            bodyWait: settings.bodyWait,
            answerLength: settings.preset == .moonraker ? Moonraker.longestAnswer : WebhookAnswer.longestText)
    }
}
