import CTAP
import TestSupport
import Testing

@Suite struct `The transfer of a request to a card` {
    private func start(_ request: String, limits: CardTransfer.Limits = .init()) -> (CardTransfer, CardTransfer.Step) {
        var transfer = CardTransfer(.cbor(hex(request)), limits: limits)
        let step = transfer.start()
        return (transfer, step)
    }

    @Test func `a short message is one APDU, and the answer is its data`() {
        var (transfer, step) = start("04")
        #expect(step == .send(hex("80108000 01 04 00")))
        #expect(transfer.receive(hex("00A1 9000")) == .done(hex("00A1")))
    }

    @Test func `a long message is a chain`() {
        let message = Array(repeating: UInt8(2), count: 300)
        var transfer = CardTransfer(.cbor(message))
        #expect(transfer.start() == .send(hex("90108000 FF") + Array(repeating: 2, count: 255)))
        #expect(transfer.receive(hex("9000")) == .send(hex("80108000 2D") + Array(repeating: 2, count: 45) + [0]))
    }

    @Test func `a card that refuses a part of a chain is not sent the rest`() {
        var transfer = CardTransfer(.cbor(Array(repeating: 2, count: 300)))
        _ = transfer.start()
        #expect(transfer.receive(hex("6700")) == .failed(.status(0x6700)))
    }

    @Test func `the rest of an answer is fetched`() {
        var (transfer, _) = start("04")
        #expect(transfer.receive(hex("0001 6110")) == .send(hex("80C0000010")))
        #expect(transfer.receive(hex("02 6100")) == .send(hex("80C0000000")))
        #expect(transfer.receive(hex("03 9000")) == .done(hex("00010203")))
    }

    @Test(arguments: ["6E00", "6D00", "6881", "6882"])
    func `a card that takes GET RESPONSE with CLA 00 alone is asked with it, and from then on`(refusal: String) {
        var (transfer, _) = start("04")
        #expect(transfer.receive(hex("0001 6110")) == .send(hex("80C0000010")))
        #expect(transfer.receive(hex(refusal)) == .send(hex("00C0000010")))
        #expect(transfer.receive(hex("02 6100")) == .send(hex("00C0000000")))
        #expect(transfer.receive(hex("03 9000")) == .done(hex("00010203")))
    }

    @Test(arguments: [("6E00", 0x6E00), ("6985", 0x6985), ("6F00", 0x6F00)] as [(String, UInt16)])
    func `a card that refuses GET RESPONSE with both classes ends the transfer`(refusal: String, status: UInt16) {
        var (transfer, _) = start("04")
        _ = transfer.receive(hex("0001 6110"))
        var step = transfer.receive(hex(refusal))
        if case .send = step { step = transfer.receive(hex(refusal)) }
        #expect(step == .failed(.status(status)))
    }

    @Test func `an answer in pieces of one byte is put together`() {
        var (transfer, _) = start("04")
        for piece in 0..<255 { #expect(transfer.receive([UInt8(piece), 0x61, 0x01]) == .send(hex("80C0000001"))) }
        #expect(transfer.receive(hex("FF 9000")) == .done((0..<256).map { UInt8($0) }))
    }

    @Test func `a reader that breaks on 256 bytes is asked for 240`() {
        var (transfer, step) = start("04", limits: .init(responseData: 240))
        #expect(step == .send(hex("80108000 01 04 F0")))
        #expect(transfer.receive(hex("00 6100")) == .send(hex("80C00000F0")))
    }

    @Test func `a card that asks for time is polled every 100 ms, with its status`() {
        var (transfer, _) = start("01")
        #expect(transfer.receive(hex("02 9100")) == .wait(.milliseconds(100), .presenceNeeded))
        #expect(transfer.waited() == .send(hex("8011000000")))
        #expect(transfer.receive(hex("01 9100")) == .wait(.milliseconds(100), .processing))
        #expect(transfer.waited() == .send(hex("8011000000")))
        #expect(transfer.receive(hex("00 9000")) == .done([0]))
    }

    @Test func `a cancelled command is cancelled at the next question`() {
        var (transfer, _) = start("01")
        _ = transfer.receive(hex("02 9100"))
        transfer.cancel()
        #expect(transfer.waited() == .send(hex("8011110000")))
        #expect(transfer.receive(hex("2D 9000")) == .done([0x2D]))
    }

    @Test func `a card that refuses P1 80 is asked once more with P1 00`() {
        var (transfer, _) = start("04")
        #expect(transfer.receive(hex("6A86")) == .send(hex("80100000 01 04 00")))
        #expect(transfer.receive(hex("6A86")) == .failed(.status(0x6A86)))
    }

    @Test(arguments: [
        ("", CardTransfer.Failure.malformed), ("90", .malformed), ("9000", .malformed), ("07 9100", .malformed),
        ("0101 9100", .malformed), ("6D00", .status(0x6D00)), ("6985", .status(0x6985)),
    ])
    func `a bad answer ends the transfer`(_ answer: String, _ failure: CardTransfer.Failure) {
        var (transfer, _) = start("04")
        #expect(transfer.receive(hex(answer)) == .failed(failure))
    }

    @Test func `an answer of 257 bytes is refused`() {
        var (transfer, _) = start("04")
        #expect(transfer.receive(Array(repeating: 0, count: 257) + hex("9000")) == .failed(.malformed))
    }

    @Test(arguments: [("00", CardTransfer.Failure.tooLong), ("", .tooLong)])
    func `a card that always has more is given up`(_ piece: String, _ failure: CardTransfer.Failure) {
        var (transfer, step) = start("04")
        var steps = 0
        while case .send = step, steps < 1000 {
            step = transfer.receive(hex(piece) + hex("6100"))
            steps += 1
        }
        #expect(step == .failed(failure))
        #expect(steps <= 257)
    }

    @Test func `a card that always asks for time is given up after 30 s`() {
        var (transfer, step) = start("04")
        var waits = 0
        while waits < 1000 {
            step = transfer.receive(hex("01 9100"))
            guard case .wait = step else { break }
            _ = transfer.waited()
            waits += 1
        }
        #expect(step == .failed(.tooSlow))
        #expect(waits == 300)
    }

    @Test(arguments: [
        ("00030000", "00030000 00"), ("00030000 00", "00030000 00"), ("00030000 000000", "00030000 00"),
        ("00030000 000000 0000", "00030000 00"),
        ("00020700 000003 010203 0000", "00020700 03 010203 00"), ("00010000 02 0102", "00010000 02 0102 00"),
    ])
    func `a U2F command is sent as a short APDU`(_ command: String, _ apdu: String) {
        var transfer = CardTransfer(.message(hex(command)))
        #expect(transfer.start() == .send(hex(apdu)))
        #expect(transfer.receive(hex("AABB 9000")) == .done(hex("AABB9000")))
    }

    @Test func `the status word of a U2F command is its answer`() {
        var transfer = CardTransfer(.message(hex("00020700 01 00")))
        _ = transfer.start()
        #expect(transfer.receive(hex("6985")) == .done(hex("6985")))
    }

    @Test(
        arguments: [
            ("00A40400 08 A0000006472F0001", 0x6D00), ("00B00000", 0x6D00), ("80100000 01 04", 0x6E00),
            ("FFCA0000 00", 0x6E00),
            ("000300", 0x6700), ("00010000 05 0102", 0x6700), ("00010000 000000 01", 0x6700),
        ] as [(String, UInt16)])
    func `a command of another application does not reach the card`(_ command: String, _ status: UInt16) {
        var transfer = CardTransfer(.message(hex(command)))
        #expect(transfer.start() == .failed(.refused(status)))
    }
}
