/// A card as a security key that stays plugged in: decides what becomes of each request while cards come and go.
///
/// A value without a card, a device and a clock: events come in with their time, actions come out, and the owner carries them out
/// in their order. One exchange with the card runs at a time; one request of the HID device is open at a time.
public struct CardSecurityKey: Sendable, Hashable {
    /// The name of a request.
    public typealias RequestNumber = HIDEndpoint.RequestNumber

    /// How an exchange with the card ended.
    public enum Outcome: Sendable, Hashable {
        /// The card's answer: CTAP status and CBOR, or U2F data and status word.
        case answer([UInt8])
        /// The card left the field.
        case cardLost
        /// Another program reset the card or selected another application: the command was not carried out.
        case deselected
        /// There is no answer.
        case failed(CardTransfer.Failure)
    }

    /// What the owner does.
    public enum Action: Sendable, Hashable {
        /// Create the HID device, with a new endpoint.
        case createDevice(hasMessages: Bool)
        /// Remove the HID device; its requests are over.
        case destroyDevice
        /// Answer a request.
        case answer(RequestNumber, [UInt8])
        /// End a request with an error.
        case fail(RequestNumber, HIDError)
        /// Report what a request waits for.
        case keepAlive(RequestNumber, KeepAlive)
        /// Send a request to the card, and report its end with ``CardSecurityKey/finished(_:at:)``.
        case transfer(HIDEndpoint.Body)
        /// The answer of the exchange is no longer wanted: ask the card to give up.
        case cancelTransfer
        /// The application is no longer selected: select it again, as a new arrival of the card.
        case selectAgain
        /// Whether other clients of nfcd may take the reader.
        case setYielding(Bool)
        /// Give the reader back, although the card lies there.
        case releaseCard
        /// Whether a person is asked to put the card down.
        case askForCard(Bool)
    }

    private enum Place: Sendable, Hashable {
        case absent
        case present(FieldSession, since: Duration)
        /// The card lies there, and its application is being selected again.
        case selecting
        /// The card lies there, but takes no requests until it has been lifted.
        case unusable
    }

    private enum Device: Sendable, Hashable {
        case none
        case closed
        case open
    }

    /// What a request waits for.
    private enum Wait: Sendable, Hashable {
        /// Another exchange has to end.
        case exchange
        /// A person has to put the card down.
        case card
        /// The application has to be selected again.
        case selection
    }

    /// A request that waits.
    private struct Held: Sendable, Hashable {
        let id: RequestNumber
        let body: HIDEndpoint.Body
        let deadline: Duration
        let isRepetition: Bool
        var reason = Wait.exchange
    }

    private struct Exchange: Sendable, Hashable {
        /// Nil: its answer is no longer wanted.
        var id: RequestNumber?
        let body: HIDEndpoint.Body
        let isRepetition: Bool
        let start: Duration
        var deadline: Duration
    }

    private static let holdLimit = Duration.seconds(30)
    private static let repeatLimit = Duration.seconds(10)
    private static let exchangeLimit = Duration.seconds(30)
    private static let totalLimit = Duration.seconds(120)
    private static let strictDelay = Duration.seconds(2)
    private static let unusedLimit = Duration.seconds(300)

    private let settings: Settings
    private var device = Device.none
    private var place = Place.absent
    /// The card of the device: the one in the field, or the last one.
    private var card: Card?
    private var held: Held?
    private var exchange: Exchange?
    /// Of the session with the card in the field.
    private var turns = CardTurns()
    private var lingerEnd: Duration?
    private var hideTime: Duration?

    /// Creates a key without a card.
    public init(_ settings: Settings) { self.settings = settings }

    /// Begins: a permanent device is created.
    public mutating func start() -> [Action] {
        guard settings.isPermanent, device == .none else { return [] }
        device = .closed
        return [.createDevice(hasMessages: true)]
    }

    // MARK: The card

    /// Whether the card in the field takes requests.
    public var hasCard: Bool { if case .present = place { true } else { false } }

    /// A card was put down, or selected again: its application is selected and it was asked for its information.
    public mutating func cardArrived(_ arrived: Card, at time: Duration) -> [Action] {
        let isNew = card.map { !arrived.mayBe($0) } ?? !settings.isPermanent
        var actions: [Action] = []
        if device != .none, isNew { actions += replaceDevice(for: arrived) }
        if device == .none {
            device = .closed
            actions.append(.createDevice(hasMessages: arrived.hasU2F))
        }
        card = arrived
        if place != .selecting { turns = CardTurns() }
        place = .present(FieldSession(), since: time)
        lingerEnd = nil
        hideTime = settings.isStrict ? time + Self.totalLimit : device == .open ? nil : time + Self.unusedLimit
        if device == .open { actions += keepCard(at: time) }
        return actions + proceed(at: time)
    }

    /// Another card than that of the device: programs have to start over with it.
    private mutating func replaceDevice(for arrived: Card) -> [Action] {
        let ended = endRequests()
        device = settings.isPermanent ? .closed : .none
        return ended + [.destroyDevice] + (settings.isPermanent ? [.createDevice(hasMessages: true)] : [])
    }

    /// The card was lifted.
    public mutating func cardLeft(at time: Duration) -> [Action] {
        guard place != .absent else { return [] }
        place = .absent
        hideTime = nil
        turns = CardTurns()
        let asked = askForCard()
        guard device != .none, !settings.isPermanent else { return asked }
        lingerEnd = time + (device == .open ? settings.openLinger : settings.linger)
        return asked
    }

    /// A request that waited for the selection waits for the card now.
    private mutating func askForCard() -> [Action] {
        guard let request = held, request.reason == .selection else { return [] }
        return hold(request, for: .card)
    }

    /// The card cannot be used any more: another client took its reader, the reader was unplugged, or nfcd stopped.
    public mutating func cardTaken(at time: Duration) -> [Action] {
        place = .absent
        let ended = endRequests()
        exchange = nil
        return ended + forgetDevice()
    }

    /// Takes the device away while the card lies there: to create it again would be a gesture that no person made.
    private mutating func hide() -> [Action] {
        place = .unusable
        return endRequests() + forgetDevice() + [.releaseCard]
    }

    private mutating func forgetDevice() -> [Action] {
        (hideTime, lingerEnd, card) = (nil, nil, nil)
        turns = CardTurns()
        guard device != .none, !settings.isPermanent else { return [] }
        device = .none
        return [.destroyDevice]
    }

    // MARK: The device

    /// The first program opened the device.
    public mutating func opened(at time: Duration) -> [Action] {
        device = .open
        if !settings.isStrict { hideTime = nil }
        return keepCard(at: time)
    }

    /// The last program closed the device. Its request has been cancelled before.
    public mutating func closed(at time: Duration) -> [Action] {
        guard device == .open else { return [] }
        device = .closed
        turns.closed(at: time)
        if hasCard, !settings.isStrict { hideTime = time + Self.unusedLimit }
        return []
    }

    // MARK: Other users of the card

    /// Keeps others away from the card while programs use it.
    private mutating func keepCard(at time: Duration) -> [Action] {
        hasCard && turns.keep(isOpen: device == .open, at: time) ? [.setYielding(false)] : []
    }

    /// Lets others use the card. They may select the application too, which ends what a PIN has opened: a PIN that is encrypted for
    /// the key agreement of before would cost one of its tries.
    private mutating func shareCard() -> [Action] {
        guard turns.share() else { return [] }
        if case .present(_, let since) = place { place = .present(FieldSession(), since: since) }
        return [.setYielding(true)]
    }

    // MARK: Requests

    /// A program sent a request.
    public mutating func request(_ id: RequestNumber, _ body: HIDEndpoint.Body, at time: Duration) -> [Action] {
        take(Held(id: id, body: body, deadline: time + Self.holdLimit, isRepetition: false), at: time)
    }

    /// The answer of a request is no longer wanted.
    public mutating func cancel(_ id: RequestNumber) -> [Action] {
        if held?.id == id { return release() }
        guard exchange?.id == id else { return [] }
        exchange?.id = nil
        return [.cancelTransfer]
    }

    private mutating func take(_ request: Held, at time: Duration) -> [Action] {
        switch request.body {
        case .message(let bytes): takeMessage(request, bytes, at: time)
        case .cbor(let message): takeCommand(request, CTAPCommand(message), message, at: time)
        }
    }

    private mutating func takeCommand(
        _ request: Held, _ command: CTAPCommand, _ message: [UInt8], at time: Duration
    ) -> [Action] {
        if let limit = card?.info?.longestRequest, message.count > limit {
            return [.answer(request.id, [CTAPStatus.requestTooLarge.rawValue])]
        }
        guard exchange == nil else { return hold(request, for: .exchange) }
        guard case .present(let session, _) = place else { return takeWithoutCard(request, command) }
        if let status = session.objection(to: command) { return [.answer(request.id, [status.rawValue])] }
        return begin(request, at: time)
    }

    /// In the linger, or without a card at a permanent device.
    private mutating func takeWithoutCard(_ request: Held, _ command: CTAPCommand) -> [Action] {
        if let answer = knownAnswer(to: command) { return [.answer(request.id, answer)] }
        if let status = FieldSession().objection(to: command) { return [.answer(request.id, [status.rawValue])] }
        return hold(request, for: place == .selecting ? .selection : .card)
    }

    /// What the last card reported of itself, which needs no card in the field.
    private func knownAnswer(to command: CTAPCommand) -> [UInt8]? {
        command.code == CTAPCommand.Code.getInfo ? card?.info?.answer : nil
    }

    /// A U2F command has no keep-alive: without a card, its program tries again after 6985. A handle cannot be checked then.
    private mutating func takeMessage(_ request: Held, _ bytes: [UInt8], at time: Duration) -> [Action] {
        guard exchange == nil else { return hold(request, for: .exchange) }
        guard !hasCard else { return begin(request, at: time) }
        let isCheck = bytes.count >= 3 && bytes[1] == 0x02 && bytes[2] == 0x07
        return [isCheck ? .fail(request.id, .other) : .answer(request.id, [0x69, 0x85])]
    }

    private mutating func begin(_ request: Held, at time: Duration) -> [Action] {
        exchange = Exchange(
            id: request.id, body: request.body, isRepetition: request.isRepetition, start: time,
            deadline: time + Self.exchangeLimit)
        return keepCard(at: time) + [.keepAlive(request.id, .processing), .transfer(request.body)]
    }

    private mutating func hold(_ request: Held, for reason: Wait) -> [Action] {
        var request = request
        request.reason = reason
        return [.keepAlive(request.id, reason == .card ? .presenceNeeded : .processing)] + replaceHeld(request)
    }

    private mutating func release() -> [Action] { replaceHeld(nil) }

    private mutating func replaceHeld(_ request: Held?) -> [Action] {
        let (wasAsking, asks) = (held?.reason == .card, request?.reason == .card)
        held = request
        return asks == wasAsking ? [] : [.askForCard(asks)]
    }

    /// Takes the request that waited again: the card is back, or it is free.
    private mutating func proceed(at time: Duration) -> [Action] {
        guard let request = held, exchange == nil, hasCard || request.reason == .exchange else { return [] }
        let released = release()
        return released + take(request, at: time)
    }

    /// Ends every request with 7F.
    private mutating func endRequests() -> [Action] {
        let ids = [held?.id, exchange?.id].compactMap(\.self)
        let wasExchanging = exchange != nil
        exchange?.id = nil
        return release() + ids.map { .fail($0, .other) } + (wasExchanging ? [.cancelTransfer] : [])
    }

    // MARK: Exchanges

    /// The card asks for time (9100).
    public mutating func cardWaits(_ status: KeepAlive, at time: Duration) -> [Action] {
        exchange?.deadline = time + Self.exchangeLimit
        return exchange?.id.map { [.keepAlive($0, status)] } ?? []
    }

    /// The exchange with the card ended.
    public mutating func finished(_ outcome: Outcome, at time: Duration) -> [Action] {
        guard let ended = exchange else { return [] }
        exchange = nil
        let actions =
            switch outcome {
            case .answer(let bytes): answered(ended, bytes, at: time)
            case .cardLost: lost(ended, at: time)
            case .deselected: deselected(ended, at: time)
            case .failed(let failure): failed(ended, failure, at: time)
            }
        turns.exchanged(isOpen: hasCard && device == .open, at: time)
        return actions + proceed(at: time)
    }

    private mutating func answered(_ ended: Exchange, _ bytes: [UInt8], at time: Duration) -> [Action] {
        // U2F has no other way to show that another application answers.
        if turns.wasShared, case .message = ended.body, [[0x6D, 0x00], [0x6E, 0x00]].contains(bytes) {
            return deselected(ended, at: time)
        }
        if case .cbor(let message) = ended.body, case .present(var session, let since) = place {
            let (command, status) = (CTAPCommand(message), CTAPStatus(rawValue: bytes.first ?? 0x7F))
            session.completed(command, status)
            place = .present(session, since: since)
            if status == .ok { noteInformation(command, bytes) }
            if settings.isStrict, command.needsPresence, status == .ok { hideTime = time + Self.strictDelay }
        } else if settings.isStrict, case .message = ended.body, bytes.count > 2, bytes.suffix(2) == [0x90, 0x00] {
            hideTime = time + Self.strictDelay
        }
        return ended.id.map { [.answer($0, bytes)] } ?? []
    }

    /// Keeps what the card reports of itself up to date.
    private mutating func noteInformation(_ command: CTAPCommand, _ answer: [UInt8]) {
        switch (command.code, command.subcommand) {
        case (CTAPCommand.Code.getInfo, _): if let info = CardInfo(answer) { card?.info = info }
        case (CTAPCommand.Code.clientPIN, 3), (CTAPCommand.Code.reset, _), (CTAPCommand.Code.configuration, _):
            card?.info?.optionsChanged()
        default: break
        }
    }

    private mutating func lost(_ ended: Exchange, at time: Duration) -> [Action] {
        cardLeft(at: time) + interrupted(ended, by: .card, at: time)
    }

    /// The selection is lost, and with it what a PIN has opened: select the application again.
    private mutating func deselected(_ ended: Exchange, at time: Duration) -> [Action] {
        guard hasCard else { return interrupted(ended, by: .card, at: time) }
        place = .selecting
        return interrupted(ended, by: .selection, at: time) + [.selectAgain]
    }

    /// The card was lost during the exchange: what it reported of itself is known; a command that has no PIN in it and changes nothing
    /// waits until the card can be used, once.
    private mutating func interrupted(_ ended: Exchange, by reason: Wait, at time: Duration) -> [Action] {
        guard let id = ended.id else { return [] }
        guard case .cbor(let message) = ended.body else {
            // 6985: its program tries again.
            return reason == .selection ? [.answer(id, [0x69, 0x85])] : [.fail(id, .other)]
        }
        let command = CTAPCommand(message)
        if let answer = knownAnswer(to: command) { return [.answer(id, answer)] }
        if command.continuesPrevious { return [.answer(id, [CTAPStatus.notAllowed.rawValue])] }
        guard command.isRepeatable, command.material == .none, !ended.isRepetition else { return [.fail(id, .other)] }
        let request = Held(id: id, body: ended.body, deadline: time + Self.repeatLimit, isRepetition: true)
        return hold(request, for: reason)
    }

    private mutating func failed(_ ended: Exchange, _ failure: CardTransfer.Failure, at time: Duration) -> [Action] {
        let end: [Action] = ended.id.map { [.fail($0, .other)] } ?? []
        switch failure {
        case .refused(let status):
            return ended.id.map { [.answer($0, [UInt8(status >> 8), UInt8(status & 0xFF)])] } ?? []
        // Another program selected another application.
        case .status(0x6985), .status(0x6986), .status(0x6D00), .status(0x6E00): return deselected(ended, at: time)
        case .status: return end
        case .malformed, .tooLong, .tooSlow:
            if hasCard { place = .unusable }
            return end
        }
    }

    // MARK: Time

    /// The time at which ``tick(at:)`` has something to do; nil: not before another event.
    public var nextDeadline: Duration? {
        let exchangeEnd = exchange.map { min($0.deadline, $0.start + Self.totalLimit) }
        let linger = held == nil ? lingerEnd : nil
        let sharing = isIdle ? turns.deadline : nil
        return [held?.deadline, exchange?.id == nil ? nil : exchangeEnd, linger, sharing, hideTime].compactMap(\.self)
            .min()
    }

    /// Whether no request is open.
    private var isIdle: Bool { held == nil && exchange == nil }

    /// Does what is due.
    public mutating func tick(at time: Duration) -> [Action] {
        var actions: [Action] = []
        if let request = held, request.deadline <= time {
            actions += release() + timedOut(request)
        }
        if let late = exchange, let id = late.id, min(late.deadline, late.start + Self.totalLimit) <= time {
            exchange?.id = nil
            if hasCard { place = .unusable }
            actions += [.fail(id, .other), .cancelTransfer]
        }
        if let due = turns.deadline, due <= time, isIdle { actions += shareCard() }
        if let due = hideTime, due <= time, exchange?.id == nil { actions += hide() }
        if let due = lingerEnd, due <= time, held == nil { actions += forgetDevice() }
        return actions
    }

    private func timedOut(_ request: Held) -> [Action] {
        switch request.body {
        case .cbor where request.isRepetition: [.fail(request.id, .other)]
        case .cbor: [.answer(request.id, [CTAPStatus.userActionTimeout.rawValue])]
        case .message: [.fail(request.id, .other)]
        }
    }
}

/// What a card remembers between two commands, as long as it stays in the field and its application stays selected
/// (CTAP 2.1, §6.5.2, §6.3).
struct FieldSession: Sendable, Hashable {
    /// Whether the card gave its key for a PIN.
    private var hasKeyAgreement = false
    /// Whether the card issued a token.
    private var hasToken = false
    /// Whether the card can continue with a list that it began.
    private var isEnumerating = false

    /// The answer to a request that belongs to another field session; nil where the card may get it.
    ///
    /// A PIN hash or a token of before must not reach the card: it would cost one of the tries, perhaps those of another card.
    func objection(to command: CTAPCommand) -> CTAPStatus? {
        if command.continuesPrevious { return isEnumerating ? nil : .notAllowed }
        switch command.material {
        case .none: return nil
        case .keyAgreement: return hasKeyAgreement ? nil : .pinAuthInvalid
        case .token: return hasToken ? nil : .pinAuthInvalid
        }
    }

    /// Notes that the card carried out a command.
    mutating func completed(_ command: CTAPCommand, _ status: CTAPStatus) {
        isEnumerating = status == .ok && (command.beginsList || command.continuesPrevious)
        guard status == .ok else { return }
        switch (command.code, command.subcommand) {
        case (CTAPCommand.Code.clientPIN, 2): hasKeyAgreement = true
        case (CTAPCommand.Code.clientPIN, 5), (CTAPCommand.Code.clientPIN, 6), (CTAPCommand.Code.clientPIN, 9):
            hasToken = true
        case (CTAPCommand.Code.reset, _): self = FieldSession()
        default: break
        }
    }
}
