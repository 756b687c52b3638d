/// One request to a card over NFC: a CTAP message or a U2F command as APDUs (CTAP 2.1, §11.3; ISO/IEC 7816-4).
///
/// A value without a card and without a clock: its owner sends the APDUs, waits, and passes the answers. The card is not trusted:
/// bytes, pieces and time are bounded.
public struct CardTransfer: Sendable, Hashable {
    /// What the owner does next.
    public enum Step: Sendable, Hashable {
        /// Send an APDU, and pass the answer to ``CardTransfer/receive(_:)``.
        case send([UInt8])
        /// Report the status, wait, then call ``CardTransfer/waited()``.
        case wait(Duration, KeepAlive)
        /// The answer: CTAP status and CBOR, or U2F data and status word.
        case done([UInt8])
        /// There is no answer.
        case failed(Failure)
    }

    /// Why there is no answer.
    public enum Failure: Error, Sendable, Hashable {
        /// The card answered with this status word instead.
        case status(UInt16)
        /// The answer is not a response APDU, or its pieces do not fit together.
        case malformed
        /// The answer is longer than any answer, or comes in too many pieces.
        case tooLong
        /// The card kept asking for time.
        case tooSlow
        /// The program sent a U2F command that no card takes; the card was not asked. The answer to give is a status word.
        case refused(UInt16)
    }

    /// What readers and cards differ in.
    public struct Limits: Sendable, Hashable {
        /// The most bytes of data of a command.
        public var commandData: Int
        /// The most bytes of data that a command asks for; 240 for readers that break on 256.
        public var responseData: Int

        /// Creates limits, by default of short APDUs.
        public init(commandData: Int = 255, responseData: Int = 256) {
            self.commandData = min(max(commandData, 1), 255)
            self.responseData = min(max(responseData, 1), 256)
        }
    }

    private enum State: Sendable, Hashable {
        /// Parts of the command are being sent; the first is the one that was sent last.
        case sending(rest: ArraySlice<[UInt8]>)
        /// Pieces of the answer are being fetched.
        case receiving
        /// The card wants time; nothing is sent.
        case waiting
        case over
    }

    /// The time between two questions to a card that computes (CTAP 2.1, §11.3.7.2).
    private static let pollPeriod = Duration.milliseconds(100)
    /// The most questions: 30 s.
    private static let mostPolls = 300
    /// The longest answer to a card's command; CTAPHID carries no more.
    private static let longestAnswer = CTAPHID.longestMessage
    /// What cards answer to a class that they do not take (ISO/IEC 7816-4, §5.6).
    private static let classRefusals: Set<UInt16> = [0x6E00, 0x6D00, 0x6881, 0x6882]
    /// The most pieces of an answer.
    private static let mostPieces = 256

    private let body: HIDEndpoint.Body
    private let limits: Limits
    private var state = State.over
    private var answer: [UInt8] = []
    private var pieces = 0
    private var polls = 0
    /// Whether the command says that the card may answer 9100 (P1, bit 7).
    private var permitsWaiting = true
    private var isCancelled = false
    /// Whether the card takes GET RESPONSE with CLA 00 alone, although CTAP has 80 (§11.3.7.1).
    private var fetchesWithoutClass = false
    /// The length that the last GET RESPONSE asked for; nil: none was sent.
    private var fetchedLength: UInt8?

    /// Creates the transfer of a request.
    public init(_ body: HIDEndpoint.Body, limits: Limits = Limits()) {
        self.body = body
        self.limits = limits
    }

    /// The first step.
    public mutating func start() -> Step {
        switch body {
        case .cbor(let message): return begin(messageParts(message))
        case .message(let bytes):
            switch U2FCommand.read(bytes) {
            case .success(let command): return begin(command.parts(limits))
            case .failure(let refusal): return end(.failed(.refused(refusal.status)))
            }
        }
    }

    /// Asks the card to give up at the next occasion. A command that the card computes without asking for time runs to its end.
    public mutating func cancel() { isCancelled = true }

    private mutating func begin(_ parts: [[UInt8]]) -> Step {
        guard let first = parts.first else { return end(.failed(.malformed)) }
        state = .sending(rest: parts.dropFirst())
        return .send(first)
    }

    /// NFCCTAP_MSG, in parts of a chain (§11.3.6, §11.3.7.1).
    private func messageParts(_ message: [UInt8]) -> [[UInt8]] {
        let p1: UInt8 = permitsWaiting ? 0x80 : 0x00
        return ShortCommand.chain(
            instructionClass: 0x80, instruction: 0x10, p1, 0x00, message, expected: expected, limits)
    }

    private var expected: UInt8 { UInt8(truncatingIfNeeded: limits.responseData) }

    // MARK: Answers of the card

    /// Takes the answer to the APDU that was sent last, data and status word.
    public mutating func receive(_ response: [UInt8]) -> Step {
        guard response.count >= 2 else { return end(.failed(.malformed)) }
        let status = response.suffix(2).reduce(0) { $0 << 8 | UInt16($1) }
        let data = response.dropLast(2)
        switch state {
        case .sending(let rest): return sent(rest, data, status)
        case .receiving: return received(data, status)
        case .waiting, .over: return end(.failed(.malformed))
        }
    }

    private mutating func sent(_ rest: ArraySlice<[UInt8]>, _ data: ArraySlice<UInt8>, _ status: UInt16) -> Step {
        guard let next = rest.first else {
            state = .receiving
            return received(data, status)
        }
        guard status == 0x9000, data.isEmpty else { return refused(status) }
        state = .sending(rest: rest.dropFirst())
        return .send(next)
    }

    private mutating func received(_ data: ArraySlice<UInt8>, _ status: UInt16) -> Step {
        guard data.count <= 256 else { return end(.failed(.malformed)) }
        if status == 0x9100, isCTAP { return wait(data) }
        guard status >> 8 == 0x61 || status == 0x9000 else { return refused(status, after: data) }
        answer += data
        pieces += 1
        guard answer.count <= Self.longestAnswer, pieces <= Self.mostPieces else { return end(.failed(.tooLong)) }
        guard status != 0x9000 else { return completed() }
        return fetch(min256(UInt8(status & 0xFF)))
    }

    private mutating func fetch(_ length: UInt8) -> Step {
        fetchedLength = length
        return .send([isCTAP && !fetchesWithoutClass ? 0x80 : 0x00, 0xC0, 0x00, 0x00, length])
    }

    /// The length that a card offers, as far as the reader takes it; 00 is 256.
    private func min256(_ offered: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: min(offered == 0 ? 256 : Int(offered), limits.responseData))
    }

    private mutating func completed() -> Step {
        guard isCTAP else { return end(.done(answer + [0x90, 0x00])) }
        return end(answer.isEmpty ? .failed(.malformed) : .done(answer))
    }

    /// Another status word. Some cards refuse P1 80: once more without it. Of a U2F command it is the answer.
    private mutating func refused(_ status: UInt16, after data: ArraySlice<UInt8> = []) -> Step {
        guard isCTAP else {
            return end(.done(answer + data + [UInt8(status >> 8), UInt8(status & 0xFF)]))
        }
        if let length = fetchedLength, !fetchesWithoutClass, Self.classRefusals.contains(status) {
            fetchesWithoutClass = true
            return fetch(length)
        }
        guard case .cbor(let message) = body, permitsWaiting, polls == 0, answer.isEmpty,
            [0x6A86, 0x6B00, 0x6A80].contains(status)
        else { return end(.failed(.status(status))) }
        permitsWaiting = false
        return begin(messageParts(message))
    }

    private var isCTAP: Bool { if case .cbor = body { true } else { false } }

    // MARK: A card that asks for time

    private mutating func wait(_ data: ArraySlice<UInt8>) -> Step {
        guard permitsWaiting, answer.isEmpty, data.count == 1, let status = data.first.flatMap(KeepAlive.init) else {
            return end(.failed(.malformed))
        }
        guard polls < Self.mostPolls else { return end(.failed(.tooSlow)) }
        polls += 1
        state = .waiting
        return .wait(Self.pollPeriod, status)
    }

    /// Continues after ``Step/wait(_:_:)``: asks for the answer, or cancels.
    public mutating func waited() -> Step {
        guard state == .waiting else { return end(.failed(.malformed)) }
        state = .receiving
        return .send([0x80, 0x11, isCancelled ? 0x11 : 0x00, 0x00, expected])
    }

    private mutating func end(_ step: Step) -> Step {
        state = .over
        answer = []
        return step
    }
}

/// Short command APDUs (ISO/IEC 7816-4, §5.2).
enum ShortCommand {
    /// A command in parts that the limits allow: all but the last have bit 4 of CLA set, and no Le.
    static func chain(
        instructionClass: UInt8, instruction: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8], expected: UInt8?,
        _ limits: CardTransfer.Limits
    ) -> [[UInt8]] {
        var (parts, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], data[...])
        while rest.count > limits.commandData {
            let part = rest.prefix(limits.commandData)
            parts.append([instructionClass | 0x10, instruction, p1, p2, UInt8(part.count)] + part)
            rest = rest.dropFirst(part.count)
        }
        let length = rest.isEmpty ? [] : [UInt8(rest.count)]
        return parts + [[instructionClass, instruction, p1, p2] + length + rest + (expected.map { [$0] } ?? [])]
    }
}
