import ServiceSupport
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a connection is made of.
struct ConnectionPlan: Sendable {
    let server: BrokerServer
    let settings: BrokerSettings
    let version: MQTTVersion
    /// Read when the connection is made, so that a new password is used without a restart.
    let password: SecretLine?
    /// What the broker publishes where the connection is cut.
    let will: MQTTMessage?
    /// Whether the server is tried with a time limit first.
    let triesServerFirst: Bool
}

/// Drives one connection on the thread that calls `run`: libmosquitto is used by this thread only.
///
/// `mosquitto_loop_start` and the library's own reconnecting hang or end silently in several releases, so each connection has a new
/// handle, which is released when it ends.
final class BrokerLoop: MosquittoEvents {
    /// The longest wait of the thread: the library sends its keep-alive after it.
    private static let tick = Duration.seconds(5)
    private static let ratePeriod = Duration.seconds(10)

    private let plan: ConnectionPlan
    private let connection: BrokerConnection
    private let time: ServiceTime
    private var inFlight: InFlight<Int?>
    private var subscriptions: InFlight<String>
    private var answer: ConnectAnswer?
    private var end: ConnectionEnd?
    private var isLeaving = false
    /// When CONNACK, or the acknowledgement of the last message, is overdue.
    private var deadline: Duration
    private var lastError: String?
    private var socket: ScreenedSocket?
    private var screen: PacketScreen
    private var received = 0
    /// Packets that answer nothing the relay has sent.
    private var unasked = 0
    private var receivedSince: Duration

    init(_ plan: ConnectionPlan, _ connection: BrokerConnection, _ time: ServiceTime) {
        self.plan = plan
        self.connection = connection
        self.time = time
        inFlight = InFlight(limit: plan.settings.limits.acknowledgement)
        subscriptions = InFlight(limit: plan.settings.limits.acknowledgement)
        receivedSince = time.now()
        screen = PacketScreen(plan.version, limit: plan.settings.limits.incomingPacket)
        deadline = time.now() + plan.settings.limits.connect
    }

    /// Connects, and returns why the connection ended.
    func run() -> ConnectionEnd {
        if plan.triesServerFirst, let failure = Reachability.failure(of: plan.server, within: .seconds(10)) {
            return .failed(failure)
        }
        let box = EventBox(self)
        return withExtendedLifetime(box) {
            do throws(MosquittoError) {
                let handle = try configured(box)
                try connect(handle)
                while end == nil { try step(handle) }
            } catch {
                end = end ?? failure(error)
            }
            socket?.flush()
            return end ?? .stopped
        }
    }

    /// A handle that is ready to connect. What fails here is the configuration.
    private func configured(_ box: EventBox) throws(MosquittoError) -> MosquittoHandle {
        let handle = try MosquittoHandle(clientID: plan.settings.clientID, version: plan.version, events: box)
        do throws(MosquittoError) {
            if let username = plan.settings.username {
                try handle.setCredentials(username: username, password: plan.password)
            }
            if let tls = plan.settings.tls { try handle.setTLS(tls) }
            if let will = plan.will { try handle.setWill(will, plan.version) }
        } catch {
            end = .misconfigured(
                "the connection to \(plan.server) cannot be set up: \(lastError ?? error.description); check username, ca-file, cert-file and key-file"
            )
            throw error
        }
        return handle
    }

    private func connect(_ handle: MosquittoHandle) throws(MosquittoError) {
        try handle.connect(
            to: plan.server, keepAlive: plan.settings.keepAlive, sessionExpiry: plan.settings.sessionExpiry,
            plan.version)
        if let descriptor = handle.socket {
            socket = try ScreenedSocket(of: descriptor, isEncrypted: plan.settings.tls != nil)
        }
        deadline = time.now() + plan.settings.limits.connect
    }

    private func step(_ handle: MosquittoHandle) throws(MosquittoError) {
        let requests = connection.requests(messages: window - inFlight.count)
        if let farewell = requests.farewell, !isLeaving { leave(handle, farewell) }
        if !isLeaving {
            for topic in requests.subscriptions {
                subscriptions.sent(try handle.subscribe(topic), topic, at: time.now())
            }
            for (id, message) in requests.messages { try publish(handle, id, message) }
        }
        guard end == nil else { return }
        wait(handle)
        inspect(handle)
        guard end == nil else { return }
        // What was published above, and what the library answers.
        defer { socket?.passOut() }
        try handle.loop()
        checkDeadlines(handle)
    }

    /// How many messages may be in flight: none before CONNACK.
    private var window: Int {
        guard let answer else { return 0 }
        return min(plan.settings.limits.window, answer.receiveMaximum ?? .max)
    }

    private func publish(_ handle: MosquittoHandle, _ id: Int, _ message: MQTTMessage) throws(MosquittoError) {
        if let limit = answer?.maximumPacketSize, message.packetSize > limit {
            return connection.reply(to: id, .tooLong(limit: limit))
        }
        do throws(MosquittoError) {
            inFlight.sent(try handle.publish(message, plan.version), id, at: time.now())
        } catch {
            switch error {
            case .payloadSize, .oversizePacket: connection.reply(to: id, .tooLong(limit: 268_435_455))
            case .malformedText, .invalid: connection.reply(to: id, .invalid("the topic \(message.topic) is invalid"))
            default: throw error
            }
        }
    }

    /// Sends the last message, and waits for its acknowledgement for a short time.
    private func leave(_ handle: MosquittoHandle, _ farewell: BrokerConnection.Farewell) {
        isLeaving = true
        deadline = time.now() + plan.settings.limits.farewell
        guard answer != nil, let message = farewell.message, let id = try? handle.publish(message, plan.version) else {
            return disconnect(handle)
        }
        inFlight.sent(id, nil, at: time.now())
    }

    private func disconnect(_ handle: MosquittoHandle) {
        end = .stopped
        handle.disconnect()
    }

    /// Waits until the socket is ready, another task asks something, or a time limit is reached.
    private func wait(_ handle: MosquittoHandle) {
        guard let library = handle.socket, let socket else { return }
        socket.passOut()
        var descriptors =
            [
                pollfd(fd: library, events: Int16(POLLIN | (handle.wantsWrite ? POLLOUT : 0)), revents: 0),
                pollfd(fd: connection.wakeUp?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ] + socket.awaited
        let now = time.now()
        let limits = [inFlight.deadline, subscriptions.deadline, answer == nil || isLeaving ? deadline : nil].compactMap
        { $0 }
        if socket.hasPiece { return }
        let wait = limits.map { $0 - now }.reduce(Self.tick, min)
        poll(&descriptors, nfds_t(descriptors.count), max(0, Int32(wait / .milliseconds(1)) + 1))
    }

    /// Passes on what has arrived, after a look at its packets: the library has not read it yet.
    private func inspect(_ handle: MosquittoHandle) {
        guard let socket else { return }
        let passed = socket.passIn()
        guard let bytes = socket.isEncrypted ? handle.decrypted() : passed else {
            end = end ?? .misconfigured("TLS cannot be inspected: libmosquitto does not use OpenSSL; set tls = false")
            return
        }
        do throws(UnusablePacket) {
            for kind in try screen.take(bytes) { count(kind) }
        } catch {
            end =
                end
                ?? (answer == nil ? .failed("\(plan.server) sends \(error)") : .cut("\(plan.server) sends \(error)"))
        }
    }

    /// Counts a packet. What the relay asked for is subtracted where it is handled; the answers to keep-alive packets are few.
    private func count(_ kind: PacketScreen.Kind) {
        if receivedSince + Self.ratePeriod < time.now() {
            (received, unasked, receivedSince) = (0, 0, time.now())
        }
        guard kind != .publish else { return }
        unasked += 1
        guard unasked > plan.settings.limits.unaskedRate else { return }
        end = end ?? .cut("\(plan.server) sends too many packets that the relay did not ask for")
    }

    private func checkDeadlines(_ handle: MosquittoHandle) {
        guard end == nil else { return }
        let now = time.now()
        if isLeaving {
            if inFlight.count == 0 || deadline <= now { disconnect(handle) }
        } else if answer == nil, deadline <= now {
            end = .failed("\(plan.server) does not answer; check that it is an MQTT broker, and tls")
        } else if inFlight.isOverdue(at: now) || subscriptions.isOverdue(at: now) {
            end = .cut("\(plan.server) has not acknowledged a message or a subscription in time")
        }
    }

    private func failure(_ error: MosquittoError) -> ConnectionEnd {
        let words = socket?.failure ?? (error == .system ? String(cString: strerror(errno)) : error.description)
        let detail = plan.settings.tls == nil ? words : lastError ?? words
        if isLeaving { return .stopped }
        if answer != nil { return .cut("the connection to \(plan.server) was lost: \(detail)") }
        let advice =
            plan.settings.tls == nil
            ? "" : "; check ca-file, and that the broker's certificate names \(plan.server.host)"
        return .failed("\(plan.server) cannot be reached: \(detail)\(advice)")
    }
}

extension BrokerLoop {
    func didConnect(_ answer: ConnectAnswer) {
        guard answer.code == 0 else {
            end = end ?? .refused(answer.code, reason: answer.reason)
            return
        }
        if self.answer == nil { unasked -= 1 }
        self.answer = answer
        connection.didConnect()
        connection.eventWriter.yield(.connected(answer))
    }

    /// A packet id that is not awaited is ignored.
    func didPublish(_ id: Int32, reason: UInt8) {
        guard let sender = inFlight.acknowledged(id) else { return }
        unasked -= 1
        guard let sender else { return }
        connection.reply(to: sender, .acknowledged(reason))
    }

    func didSubscribe(_ id: Int32, codes: [UInt8]) {
        guard let topic = subscriptions.acknowledged(id) else { return }
        unasked -= 1
        connection.eventWriter.yield(.subscribed(topic, isGranted: codes.first.map { $0 < 0x80 } ?? false))
    }

    /// Passes a message on, unless it is too long, or too many wait already.
    func didReceive(topic: String, payload: UnsafeRawBufferPointer, isRetained: Bool) {
        let limits = plan.settings.limits
        received += 1
        guard received <= limits.incomingRate else {
            end = end ?? .cut("\(plan.server) sends too many messages on the topics that the relay subscribes to")
            return
        }
        guard payload.count <= limits.incomingBytes else { return }
        connection.eventWriter.yield(.message(topic: topic, payload: Array(payload), isRetained: isRetained))
    }

    /// MQTT 5: the broker says why it ends the connection.
    func didDisconnect(_ reason: Int32) {
        guard reason >= 0x80, let code = UInt8(exactly: reason) else { return }
        let advice = code == 0x8E ? ": another client uses the client id \(plan.settings.clientID)" : ""
        end = end ?? .cut("\(plan.server) ended the connection: \(ReasonCode.name(code))\(advice)")
    }

    func didLog(_ error: String) {
        lastError = error
    }
}
