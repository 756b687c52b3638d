import CTAP
import Logging
import NFCClient
import NFCProtocol
import ServiceClient
import ServiceSupport

/// The security key of one reader: carries out what ``CardSecurityKey`` and ``HIDEndpoint`` decide, with a session of nfcd and a HID device.
///
/// Everything that happens comes in one after another, by the inbox; what takes time is a child task that reports there.
actor ReaderBridge {
    /// The reader, as nfcd names it.
    struct Reader: Sendable, Hashable {
        let id: String
        let name: String
    }

    private enum Input: Sendable {
        case tap(NFCClient)
        case card(CardSession.Event, hold: Int)
        case arrived(CardSecurityKey.Card?, RemoteTag.ID)
        case device(UHIDEvent?, number: Int)
        case retryDevice
        case waiting(KeepAlive, exchange: Int)
        case finished(CardSecurityKey.Outcome, exchange: Int)
        case alarm
    }

    /// The session with a card.
    private struct Hold {
        enum Phase {
            case waiting
            case holding(RemoteTag)
            /// The bridge has asked for its end.
            case ending
        }

        let number: Int
        let session: CardSession
        var phase = Phase.waiting
        /// Whether a card was put down that this session has not detected.
        var hasReturned = false

        var tag: RemoteTag? { if case .holding(let tag) = phase { tag } else { nil } }
        var isEnding: Bool { if case .ending = phase { true } else { false } }
    }

    /// A request that the card carries out.
    private struct Running {
        let number: Int
        let exchange: CardExchange
        let story: RequestStory
    }

    /// Without a device that always exists, requests cannot be held: it is made again.
    private static let retryDelay = Duration.seconds(10)

    private let reader: Reader
    private let isPermanent: Bool
    private let maker: any HIDDeviceMaker
    private let notices: CardNotices
    private let time: ServiceTime
    private let logger: Logger
    private let inbox: AsyncStream<Input>
    private let report: AsyncStream<Input>.Continuation

    private var key: CardSecurityKey
    private var device: KeyDevice?
    private var hold: Hold?
    private var running: Running?
    private var lastNumber = 0
    private var alarm: (task: Task<Void, Never>, deadline: Duration)?

    init(
        _ reader: Reader, _ settings: CardSecurityKey.Settings, maker: any HIDDeviceMaker, notices: CardNotices,
        time: ServiceTime, logger: Logger
    ) {
        self.reader = reader
        self.maker = maker
        self.notices = notices
        self.time = time
        self.logger = logger
        isPermanent = settings.isPermanent
        key = CardSecurityKey(settings)
        (inbox, report) = AsyncStream.makeStream()
    }

    /// A card was put on the reader while no session had the reader.
    nonisolated func tapped(_ client: NFCClient) { report.yield(.tap(client)) }

    /// Runs until the task is cancelled; then the device is removed and the session ends.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [notices] in await notices.run() }
            perform(key.start(), &group)
            setAlarm()
            for await input in inbox {
                take(input, &group)
                setAlarm()
            }
            alarm?.task.cancel()
            removeDevice()
        }
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: What happened

    private func take(_ input: Input, _ group: inout DiscardingTaskGroup) {
        switch input {
        case .tap(let client): begin(client, &group)
        case .card(let event, let number) where number == hold?.number: take(event, &group)
        case .arrived(let card, let tag) where tag == hold?.tag?.id: arrived(card, &group)
        case .device(let event?, let number) where number == device?.number: take(event, &group)
        case .device(nil, let number) where number == device?.number: loseDevice("the kernel removed it", &group)
        case .retryDevice where device == nil: makeDevice(hasMessages: true, &group)
        case .waiting(let status, let number) where number == running?.number:
            perform(key.cardWaits(status, at: time.now()), &group)
        case .finished(let outcome, let number) where number == running?.number: finish(outcome, &group)
        case .alarm: ring(&group)
        default: break
        }
    }

    /// Sets the alarm for what is due next.
    private func setAlarm() {
        let due = [key.nextDeadline, device?.endpoint.nextDeadline].compactMap(\.self).min()
        guard let due, alarm.map({ due < $0.deadline }) ?? true else { return }
        alarm?.task.cancel()
        let task = Task { [time, report] in
            guard (try? await time.sleep(max(.zero, due - time.now()))) != nil else { return }
            report.yield(.alarm)
        }
        alarm = (task, due)
    }

    private func ring(_ group: inout DiscardingTaskGroup) {
        alarm = nil
        let now = time.now()
        perform(device?.endpoint.tick(at: now) ?? [], &group)
        perform(key.tick(at: now), &group)
    }

    // MARK: The card

    private func begin(_ client: NFCClient, _ group: inout DiscardingTaskGroup) {
        guard hold == nil else {
            hold?.hasReturned = true
            return
        }
        let (number, session) = (nextNumber(), CardSession(client, reader: reader.id))
        hold = Hold(number: number, session: session)
        group.addTask { [report] in
            await session.run { report.yield(.card($0, hold: number)) }
        }
    }

    private func take(_ event: CardSession.Event, _ group: inout DiscardingTaskGroup) {
        switch event {
        case .detected(let tag): detected(tag, &group)
        case .ignored(let reason):
            logger.debug("\(reader.name): the card is not a security key: \(reason)")
            giveUpCard(&group)
        case .removed:
            hold?.phase = .waiting
            if running != nil { finish(.cardLost, &group) }
            perform(key.cardLeft(at: time.now()), &group)
            release()
        case .ended(let reason): ended(reason, &group)
        }
    }

    private func detected(_ tag: RemoteTag, _ group: inout DiscardingTaskGroup) {
        guard hold?.isEnding == false else {
            hold?.hasReturned = true
            return
        }
        hold?.phase = .holding(tag)
        hold?.hasReturned = false
        let arrival = CardArrival(tag: tag, sleep: time.sleep)
        group.addTask { [report] in
            let card = await arrival.card()
            report.yield(.arrived(card, tag.id))
        }
    }

    private func arrived(_ card: CardSecurityKey.Card?, _ group: inout DiscardingTaskGroup) {
        guard let card else {
            logger.notice("\(reader.name): the card has the FIDO application, but does not answer. Put it down again.")
            return giveUpCard(&group)
        }
        logger.info("\(reader.name): a security key was put down")
        perform(key.cardArrived(card, at: time.now()), &group)
    }

    /// Leaves a card that cannot be used: for requests it is as if it had left.
    private func giveUpCard(_ group: inout DiscardingTaskGroup) {
        perform(key.cardLeft(at: time.now()), &group)
        release()
    }

    /// Ends the session, and leaves the reader to others.
    private func release() {
        hold?.phase = .ending
        hold?.session.request(.invalidate)
    }

    private func ended(_ reason: String, _ group: inout DiscardingTaskGroup) {
        guard let ended = hold else { return }
        hold = nil
        if !ended.isEnding {
            logger.info("\(reader.name): the session with the card ended: \(reason)")
            running?.exchange.isCancelled.set()
            running = nil
            perform(key.cardTaken(at: time.now()), &group)
        }
        if ended.hasReturned { begin(ended.session.client, &group) }
    }

    // MARK: The device

    private func take(_ event: UHIDEvent, _ group: inout DiscardingTaskGroup) {
        device?.handled(event)
        switch event {
        case .output(let bytes): perform(device?.endpoint.receive(bytes, at: time.now()) ?? [], &group)
        case .open:
            perform(device?.endpoint.opened() ?? [], &group)
            perform(key.opened(at: time.now()), &group)
        case .close:
            perform(device?.endpoint.closed() ?? [], &group)
            perform(key.closed(at: time.now()), &group)
        default: device?.refuse(event)
        }
    }

    private func makeDevice(hasMessages: Bool, _ group: inout DiscardingTaskGroup) {
        do {
            let made = try maker.makeDevice(name: "nfcd FIDO, \(reader.name)", unique: reader.id)
            let device = KeyDevice(made, number: nextNumber(), hasMessages: hasMessages)
            self.device = device
            group.addTask { [report] in
                await device.run { report.yield(.device($0, number: device.number)) }
            }
            logger.info("\(reader.name): HID device created")
        } catch {
            loseDevice("\(error)", &group)
        }
    }

    private func removeDevice() {
        guard let removed = device else { return }
        device = nil
        removed.remove()
        logger.info("\(reader.name): HID device removed")
    }

    /// There is no device any more, or none could be made: the card is given back.
    private func loseDevice(_ reason: String, _ group: inout DiscardingTaskGroup) {
        logger.error("\(reader.name): no HID device: \(reason)")
        removeDevice()
        perform(key.cardTaken(at: time.now()), &group)
        release()
        guard isPermanent else { return }
        group.addTask { [time, report] in
            try? await time.sleep(Self.retryDelay)
            report.yield(.retryDevice)
        }
    }

    // MARK: Requests

    private func start(_ body: HIDEndpoint.Body, _ group: inout DiscardingTaskGroup) {
        guard let tag = hold?.tag else { return perform(key.finished(.cardLost, at: time.now()), &group) }
        let number = nextNumber()
        let exchange = CardExchange(tag: tag, sleep: time.sleep)
        running = Running(number: number, exchange: exchange, story: RequestStory(body, at: time.now()))
        group.addTask { [report] in
            let outcome = await exchange.run(body) { report.yield(.waiting($0, exchange: number)) }
            report.yield(.finished(outcome, exchange: number))
        }
    }

    private func finish(_ outcome: CardSecurityKey.Outcome, _ group: inout DiscardingTaskGroup) {
        if let story = running?.story { logger.info("\(reader.name): \(story.line(outcome, at: time.now()))") }
        running = nil
        perform(key.finished(outcome, at: time.now()), &group)
    }

    // MARK: What is to be done

    private func perform(_ actions: [HIDEndpoint.Action], _ group: inout DiscardingTaskGroup) {
        for action in actions {
            switch action {
            case .send(let reports): device?.send(reports)
            case .request(let id, let body): perform(key.request(id, body, at: time.now()), &group)
            case .cancel(let id): perform(key.cancel(id), &group)
            case .keepAlive(let report): device?.keepAlive(report)
            case .wink: logger.info("\(reader.name): a program asks which security key this is")
            }
        }
    }

    private func perform(_ actions: [CardSecurityKey.Action], _ group: inout DiscardingTaskGroup) {
        for action in actions { perform(action, &group) }
    }

    private func perform(_ action: CardSecurityKey.Action, _ group: inout DiscardingTaskGroup) {
        switch action {
        case .createDevice(let hasMessages): makeDevice(hasMessages: hasMessages, &group)
        case .destroyDevice: removeDevice()
        case .answer(let id, let bytes): perform(device?.endpoint.answer(id, bytes) ?? [], &group)
        case .fail(let id, let error): perform(device?.endpoint.fail(id, error) ?? [], &group)
        case .keepAlive(let id, let status):
            perform(device?.endpoint.keepAlive(id, status, at: time.now()) ?? [], &group)
        case .transfer(let body): start(body, &group)
        case .cancelTransfer: running?.exchange.isCancelled.set()
        case .selectAgain:
            hold?.phase = .waiting
            hold?.session.request(.restartPolling)
        case .setYielding(let yields): hold?.session.request(.setYielding(yields))
        case .releaseCard: release()
        case .askForCard(let asks): notices.ask(asks)
        }
    }
}
