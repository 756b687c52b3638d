/// Finds the identifiers of tags in the exchanges of a visit, and masks what names a tag in another form: signatures, data of its
/// production, and answers whose form is not known.
///
/// A recording keeps these: this is for one that goes to strangers. A value: no I/O.
package struct IdentifierMask: Sendable {
    /// An exchange in which only known identifiers name the tag.
    package struct Exchange: Sendable {
        /// The identifiers that the exchange shows as a whole.
        package fileprivate(set) var identifiers: [[UInt8]] = []
        /// The command.
        package fileprivate(set) var command: MaskedBytes
        /// The response; nil if there was none.
        package fileprivate(set) var answer: MaskedBytes?
    }

    /// The DESFire command that a frame AF continues.
    private enum Chain: Sendable {
        case version(part: Int)
        case signature
    }

    private let technology: MaskedTechnology
    private var chain: Chain?

    /// A mask for a visit.
    package init(answerToReset: [UInt8]) {
        technology = MaskedTechnology(answerToReset: answerToReset)
    }

    /// Takes an exchange.
    package mutating func take(_ command: MaskedBytes, _ answer: MaskedBytes?) -> Exchange {
        var judgement = Judgement(command, answer ?? MaskedBytes([]))
        judge(&judgement)
        return Exchange(
            identifiers: judgement.identifiers,
            command: MaskedBytes(masking: Self.masked(command, judgement.secrecy.command)),
            answer: answer.map { MaskedBytes(masking: Self.masked($0, judgement.secrecy.answer)) })
    }

    private static func masked(_ bytes: MaskedBytes, _ secrecy: [ByteSecrecy]) -> [UInt8?] {
        zip(bytes.bytes, secrecy).map { $1 == .open ? $0 : nil }
    }

    /// An exchange while it is judged.
    private struct Judgement {
        let command: MaskedBytes
        let answer: MaskedBytes
        let sent: [UInt8]
        let received: [UInt8]
        var secrecy: ExchangeSecrecy
        var identifiers: [[UInt8]] = []

        init(_ command: MaskedBytes, _ answer: MaskedBytes) {
            (self.command, self.answer) = (command, answer)
            (sent, received) = (command.filled, answer.filled)
            secrecy = ExchangeSecrecy(commandCount: sent.count, answerCount: received.count)
        }

        /// The answer without its status word.
        var data: Range<Int> { received.withoutStatus }

        /// Takes bytes as an identifier: none is masked, and they are not all equal, as those of a card that hides its UID.
        mutating func identify(_ bytes: ArraySlice<UInt8?>) {
            let known = bytes.compactMap(\.self)
            guard known.count == bytes.count, (4...10).contains(known.count), Set(known).count > 1 else { return }
            identifiers.append(known)
        }

        mutating func identify(answer range: Range<Int>) {
            guard range.upperBound <= answer.bytes.count else { return }
            identify(answer.bytes[range])
        }

        mutating func identify(command range: Range<Int>) {
            guard range.upperBound <= command.bytes.count else { return }
            identify(command.bytes[range])
        }

        mutating func hideAnswer(from start: Int? = nil) {
            secrecy.mark(answer: min(start ?? 0, data.upperBound)..<data.upperBound, .secret)
        }
    }

    private mutating func judge(_ exchange: inout Judgement) {
        guard let apdu = APDULayout(exchange.sent) else { return exchange.hideAnswer() }
        switch apdu.instructionClass {
        case 0xFF: judgeReader(apdu, &exchange)
        case 0x90: judgeDESFire(apdu, &exchange)
        default: judgeSelection(apdu, &exchange)
        }
    }

    /// SELECT of OpenPGP: its AID has the serial number of the card (OpenPGP Smart Card Application, 4.2.1).
    private func judgeSelection(_ apdu: APDULayout, _ exchange: inout Judgement) {
        let openPGP: [UInt8] = [0xD2, 0x76, 0x00, 0x01, 0x24, 0x01]
        guard apdu.instruction == 0xA4, exchange.sent[apdu.data].starts(with: openPGP) else { return }
        exchange.secrecy.mark(command: apdu.data.dropFirst(openPGP.count), .secret)
        exchange.hideAnswer()
    }

    /// GetVersion, whose third part has the UID and when the chip was made; Read_Sig; GetCardUID.
    private mutating func judgeDESFire(_ apdu: APDULayout, _ exchange: inout Judgement) {
        switch (apdu.instruction, chain) {
        case (0x60, _): chain = .version(part: 1)
        case (0xAF, .version(let part)): chain = .version(part: part + 1)
        case (0xAF, .signature): break
        case (0x3C, _): chain = .signature
        default: chain = nil
        }
        if apdu.instruction == 0x51 { exchange.hideAnswer() }
        switch chain {
        case .signature: exchange.hideAnswer()
        case .version(part: 3...):
            let data = exchange.data
            // A UID of 4 or 10 bytes follows 00 and its length.
            if data.count > 2, exchange.received[0] == 0x00 {
                let end = min(2 + Int(exchange.received[1]), data.upperBound)
                exchange.identify(answer: 2..<end)
                exchange.hideAnswer()
            } else {
                exchange.identify(answer: 0..<min(7, data.upperBound))
                exchange.hideAnswer(from: 7)
            }
        case .version, nil: break
        }
        if !exchange.received.suffix(2).elementsEqual([0x91, 0xAF]) { chain = nil }
    }

    // MARK: Pseudo-APDUs of readers

    private mutating func judgeReader(_ apdu: APDULayout, _ exchange: inout Judgement) {
        let data = exchange.data
        switch (apdu.instruction, apdu.parameter) {
        // GET DATA: the identifier, the ATS, and what only one maker knows.
        case (0xCA, 0x0000): if exchange.received.isSuccess { exchange.identify(answer: data) }
        case (0xCA, 0x0100): break
        case (0xCA, _): exchange.hideAnswer()
        case (0xB0, _) where technology == .type2: judgePages(data, from: Int(apdu.parameter), &exchange)
        // The first block of a MIFARE Classic: a UID of 4 bytes with its check byte, or of 7, and data of the maker.
        case (0xB0, 0x0000) where technology == .classic:
            let uid = exchange.received.prefix(5)
            let isShort = uid.count == 5 && uid.reduce(0, ^) == 0
            exchange.identify(answer: 0..<(isShort ? 4 : 7))
            exchange.hideAnswer()
        case (0x40...0x4A, _) where technology == .feliCa: exchange.hideAnswer()
        case (0x50...0x60, _) where technology == .topaz: exchange.hideAnswer()
        default:
            if let frame = PassThroughFrame.frame(in: exchange.sent) {
                judgeFrame(frame.indices, PassThroughFrame.answerRange(to: exchange.sent, exchange.received), &exchange)
            } else {
                judgeWithoutFrame(apdu, &exchange)
            }
        }
    }

    /// Commands to the chip of a reader that find tags.
    private func judgeWithoutFrame(_ apdu: APDULayout, _ exchange: inout Judgement) {
        let data = exchange.data
        switch apdu.instruction {
        case 0x00 where apdu.parameter == 0 && exchange.sent[apdu.data].first == 0xD4:
            // InListPassiveTarget, also with a UID in the command, and InAutoPoll.
            guard [0x4A, 0x60].contains(exchange.sent[apdu.data].dropFirst().first) else { return }
            exchange.secrecy.mark(command: apdu.data.dropFirst(4), .secret)
            exchange.hideAnswer(from: 3)
        case 0xC2:
            guard let objects = BasicTLV.objects(exchange.received, in: data) else { return exchange.hideAnswer() }
            let harmless: Set<UInt16> = [0xC0, 0x90, 0x92, 0x96]
            for object in objects where !harmless.contains(object.tag) && object.value.count >= 4 {
                exchange.secrecy.mark(answer: object.value, .secret)
            }
        default: break
        }
    }

    /// Pages of a Type 2 tag: the first three have the UID with its check bytes (ISO/IEC 14443-3, 6.5.4).
    private func judgePages(_ data: Range<Int>, from page: Int, _ exchange: inout Judgement) {
        guard page == 0, data.count >= 8 else { return }
        let pages = exchange.answer.bytes[data]
        exchange.identify(pages.prefix(3) + pages.dropFirst(4).prefix(4))
    }

    private mutating func judgeFrame(_ frame: Range<Int>, _ reply: Range<Int>, _ exchange: inout Judgement) {
        guard !frame.isEmpty else { return }
        let bytes = exchange.sent[frame]
        switch technology {
        case .type2:
            switch (bytes[frame.lowerBound], frame.count) {
            case (0x30, 2), (0x3A, 3): judgePages(reply, from: Int(bytes[frame.lowerBound + 1]), &exchange)
            // READ_SIG: the UID that was signed follows from the signature and the key of its maker.
            case (0x3C, 2): exchange.secrecy.mark(answer: reply, .secret)
            default: break
            }
        case .feliCa:
            // Length, code and IDm, in all commands but polling and in all responses (JIS X 6319-4).
            if Self.isFeliCa(bytes), bytes[frame.lowerBound + 1] != 0x00 {
                exchange.identify(command: frame.dropFirst(2).prefix(8))
            }
            if Self.isFeliCa(exchange.received[reply]) { exchange.identify(answer: reply.dropFirst(2).prefix(8)) }
        case .iso15693: judgeVicinity(frame, reply, &exchange)
        case .topaz:
            exchange.secrecy.mark(command: frame.dropFirst(), .secret)
            exchange.secrecy.mark(answer: reply, .secret)
        case .card: judgeWrapped(frame, reply, &exchange)
        case .classic, .unknown: break
        }
    }

    private static func isFeliCa(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= 10 && bytes.first.map(Int.init) == bytes.count
    }

    /// A request of ISO/IEC 15693: flags, code, the maker in custom commands, the UID where it is addressed.
    private func judgeVicinity(_ frame: Range<Int>, _ reply: Range<Int>, _ exchange: inout Judgement) {
        guard frame.count >= 2 else { return }
        let (flags, code) = (exchange.sent[frame.lowerBound], exchange.sent[frame.lowerBound + 1])
        if flags & 0x24 == 0x20 { exchange.identify(command: frame.dropFirst(code >= 0xA0 ? 3 : 2).prefix(8)) }
        switch code {
        // INVENTORY, also with blocks; the mask in the command is a part of a UID.
        case 0x01,
            0xA0 where flags & 0x04 != 0, 0xA1 where flags & 0x04 != 0:
            if code == 0x01, reply.count == 10 { exchange.identify(answer: reply.dropFirst(2)) }
            exchange.secrecy.mark(command: frame.dropFirst(2), .secret)
            exchange.secrecy.mark(answer: reply.dropFirst(1), .secret)
        // GET SYSTEM INFORMATION and its extended form: flags, which fields there are, and the UID.
        case 0x2B, 0x3B: if reply.count >= 10 { exchange.identify(answer: reply.dropFirst(2).prefix(8)) }
        // READ SIGNATURE.
        case 0xBD: exchange.secrecy.mark(answer: reply, .secret)
        default: break
        }
    }

    /// An APDU in a frame.
    private mutating func judgeWrapped(_ frame: Range<Int>, _ reply: Range<Int>, _ exchange: inout Judgement) {
        guard exchange.sent[frame.lowerBound] != 0xFF else { return }
        var inner = Judgement(
            MaskedBytes(masking: Array(exchange.command.bytes[frame])),
            MaskedBytes(masking: Array(exchange.answer.bytes[reply])))
        judge(&inner)
        exchange.identifiers += inner.identifiers
        for (index, kind) in zip(frame, inner.secrecy.command) where kind != .open {
            exchange.secrecy.mark(command: index..<index + 1, kind)
        }
        for (index, kind) in zip(reply, inner.secrecy.answer) where kind != .open {
            exchange.secrecy.mark(answer: index..<index + 1, kind)
        }
    }
}
