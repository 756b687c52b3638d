/// The device's side of CTAPHID (CTAP 2.1, §11.2): reports come in, reports and requests come out.
///
/// A value without a device and without a clock: its owner passes reports and the time, and carries out the actions in their order.
/// One transaction runs at a time. Channels are counted, not kept in a table: a flood of INIT neither costs memory nor takes a
/// channel from another program.
public struct HIDEndpoint: Sendable, Hashable {
    /// The name of a request; never used again.
    public struct RequestNumber: Sendable, Hashable, Comparable {
        /// The number, from 1.
        public let number: UInt64

        /// Creates the name of a request.
        public init(_ number: UInt64) { self.number = number }

        /// Whether a request came before another.
        public static func < (one: Self, other: Self) -> Bool { one.number < other.number }
    }

    /// A complete request.
    public enum Body: Sendable, Hashable {
        /// A CTAP command: command byte and CBOR, at least one byte.
        case cbor([UInt8])
        /// A U2F command APDU.
        case message([UInt8])
    }

    /// What the owner does.
    public enum Action: Sendable, Hashable {
        /// Write the reports of one message, without others in between.
        case send([[UInt8]])
        /// Carry out a request, and pass its answer to ``HIDEndpoint/answer(_:_:)`` or ``HIDEndpoint/fail(_:_:)``.
        case request(RequestNumber, Body)
        /// The answer of a request is no longer wanted: its program cancelled it, started again, or closed the device.
        case cancel(RequestNumber)
        /// Write a report again and again, replacing the one before; nil: no more.
        case keepAlive(RepeatedReport?)
        /// Identify the device for a person.
        case wink
    }

    /// The report that keeps a program waiting while its command runs (CTAP 2.1, §11.2.9.1.7).
    ///
    /// The owner writes it without asking the endpoint again, so that nothing else that happens delays it.
    public struct RepeatedReport: Sendable, Hashable {
        /// The time between two of them: half of the 100 ms that programs wait, so that one may be late.
        public static let period = Duration.milliseconds(50)
        /// The time from a request to the first: the request itself may have waited for a processor.
        public static let delay = Duration.milliseconds(20)

        /// The report.
        public let bytes: [UInt8]
        /// When it is written first.
        public let start: Duration

        /// Creates a report that is repeated from a time on.
        public init(_ bytes: [UInt8], from start: Duration) {
            self.bytes = bytes
            self.start = start
        }
    }

    /// A message whose later packets are awaited.
    private struct Assembly: Sendable, Hashable {
        let channel: UInt32
        let command: UInt8
        let length: Int
        var data: [UInt8]
        var sequence: UInt8 = 0
        let deadline: Duration
        var nextPacketDeadline: Duration

        var firstDeadline: Duration { min(deadline, nextPacketDeadline) }
    }

    /// The request that is carried out.
    private struct Running: Sendable, Hashable {
        let id: RequestNumber
        let channel: UInt32
        let isCBOR: Bool
        var status = KeepAlive.processing

        /// Its keep-alive, from a time on.
        func keepAlive(from start: Duration) -> Action {
            let reports = HIDPacket.reports(of: [status.rawValue], .keepAlive, on: channel)
            return .keepAlive(RepeatedReport(reports[0], from: start))
        }
    }

    private struct Lock: Sendable, Hashable {
        let channel: UInt32
        let end: Duration
    }

    /// The longest time between two packets of a message.
    private static let packetLimit = Duration.milliseconds(500)
    /// The longest time for a whole message.
    private static let messageLimit = Duration.seconds(3)

    private let hasMessages: Bool
    private let version: [UInt8]
    /// The channels of the programs that have the device open: those above the first number, up to the second.
    private var channels: (UInt32, UInt32) {
        get { (closedChannels, lastChannel) }
        set { (closedChannels, lastChannel) = newValue }
    }
    private var closedChannels: UInt32 = 0
    private var lastChannel: UInt32 = 0
    private var assembly: Assembly?
    private var running: Running?
    private var lock: Lock?
    private var lastRequest: UInt64 = 0

    /// Creates an endpoint without channels.
    ///
    /// - Parameters:
    ///   - hasMessages: whether the card takes U2F commands; otherwise they are refused with ``HIDError/invalidCommand``.
    ///   - version: the version of the device that INIT reports.
    public init(hasMessages: Bool, version: (UInt8, UInt8, UInt8)) {
        self.hasMessages = hasMessages
        self.version = [version.0, version.1, version.2]
    }

    // MARK: The device

    /// The first program opened the device.
    public mutating func opened() -> [Action] { [] }

    /// The last program closed the device: channels, locks and the transaction are gone.
    public mutating func closed() -> [Action] {
        assembly = nil
        lock = nil
        channels = (lastChannel, lastChannel)
        return endRunning()
    }

    private mutating func endRunning() -> [Action] {
        guard let ended = running else { return [] }
        return [.cancel(ended.id)] + finishRunning()
    }

    /// Forgets the request, and ends its keep-alives before anything else is sent.
    private mutating func finishRunning() -> [Action] {
        defer { running = nil }
        return running?.isCBOR == true ? [.keepAlive(nil)] : []
    }

    // MARK: Reports

    /// Takes a report.
    ///
    /// - Parameters:
    ///   - report: 64 bytes, or 65 with the report number in front; anything else is ignored.
    ///   - time: the present time, since any start.
    public mutating func receive(_ report: [UInt8], at time: Duration) -> [Action] {
        guard let packet = HIDPacket(report) else { return [] }
        let late = tick(at: time)
        switch packet.content {
        case .continuation(let sequence, let data): return late + continued(packet.channel, sequence, data, time)
        case .initialisation(let command, let length, let data):
            return late + began(packet.channel, command, length, data, time)
        }
    }

    private mutating func began(
        _ channel: UInt32, _ command: UInt8, _ length: Int, _ data: [UInt8], _ time: Duration
    ) -> [Action] {
        let known = CTAPHID.Command(rawValue: command)
        guard known == .initialize && channel == CTAPHID.broadcast || isAllocated(channel) else {
            return error(.invalidChannel, on: channel)
        }
        switch known {
        case .initialize: return initialize(channel, length, data)
        case .cancel: return length == 0 ? cancel(channel) : []
        default: break
        }
        guard running == nil, assembly?.channel ?? channel == channel, lock?.channel ?? channel == channel else {
            return error(.channelBusy, on: channel)
        }
        guard assembly == nil else {
            assembly = nil
            return error(.invalidSequence, on: channel)
        }
        guard length <= CTAPHID.longestMessage else { return error(.invalidLength, on: channel) }
        let started = Assembly(
            channel: channel, command: command, length: length, data: Array(data.prefix(length)),
            deadline: time + Self.messageLimit, nextPacketDeadline: time + Self.packetLimit)
        return proceed(with: started, time)
    }

    private mutating func continued(
        _ channel: UInt32, _ sequence: UInt8, _ data: [UInt8], _ time: Duration
    ) -> [Action] {
        // Packets without a message are ignored (§11.2.5.4).
        guard var current = assembly, current.channel == channel else { return [] }
        guard sequence == current.sequence else {
            assembly = nil
            return error(.invalidSequence, on: channel)
        }
        current.data += data.prefix(current.length - current.data.count)
        current.sequence += 1
        current.nextPacketDeadline = time + Self.packetLimit
        return proceed(with: current, time)
    }

    private mutating func proceed(with current: Assembly, _ time: Duration) -> [Action] {
        let isComplete = current.data.count == current.length
        assembly = isComplete ? nil : current
        return isComplete ? perform(current, time) : []
    }

    // MARK: Commands

    private mutating func perform(_ message: Assembly, _ time: Duration) -> [Action] {
        let (channel, data) = (message.channel, message.data)
        switch CTAPHID.Command(rawValue: message.command) {
        case .ping: return send(data, .ping, on: channel)
        case .wink: return data.isEmpty ? [.wink] + send([], .wink, on: channel) : error(.invalidLength, on: channel)
        case .lock: return setLock(data, channel, time)
        case .message where hasMessages: return request(.message(data), channel, time)
        case .cbor where data.isEmpty: return error(.invalidLength, on: channel)
        case .cbor: return request(.cbor(data), channel, time)
        default: return error(.invalidCommand, on: channel)
        }
    }

    private mutating func request(_ body: Body, _ channel: UInt32, _ time: Duration) -> [Action] {
        lastRequest += 1
        let id = RequestNumber(lastRequest)
        let isCBOR = if case .cbor = body { true } else { false }
        let started = Running(id: id, channel: channel, isCBOR: isCBOR)
        running = started
        let keepAlive = isCBOR ? [started.keepAlive(from: time + RepeatedReport.delay)] : []
        return keepAlive + [.request(id, body)]
    }

    /// INIT on the broadcast channel allocates a channel; on an allocated one it ends the transaction of that channel.
    private mutating func initialize(_ channel: UInt32, _ length: Int, _ data: [UInt8]) -> [Action] {
        guard length == 8 else { return error(.invalidLength, on: channel) }
        guard channel == CTAPHID.broadcast else {
            if assembly?.channel == channel { assembly = nil }
            if lock?.channel == channel { lock = nil }
            let ended = running?.channel == channel ? endRunning() : []
            return ended + send(initialisation(data, channel), .initialize, on: channel)
        }
        if lastChannel >= CTAPHID.broadcast - 1 { channels = (0, 0) }
        lastChannel += 1
        return send(initialisation(data, lastChannel), .initialize, on: channel)
    }

    /// The answer to INIT: 17 bytes (§11.2.9.1.3).
    private func initialisation(_ data: [UInt8], _ channel: UInt32) -> [UInt8] {
        var capabilities: CTAPHID.Capabilities = [.wink, .cbor]
        if !hasMessages { capabilities.insert(.noMessages) }
        let number = (0..<4).map { UInt8(truncatingIfNeeded: channel >> (24 - 8 * $0)) }
        return data[..<8] + number + [CTAPHID.protocolVersion] + version + [capabilities.rawValue]
    }

    /// CANCEL itself has no answer; the request that it ends is answered with 2D (§11.2.9.1.5).
    private mutating func cancel(_ channel: UInt32) -> [Action] {
        guard let current = running, current.isCBOR, current.channel == channel else { return [] }
        return endRunning() + send([CTAPStatus.keepAliveCancel.rawValue], .cbor, on: channel)
    }

    private mutating func setLock(_ data: [UInt8], _ channel: UInt32, _ time: Duration) -> [Action] {
        guard let seconds = data.first, data.count == 1 else { return error(.invalidLength, on: channel) }
        guard seconds <= 10 else { return error(.invalidParameter, on: channel) }
        lock = seconds == 0 ? nil : Lock(channel: channel, end: time + .seconds(Int(seconds)))
        return send([], .lock, on: channel)
    }

    private func isAllocated(_ channel: UInt32) -> Bool { channel > closedChannels && channel <= lastChannel }

    // MARK: Answers

    /// Answers a request. Without effect on a request that is over.
    ///
    /// - Parameter bytes: CTAP status and CBOR, or U2F data and status word.
    public mutating func answer(_ id: RequestNumber, _ bytes: [UInt8]) -> [Action] {
        guard let current = running, current.id == id else { return [] }
        guard bytes.count <= CTAPHID.longestMessage else { return fail(id, .other) }
        return finishRunning() + send(bytes, current.isCBOR ? .cbor : .message, on: current.channel)
    }

    /// Ends a request with an error of the transport. Without effect on a request that is over.
    public mutating func fail(_ id: RequestNumber, _ reason: HIDError) -> [Action] {
        guard let current = running, current.id == id else { return [] }
        return finishRunning() + error(reason, on: current.channel)
    }

    /// Reports what a CTAP command waits for now: at once where it is new.
    public mutating func keepAlive(_ id: RequestNumber, _ status: KeepAlive, at time: Duration) -> [Action] {
        guard var current = running, current.id == id, current.isCBOR, current.status != status else { return [] }
        current.status = status
        running = current
        return [current.keepAlive(from: time)]
    }

    private func send(_ data: [UInt8], _ command: CTAPHID.Command, on channel: UInt32) -> [Action] {
        [.send(HIDPacket.reports(of: data, command, on: channel))]
    }

    private func error(_ error: HIDError, on channel: UInt32) -> [Action] {
        send([error.rawValue], .error, on: channel)
    }

    // MARK: Time

    /// The time at which ``tick(at:)`` has something to do; nil: not before another event.
    public var nextDeadline: Duration? {
        [assembly?.firstDeadline, lock?.end].compactMap(\.self).min()
    }

    /// Does what is due: the error for a message whose packets do not come.
    public mutating func tick(at time: Duration) -> [Action] {
        var actions: [Action] = []
        if let end = lock?.end, end <= time { lock = nil }
        if let late = assembly, late.firstDeadline <= time {
            assembly = nil
            actions += error(.messageTimeout, on: late.channel)
        }
        return actions
    }
}
