import TestSupport

@testable import VirtualTags

/// A reader that authenticates to a virtual NTAG 424 DNA and protects its commands.
struct NTAG424TestReader {
    static let zero = [UInt8](repeating: 0, count: 16)

    var card: VirtualNTAG424Card
    private var cipher: NTAG424Cipher?
    private var transaction: [UInt8] = []
    private var counter: UInt16 = 0
    private let randomA = [UInt8](0x10..<0x20)

    /// A reader in whose field the card is, with the application selected.
    init(_ card: VirtualNTAG424Card) {
        self.card = card
        repower()
    }

    /// A card with a setup in the field.
    init(_ change: (inout VirtualNTAG424Setup) -> Void = { _ in }) throws {
        var setup = VirtualNTAG424Setup()
        setup.identifier = hex("04958CAA5C5E80")
        change(&setup)
        self.init(try VirtualNTAG424Card(setup))
    }

    /// Takes the card out of the field and puts it back.
    mutating func repower() {
        card.fieldDropped()
        card.activate()
        cipher = nil
        _ = card.send("00 A4 04 0C 07 D2760000850101")
    }

    /// A fault, and at which exchange from 1 it happens; the card is out of the field from then on, until it is put back.
    var fault: (kind: Fault, exchange: Int)?
    /// The exchanges so far.
    private(set) var exchanges = 0

    mutating func send(_ command: String) -> String {
        exchanges += 1
        guard let fault, fault.exchange == exchanges else { return card.send(command) }
        switch fault.kind {
        case .removeBefore: card.fieldDropped()
        case .removeAmid(let frames): card.receive(hex(command), frames: frames)
        default:
            _ = card.send(command)
            card.fieldDropped()
        }
        return "silence"
    }

    /// Authenticates and gives the status of the last answer.
    mutating func authenticate(
        _ key: UInt8, _ value: [UInt8] = zero, isFirst: Bool = true, isLRP: Bool = false
    ) -> String {
        let capabilities = isLRP ? "06 020000000000" : "00"
        let begin =
            isFirst
            ? "90 71 00 00 \(isLRP ? "08" : "02") \(hex([key])) \(capabilities) 00" : "90 77 00 00 01 \(hex([key])) 00"
        let first = send(begin)
        guard first.hasSuffix("91AF") else { return first }
        let challenge = Array(hex(first).dropLast(2))
        return isLRP
            ? finishWithLRP(value, Array(challenge.dropFirst()), isFirst) : finishWithAES(value, challenge, isFirst)
    }

    private mutating func finishWithAES(_ value: [UInt8], _ challenge: [UInt8], _ isFirst: Bool) -> String {
        let key = AES128(key: value)
        let randomB = key.decryptCBC(challenge)
        let token = key.encryptCBC(randomA + randomB.dropFirst() + randomB.prefix(1))
        let text = send("90 AF 00 00 20" + hex(token) + "00")
        guard text.count > 7 else { return text }
        let answer = hex(text)
        let plain = key.decryptCBC(Array(answer.dropLast(2)))
        begin(.aes(key: value, randomA: randomA, randomB: randomB), isFirst ? Array(plain.prefix(4)) : nil)
        return hex(answer.suffix(2))
    }

    private mutating func finishWithLRP(_ value: [UInt8], _ randomB: [UInt8], _ isFirst: Bool) -> String {
        var keys = NTAG424Cipher.lrp(key: value, randomA: randomA, randomB: randomB)
        let text = send("90 AF 00 00 20" + hex(randomA + keys.wholeCode(randomA + randomB)) + "00")
        guard text.count > 7 else { return text }
        let answer = hex(text)
        let encrypted = Array(answer.dropLast(18))
        guard Array(answer.dropLast(2).suffix(16)) == keys.wholeCode(randomB + randomA + encrypted) else { return "" }
        let plain = keys.decrypt(encrypted, .response, position: [])
        begin(keys, isFirst ? Array(plain.prefix(4)) : nil)
        return hex(answer.suffix(2))
    }

    private mutating func begin(_ keys: NTAG424Cipher, _ transaction: [UInt8]?) {
        cipher = keys
        guard let transaction else { return }
        self.transaction = transaction
        counter = 0
    }

    private var position: (bytes: [UInt8], reordered: [UInt8]) {
        let counter = [UInt8(truncatingIfNeeded: counter), UInt8(truncatingIfNeeded: counter >> 8)]
        return (transaction + counter, counter + transaction)
    }

    /// The command APDU.
    mutating func wrapped(
        _ instruction: UInt8, _ header: String = "", _ data: [UInt8] = [], _ mode: NTAG424Session.Mode
    ) -> [UInt8] {
        var content = hex(header)
        guard var keys = cipher, mode != .plain else { return Self.apdu(instruction, content + data) }
        content +=
            mode == .full && !data.isEmpty
            ? keys.encrypt(AES128.padded(data), .command, position: position.bytes) : data
        cipher = keys
        return Self.apdu(instruction, content + keys.code([instruction] + position.reordered + content))
    }

    private static func apdu(_ instruction: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0x90, instruction, 0x00, 0x00] + (content.isEmpty ? [] : [UInt8(content.count)]) + content + [0x00]
    }

    /// Sends a protected command, and gives what the answer has, without protection, and its status; "MAC" where the code is wrong.
    mutating func command(
        _ instruction: UInt8, _ header: String = "", _ data: [UInt8] = [], _ mode: NTAG424Session.Mode = .full,
        response: NTAG424Session.Mode? = nil
    ) -> String {
        let text = send(hex(wrapped(instruction, header, data, mode)))
        guard text != "silence" else { return text }
        let answer = hex(text)
        counter &+= 1
        let status = hex(answer.suffix(2))
        let expected = response ?? mode
        guard var keys = cipher, expected != .plain, answer.count > 2 else { return hex(answer) }
        let body = Array(answer.dropLast(10))
        let code = keys.code([answer[answer.count - 1]] + position.reordered + body)
        guard Array(answer.dropLast(2).suffix(8)) == code else { return "MAC" }
        guard expected == .full, !body.isEmpty else { return hex(body) + status }
        let plain = AES128.unpadded(keys.decrypt(body, .response, position: position.bytes))
        cipher = keys
        return hex(plain ?? []) + status
    }

    /// Changes a key that is zero now.
    mutating func changeKey(_ number: UInt8, to value: [UInt8], version: UInt8, from old: [UInt8] = zero) -> String {
        let data = number == 0 ? value + [version] : xor(value, old) + [version] + NTAG424Keys.checksum(value)
        return command(0xC4, hex([number]), data, .full, response: number == 0 ? .plain : .full)
    }
}
