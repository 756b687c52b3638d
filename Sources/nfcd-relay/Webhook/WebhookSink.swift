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
            let body = try WebhookBody(event, settings.preset, url: settings.url, identity)
            return await post(body, id: event.tap.id)
        } catch let error as WebhookBody.Unsuitable {
            return .unacceptable(error.reason)
        } catch {
            return .unacceptable("the tap cannot be encoded: \(error)")
        }
    }

    func deliver(_ notice: RelayNotice) async -> Delivery {
        do {
            guard let body = try WebhookBody(notice, settings.preset, url: settings.url, identity) else {
                return .delivered("the receiver has no use for it")
            }
            return await post(body, id: notice.id)
        } catch {
            return .unacceptable("the notice cannot be encoded: \(error)")
        }
    }

    // MARK: One request

    /// A request on a connection that the receiver has closed meanwhile is repeated at once; its id makes that safe. After a
    /// restart of the receiver, other connections may be closed as well.
    private func post(_ body: WebhookBody, id: String) async -> Delivery {
        for _ in 0..<Self.attempts {
            if let delivery = await attempt(body, id) { return delivery }
        }
        return .retry("\(HTTPFailure.closed)")
    }

    /// - Returns: nil if the receiver closed the connection without an answer.
    private func attempt(_ body: WebhookBody, _ id: String) async -> Delivery? {
        switch await sender.send(request(body, id)) {
        case .success(let answer):
            logger.debug("\(name): \(id): HTTP \(answer.status)")
            return answer.delivery(ClockReading(time))
        case .failure(.closed): return nil
        case .failure(let failure): return .retry("\(failure)")
        }
    }

    private func request(_ body: WebhookBody, _ id: String) -> HTTPRequest {
        let seconds = Int64(time.wall().timeIntervalSince1970)
        var headers = [("content-type", body.contentType), ("user-agent", "nfcd-relay")]
        for (name, value) in signer.headers(id: id, seconds: seconds, body: body.data) + settings.headers {
            headers.removeAll { $0.0.lowercased() == name.lowercased() }
            headers.append((name, value))
        }
        return HTTPRequest(
            url: WebhookBody.target(settings.url, settings.preset), headers: headers, body: body.data,
            authorities: settings.authorities, timeout: settings.timeout, bodyWait: settings.bodyWait)
    }
}
