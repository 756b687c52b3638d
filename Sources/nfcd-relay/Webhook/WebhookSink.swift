import AsyncHTTPClient
import FoundationEssentials
import Logging
import NFCProtocol
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Delivers taps with HTTP POST.
final class WebhookSink: Sink {
    private static let mostAnswer = 64 * 1024
    private static let mostText = 1024
    private static let connections = 8
    private static let repeats = 2

    private let settings: WebhookSettings
    private let identity: RelayIdentity
    private let signer: WebhookSigner
    private let client: HTTPClient
    private let logger: Logger
    private let name: String

    init(_ settings: WebhookSettings, identity: RelayIdentity, logger: Logger, name: String) {
        self.settings = settings
        self.identity = identity
        self.logger = logger
        self.name = name
        signer = WebhookSigner(settings.keys)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Self.configuration(settings))
    }

    private static func configuration(_ settings: WebhookSettings) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        // TLS 1.0 and 1.1 are obsolete (RFC 8996).
        tls.minimumTLSVersion = .tlsv12
        if let file = settings.authorities { tls.trustRoots = .file(file) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: .nanoseconds(Int64(settings.timeout / .nanoseconds(1)))))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        // A refused connection is reported at once; the lane waits.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = ResponseGuard.add
        return configuration
    }

    /// There is no connection to keep up; the client is shut down at the end.
    func run(_ consumer: any SinkObserver) async {
        for await _ in AsyncStream<Never>.makeStream().stream {}
        // The pool is closed although this task is cancelled.
        let client = client
        await Task { try? await client.shutdown() }.value
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
    /// restart of the receiver, other connections of the pool may be closed as well.
    private func post(_ body: WebhookBody, id: String) async -> Delivery {
        for _ in 0..<Self.repeats {
            do {
                return try await attempt(body, id)
            } catch {
                guard Self.isClosedConnection(error) else { return .retry(Self.words(error)) }
            }
        }
        do { return try await attempt(body, id) } catch { return .retry(Self.words(error)) }
    }

    /// Whether the receiver closed the connection: in order, with a reset, or before the request was sent.
    private static func isClosedConnection(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed
        case let error as IOError: [ECONNRESET, EPIPE, ENOTCONN].contains(error.errnoCode)
        case let error as ChannelError:
            [.ioOnClosedChannel, .alreadyClosed, .outputClosed, .inputClosed, .eof].contains(error)
        case let error as NIOSSLError: error == .uncleanShutdown
        default: false
        }
    }

    private func attempt(_ body: WebhookBody, _ id: String) async throws -> Delivery {
        let request = request(body, id)
        let timeout = settings.timeout
        let response = try await within(timeout) { [client] in
            try await client.execute(request, timeout: .nanoseconds(Int64(timeout / .nanoseconds(1))))
        }
        guard let response else { return .retry("no answer within \(timeout.wholeSeconds) s") }
        let answer = WebhookAnswer(
            status: response.status.code, retryAfter: response.headers.first(name: "retry-after"),
            date: response.headers.first(name: "date"), text: await text(of: response.body))
        logger.debug("\(name): \(id): HTTP \(answer.status)")
        return answer.delivery(.now)
    }

    private func request(_ body: WebhookBody, _ id: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: WebhookBody.target(settings.url, settings.preset))
        request.method = .POST
        request.headers.add(name: "content-type", value: body.contentType)
        request.headers.add(name: "user-agent", value: "nfcd-relay")
        let seconds = Int64(Date().timeIntervalSince1970)
        for (name, value) in signer.headers(id: id, seconds: seconds, body: body.data) + settings.headers {
            request.headers.replaceOrAdd(name: name, value: value)
        }
        request.body = .bytes(ByteBuffer(bytes: body.data))
        return request
    }

    /// The beginning of the body, as far as it arrives in time. The status is the answer: a body that is cut off, or never ends,
    /// changes nothing.
    private func text(of body: HTTPClientResponse.Body) async -> String {
        let beginning = Mutex<[UInt8]>([])
        _ = try? await within(min(settings.bodyWait, settings.timeout)) {
            var count = 0
            for try await part in body {
                count += part.readableBytes
                beginning.withLock { $0 += part.readableBytesView.prefix(Self.mostText - $0.count) }
                if count > Self.mostAnswer { break }
            }
        }
        return String(decoding: beginning.withLock { $0 }, as: UTF8.self).printable
    }

    /// Nil where it takes longer.
    private func within<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case let error as HTTPClientError where error == .connectTimeout: "no connection within 5 s"
        case let error as HTTPClientError where [.readTimeout, .deadlineExceeded].contains(error): "no answer in time"
        case let error as IOError: "no connection: \(error.description)"
        case let error as InvalidResponse: "\(error)"
        default: "\(error)".printable
        }
    }
}
