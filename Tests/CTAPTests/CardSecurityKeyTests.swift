import CTAP
import TestSupport
import Testing

/// A ``CardSecurityKey`` with the reader and the programs around it.
struct KeySetup {
    static let plain = hex("01 A1 01 40")
    static let withToken = hex("02 A1 06 4101")
    static let keyAgreement = hex("06 A1 02 02")
    static let token = hex("06 A1 02 05")
    static let resident = hex("01 A1 07 A1 62726B F5")
    static let assertion = hex("02 A1 01 40")
    static let nextAssertion = hex("08")
    static let info = hex("00 A2 01 82 66 5532465F5632 68 4649444F5F325F30 03 40")
    static let otherInfo = hex("00 A2 01 81 68 4649444F5F325F30 03 4101")
    static let card = CardSecurityKey.Card(info: CardInfo(info), hasU2F: true)
    static let otherCard = CardSecurityKey.Card(info: CardInfo(otherInfo), hasU2F: false)

    var key: CardSecurityKey
    var time = Duration.zero
    private var last: UInt64 = 0

    init(_ settings: CardSecurityKey.Settings = .init()) { key = CardSecurityKey(settings) }

    /// A key whose card lies in the field, and whose device a program has open.
    static func inUse(_ settings: CardSecurityKey.Settings = .init()) -> KeySetup {
        var setup = KeySetup(settings)
        _ = setup.key.start()
        _ = setup.key.cardArrived(card, at: .zero)
        _ = setup.key.opened(at: .zero)
        return setup
    }

    /// The name of the last request.
    var id: CardSecurityKey.RequestNumber { .init(last) }

    mutating func request(_ message: [UInt8]) -> [CardSecurityKey.Action] {
        last += 1
        return key.request(id, .cbor(message), at: time)
    }

    mutating func answer(_ bytes: [UInt8]) -> [CardSecurityKey.Action] { key.finished(.answer(bytes), at: time) }

    /// A request that the card carries out.
    mutating func complete(_ message: [UInt8], _ bytes: [UInt8] = [0]) {
        _ = request(message)
        _ = answer(bytes)
    }

    /// Lets time pass until the next deadline; what is done then.
    mutating func wait() -> [CardSecurityKey.Action] {
        time = key.nextDeadline ?? time
        return key.tick(at: time)
    }

    mutating func lift() -> [CardSecurityKey.Action] { key.cardLeft(at: time) }
    mutating func put(_ card: CardSecurityKey.Card = KeySetup.card) -> [CardSecurityKey.Action] {
        key.cardArrived(card, at: time)
    }
}

@Suite struct `A card as a key that stays plugged in` {
    // MARK: The device

    @Test func `the device comes with the card, and goes 30 s after it`() {
        var setup = KeySetup()
        #expect(setup.key.start().isEmpty)
        #expect(setup.put() == [.createDevice(hasMessages: true)])
        #expect(setup.lift().isEmpty)
        #expect(setup.wait() == [.destroyDevice])
        #expect(setup.time == .seconds(30))
    }

    @Test func `it stays for 60 s where a program has it open`() {
        var setup = KeySetup.inUse()
        _ = setup.lift()
        #expect(setup.wait() == [.destroyDevice])
        #expect(setup.time == .seconds(60))
    }

    @Test func `a permanent device is there from the start`() {
        var setup = KeySetup(.init(isPermanent: true))
        #expect(setup.key.start() == [.createDevice(hasMessages: true)])
        #expect(setup.put().isEmpty)
        _ = setup.lift()
        #expect(setup.key.nextDeadline == nil)
    }

    @Test func `the reader is not shared while a program has the device open, and for 2 s after`() {
        var setup = KeySetup()
        _ = setup.put()
        #expect(setup.key.opened(at: .zero) == [.setYielding(false)])
        #expect(setup.key.closed(at: .zero).isEmpty)
        #expect(setup.wait() == [.setYielding(true)])
        #expect(setup.time == .seconds(2))
    }

    @Test func `a card that no program uses is released after 5 min, and the device does not come back for it`() {
        var setup = KeySetup()
        _ = setup.put()
        #expect(setup.wait() == [.destroyDevice, .releaseCard])
        #expect(setup.time == .seconds(300))
        #expect(setup.key.nextDeadline == nil)
        #expect(!setup.key.hasCard)
    }

    @Test func `in strict mode the device is hidden 2 s after the first operation`() {
        var setup = KeySetup.inUse(.init(isStrict: true))
        setup.complete(KeySetup.plain)
        #expect(setup.wait() == [.destroyDevice, .releaseCard])
        #expect(setup.time == .seconds(2))
    }

    @Test func `another card in the linger is another device`() {
        var setup = KeySetup.inUse()
        _ = setup.lift()
        #expect(setup.put(KeySetup.otherCard) == [.destroyDevice, .createDevice(hasMessages: false)])
    }

    @Test func `a card whose PIN was set in between is the same card`() {
        let info = hex("00 A3 01 82 66 5532465F5632 68 4649444F5F325F30 03 40 04 A1 69636C69656E7450696E F5")
        let withPIN = CardSecurityKey.Card(info: CardInfo(info), hasU2F: true)
        var setup = KeySetup.inUse()
        _ = setup.lift()
        #expect(setup.put(withPIN).contains(.destroyDevice), "options are part of what distinguishes cards")
        for changes in [[KeySetup.keyAgreement, hex("06 A1 02 03")], [hex("07")], [KeySetup.plain, hex("04")]] {
            var setup = KeySetup.inUse()
            for message in changes { setup.complete(message, message == hex("04") ? info : [0]) }
            _ = setup.lift()
            #expect(!setup.put(withPIN).contains(.destroyDevice))
        }
    }

    @Test func `the same card in the linger keeps the device`() {
        var setup = KeySetup.inUse()
        _ = setup.lift()
        #expect(setup.put() == [.setYielding(false)])
    }

    // MARK: Requests

    @Test func `a request goes to the card, and its answer back`() {
        var setup = KeySetup.inUse()
        #expect(
            setup.request(KeySetup.plain) == [.keepAlive(setup.id, .processing), .transfer(.cbor(KeySetup.plain))])
        #expect(setup.key.cardWaits(.presenceNeeded, at: .zero) == [.keepAlive(setup.id, .presenceNeeded)])
        #expect(setup.answer(hex("0001")) == [.answer(setup.id, hex("0001"))])
    }

    @Test func `without a card, getInfo is answered from the last one`() {
        var setup = KeySetup.inUse()
        _ = setup.lift()
        #expect(setup.request([4]) == [.answer(setup.id, KeySetup.info)])
    }

    @Test func `getInfo is answered from the last card when it leaves during the exchange`() {
        var setup = KeySetup.inUse()
        _ = setup.request([4])
        #expect(setup.key.finished(.cardLost, at: .zero) == [.answer(setup.id, KeySetup.info)])
    }

    @Test func `without a card, a request waits with UPNEEDED and ends with 2F after 30 s`() {
        var setup = KeySetup.inUse()
        _ = setup.lift()
        #expect(setup.request(KeySetup.plain) == [.keepAlive(setup.id, .presenceNeeded), .askForCard(true)])
        #expect(setup.wait() == [.askForCard(false), .answer(setup.id, [0x2F])])
        #expect(setup.time == .seconds(30))
    }

    @Test func `a permanent device holds getInfo for 30 s`() {
        var setup = KeySetup(.init(isPermanent: true))
        _ = setup.key.start()
        #expect(setup.request([4]) == [.keepAlive(setup.id, .presenceNeeded), .askForCard(true)])
        #expect(setup.wait() == [.askForCard(false), .answer(setup.id, [0x2F])])
    }

    @Test func `a request that waits is sent when the card comes`() {
        var setup = KeySetup.inUse()
        _ = setup.lift()
        _ = setup.request(KeySetup.plain)
        let expected: [CardSecurityKey.Action] = [
            .setYielding(false), .askForCard(false), .keepAlive(setup.id, .processing),
            .transfer(.cbor(KeySetup.plain)),
        ]
        #expect(setup.put() == expected)
    }

    @Test func `a card that leaves during a command without a PIN gets it once more if it is back within 10 s`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        #expect(
            setup.key.finished(.cardLost, at: .zero) == [.keepAlive(setup.id, .presenceNeeded), .askForCard(true)])
        #expect(setup.put().last == .transfer(.cbor(KeySetup.plain)))
        #expect(setup.key.finished(.cardLost, at: .zero) == [.fail(setup.id, .other)])
    }

    @Test func `a card that does not come back within 10 s ends it with 7F`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        _ = setup.key.finished(.cardLost, at: .zero)
        #expect(setup.wait() == [.askForCard(false), .fail(setup.id, .other)])
        #expect(setup.time == .seconds(10))
    }

    @Test(arguments: [KeySetup.resident, hex("07"), hex("0A A1 01 01"), KeySetup.keyAgreement + []])
    func `what changes the card is not sent twice`(message: [UInt8]) {
        var setup = KeySetup.inUse()
        _ = setup.request(message)
        let actions = setup.key.finished(.cardLost, at: .zero)
        #expect(actions.contains(.fail(setup.id, .other)) == (message != KeySetup.keyAgreement))
    }

    @Test func `a PIN and a token of before a field loss are answered with 33`() {
        var setup = KeySetup.inUse()
        setup.complete(KeySetup.keyAgreement)
        setup.complete(KeySetup.token)
        #expect(setup.request(KeySetup.withToken).last == .transfer(.cbor(KeySetup.withToken)))
        _ = setup.answer([0])
        _ = setup.lift()
        #expect(setup.request(KeySetup.withToken) == [.answer(setup.id, [0x33])])
        _ = setup.put()
        #expect(setup.request(KeySetup.withToken) == [.answer(setup.id, [0x33])])
        #expect(setup.request(KeySetup.token) == [.answer(setup.id, [0x33])])
    }

    @Test func `getNextAssertion after a field loss is answered with 30`() {
        var setup = KeySetup.inUse()
        setup.complete(KeySetup.assertion)
        #expect(setup.request(KeySetup.nextAssertion).last == .transfer(.cbor(KeySetup.nextAssertion)))
        _ = setup.answer([0])
        _ = setup.lift()
        _ = setup.put()
        #expect(setup.request(KeySetup.nextAssertion) == [.answer(setup.id, [0x30])])
    }

    @Test func `a cancelled command runs to its end, and the next one waits for it`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        #expect(setup.key.cancel(setup.id) == [.cancelTransfer])
        #expect(setup.request([4]) == [.keepAlive(setup.id, .processing)])
        #expect(setup.answer([0x2D]) == [.keepAlive(setup.id, .processing), .transfer(.cbor([4]))])
    }

    @Test func `a request that waits is dropped when it is cancelled`() {
        var setup = KeySetup.inUse()
        _ = setup.lift()
        _ = setup.request(KeySetup.plain)
        #expect(setup.key.cancel(setup.id) == [.askForCard(false)])
        #expect(setup.put() == [.setYielding(false)])
    }

    @Test func `the end of nfcd or of the reader is 7F, and the device goes`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        #expect(
            setup.key.cardTaken(at: .zero).filter { $0 != .cancelTransfer } == [
                .fail(setup.id, .other), .destroyDevice,
            ])
    }

    @Test func `a card that says nothing for 30 s is not used until it was lifted`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        #expect(setup.wait() == [.fail(setup.id, .other), .cancelTransfer])
        #expect(setup.time == .seconds(30))
        #expect(!setup.key.hasCard)
    }

    @Test func `a card that asks for time is given 120 s in all`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        while setup.time < .seconds(119) {
            setup.time += .seconds(1)
            _ = setup.key.cardWaits(.processing, at: setup.time)
        }
        #expect(setup.wait() == [.fail(setup.id, .other), .cancelTransfer])
        #expect(setup.time == .seconds(120))
    }

    @Test(arguments: [0x27, 0x3B, 0x36, 0x31] as [UInt8])
    func `an error of the card is passed on`(status: UInt8) {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        #expect(setup.answer([status]) == [.answer(setup.id, [status])])
    }

    @Test func `a request that is too long for the card is answered with 39`() {
        var setup = KeySetup.inUse()
        #expect(setup.request([1] + Array(repeating: 0, count: 1024)) == [.answer(setup.id, [0x39])])
    }

    // MARK: Beside other programs

    private static let deselections: [CardSecurityKey.Outcome] =
        [.deselected] + [0x6985, 0x6986, 0x6D00, 0x6E00].map { .failed(.status($0)) }

    @Test(arguments: deselections)
    func `a lost selection is a field loss, and a command that changes nothing is sent once more`(
        outcome: CardSecurityKey.Outcome
    ) {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        #expect(setup.key.finished(outcome, at: .zero) == [.keepAlive(setup.id, .processing), .selectAgain])
        #expect(!setup.key.hasCard)
        #expect(setup.put() == [.keepAlive(setup.id, .processing), .transfer(.cbor(KeySetup.plain))])
        #expect(setup.key.finished(outcome, at: .zero) == [.fail(setup.id, .other), .selectAgain])
    }

    @Test(arguments: deselections)
    func `a lost selection ends a command that changes something or has a PIN in it`(outcome: CardSecurityKey.Outcome) {
        for message in [KeySetup.resident, hex("07"), KeySetup.token, KeySetup.withToken] {
            var setup = KeySetup.inUse()
            setup.complete(KeySetup.keyAgreement)
            setup.complete(KeySetup.token)
            _ = setup.request(message)
            #expect(setup.key.finished(outcome, at: .zero) == [.fail(setup.id, .other), .selectAgain], "\(message)")
            _ = setup.put()
            #expect(setup.request(KeySetup.withToken) == [.answer(setup.id, [0x33])])
        }
    }

    @Test func `what a card reported of itself needs no selection`() {
        var setup = KeySetup.inUse()
        _ = setup.request([4])
        #expect(setup.key.finished(.deselected, at: .zero) == [.answer(setup.id, KeySetup.info), .selectAgain])
        #expect(setup.request([4]) == [.answer(setup.id, KeySetup.info)])
    }

    @Test func `a request that waits for the selection waits for a person when the card is lifted`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        _ = setup.key.finished(.deselected, at: .zero)
        #expect(setup.lift() == [.keepAlive(setup.id, .presenceNeeded), .askForCard(true)])
        #expect(
            setup.put() == [
                .setYielding(false), .askForCard(false), .keepAlive(setup.id, .processing),
                .transfer(.cbor(KeySetup.plain)),
            ])
    }

    @Test func `a card that is not selected again ends the request after 10 s`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        _ = setup.key.finished(.deselected, at: .zero)
        #expect(setup.wait() == [.fail(setup.id, .other)])
        #expect(setup.time == .seconds(10))
    }

    @Test(arguments: ["6D00", "6E00"])
    func `U2F is tried again where another application may have been selected, and only then`(status: String) {
        var setup = KeySetup.inUse()
        let message = HIDEndpoint.Body.message(hex("00030000"))
        let (first, second) = (CardSecurityKey.RequestNumber(101), CardSecurityKey.RequestNumber(102))
        _ = setup.key.request(first, message, at: .zero)
        #expect(setup.key.finished(.answer(hex(status)), at: .zero) == [.answer(first, hex("6985")), .selectAgain])
        _ = setup.put()
        _ = setup.key.request(second, message, at: .zero)
        #expect(setup.key.finished(.answer(hex(status)), at: .zero) == [.answer(second, hex(status))])
    }

    @Test func `a program that asks for nothing for 60 s keeps the card from others no longer`() {
        var setup = KeySetup.inUse()
        setup.time = .seconds(50)
        setup.complete(KeySetup.plain)
        #expect(setup.wait() == [.setYielding(true)])
        #expect(setup.time == .seconds(110))
        #expect(
            setup.request(KeySetup.plain) == [
                .setYielding(false), .keepAlive(setup.id, .processing), .transfer(.cbor(KeySetup.plain)),
            ])
        _ = setup.answer([0])
        #expect(setup.wait() == [.setYielding(true)])
    }

    @Test func `a card that computes for long is not shared meanwhile`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        setup.time = .seconds(20)
        _ = setup.key.cardWaits(.processing, at: setup.time)
        setup.time = .seconds(45)
        _ = setup.key.cardWaits(.processing, at: setup.time)
        setup.time = .seconds(65)
        #expect(setup.key.tick(at: setup.time).isEmpty)
        #expect(setup.answer([0]) == [.answer(setup.id, [0])])
    }

    @Test func `what a PIN has opened ends when others may use the card`() {
        var setup = KeySetup.inUse()
        setup.complete(KeySetup.keyAgreement)
        setup.complete(KeySetup.token)
        _ = setup.key.closed(at: .zero)
        #expect(setup.wait() == [.setYielding(true)])
        _ = setup.key.opened(at: setup.time)
        #expect(setup.request(KeySetup.token) == [.answer(setup.id, [0x33])])
        #expect(setup.request(KeySetup.withToken) == [.answer(setup.id, [0x33])])
    }

    @Test func `a device that is closed while the card is selected again is shared afterwards`() {
        var setup = KeySetup.inUse()
        _ = setup.request(KeySetup.plain)
        _ = setup.key.finished(.deselected, at: .zero)
        _ = setup.key.cancel(setup.id)
        _ = setup.key.closed(at: .zero)
        _ = setup.put()
        #expect(setup.wait() == [.setYielding(true)])
        #expect(setup.time == .seconds(2))
    }

    @Test func `a U2F command without a card asks its program to try again, but a handle cannot be checked`() {
        var setup = KeySetup.inUse()
        _ = setup.lift()
        let (sign, check) = (CardSecurityKey.RequestNumber(101), CardSecurityKey.RequestNumber(102))
        #expect(setup.key.request(sign, .message(hex("00020300")), at: .zero) == [.answer(sign, hex("6985"))])
        #expect(setup.key.request(check, .message(hex("00020700")), at: .zero) == [.fail(check, .other)])
    }
}
