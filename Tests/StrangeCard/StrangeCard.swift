import Foundation
import Synchronization
import TestSupport
import VirtualTags

/// Presents a card that breaks a rule to vpcd, until it is ended: what a daemon has to live with.
@main
struct StrangeCard {
    static func main() async throws {
        guard let name = CommandLine.arguments.dropFirst().first, let kind = Misbehaviour(rawValue: name) else {
            print("usage: strange-card " + Misbehaviour.allCases.map(\.rawValue).joined(separator: "|"))
            return
        }
        let presenter = VPCDPresenter(card: try kind.card())
        try await presenter.present()
        // Flushed at once: a test waits for this line.
        _ = write(STDOUT_FILENO, "presented\n", 10)
        _ = await presenter.waitForEnd()
    }
}

/// What is wrong with the card.
enum Misbehaviour: String, CaseIterable {
    /// An answer to reset without a byte.
    case emptyATR = "empty-atr"
    /// The longest answer to reset there is, and nothing in it makes sense.
    case longATR = "long-atr"
    /// Each answer is one byte.
    case oneByte = "one-byte"
    /// Each answer has no byte.
    case noByte = "no-byte"
    /// A capability container of nonsense.
    case nonsenseCC = "nonsense-cc"
    /// A TLV that runs past the end of the memory.
    case overrunTLV = "overrun-tlv"
    /// After the first page that is written, no answer has a byte until the card is reset.
    case muteWrite = "mute-write"
    /// It acknowledges every write and stores none.
    case deafWrite = "deaf-write"
    /// No page can be read: 6581, a failure of the memory.
    case noMemory = "no-memory"
    /// A Type 4 tag with a message of 60,000 bytes, of which each READ BINARY gives one.
    case oneByteReads = "one-byte-reads"
    /// The same, of which each GET RESPONSE gives one byte.
    case oneByteResponses = "one-byte-responses"
    /// A Type 4 tag that takes its time for each answer: 1.5 s, or the seconds of the next argument.
    case slow
    /// It answers until its reader is idle, and then no more, not even whether it is present.
    case hang
    /// Nothing: a card of ISO/IEC 7816-4 with OATH and PIV on it.
    case login
    /// Nothing: a security key with FIDO and PIV on it. It reports each SELECT.
    case securityKey = "security-key"

    fileprivate func card() throws -> any VirtualCard {
        switch self {
        case .muteWrite: try FallingMuteCard()
        case .deafWrite: try DeafWriteCard()
        case .hang: try HangingCard()
        case .oneByteReads: AlteredCard.oneByteReads(try longCard { _ in }.inReader())
        case .oneByteResponses: try longCard { $0.responsePiece = 1 }.inReader()
        case .slow: slowCard(try longCard { _ in }.inReader(), Double(CommandLine.arguments.last ?? "") ?? 1.5)
        case .login: LoginCard([LoginCard.oath, LoginCard.piv]).inReader()
        case .securityKey: reportingCard(LoginCard([LoginCard.fido, LoginCard.piv]).inReader())
        default: MisbehavingCard(kind: self)
        }
    }
}

/// A card that takes its time for each answer.
private func slowCard(_ card: any VirtualCard, _ seconds: Double) -> AlteredCard {
    AlteredCard(card) { apdu, card in
        usleep(UInt32(seconds * 1_000_000))
        return card.transmit(apdu)
    }
}

/// A card that reports each SELECT by name as a line of output.
private func reportingCard(_ card: any VirtualCard) -> AlteredCard {
    AlteredCard(card) { apdu, card in
        if apdu.starts(with: [0x00, 0xA4, 0x04]) { _ = write(STDOUT_FILENO, "select\n", 7) }
        return card.transmit(apdu)
    }
}

/// A Type 4 tag with a message of 60,000 bytes.
private func longCard(_ change: (inout VirtualType4Card.Configuration) -> Void) throws -> VirtualType4Card {
    var configuration = VirtualType4Card.Configuration()
    configuration.fileSize = 61_000
    change(&configuration)
    let payload = [UInt8](repeating: 0x5A, count: 60_000)
    return try VirtualType4Card(configuration, ndefMessage: [0xC5, 0, 0, 0, 0xEA, 0x60] + payload)
}

/// A storage card with sixteen pages that misbehaves in one way.
struct MisbehavingCard: VirtualCard {
    let kind: Misbehaviour
    let isPresent = true

    private static let storageCard: [UInt8] = [
        0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, 0x03, 0x00, 0x03, 0x00, 0x00, 0x00,
        0x00, 0x68,
    ]

    var answerToReset: [UInt8] {
        switch kind {
        case .emptyATR: []
        case .longATR: [0x3B] + Array(repeating: 0xFF, count: 32)
        default: Self.storageCard
        }
    }

    func powerOn() {}
    func powerOff() {}
    func reset() {}

    func transmit(_ apdu: [UInt8]) -> [UInt8] {
        switch kind {
        case .oneByte: [0x90]
        case .noByte: []
        default: answer(apdu)
        }
    }

    private func answer(_ apdu: [UInt8]) -> [UInt8] {
        guard apdu.count >= 4, apdu[0] == 0xFF else { return [0x6E, 0x00] }
        switch apdu[1] {
        case 0xCA: return [0x04, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x90, 0x00]
        case 0xB0 where kind == .noMemory: return [0x65, 0x81]
        case 0xB0 where apdu[3] < 16: return Array((memory + memory)[(4 * Int(apdu[3]))...].prefix(16)) + [0x90, 0x00]
        default: return [0x63, 0x00]
        }
    }

    private var memory: [UInt8] {
        let header: [UInt8] = [0x04, 0x01, 0x02, 0x8F, 0x03, 0x04, 0x05, 0x06, 0x04, 0x48, 0x00, 0x00]
        let content: [UInt8] =
            kind == .nonsenseCC ? [0xDE, 0xAD, 0xBE, 0xEF] : [0xE1, 0x10, 0x06, 0x00, 0x03, 0xFF, 0x7F, 0xFF]
        return header + content + [UInt8](repeating: 0, count: 64 - header.count - content.count)
    }
}

/// An NTAG213 that loses its voice once, at the first write, and finds it again with a reset. Each write and each reset is a
/// line of output.
final class FallingMuteCard: VirtualCard {
    private enum Voice {
        case good
        case lost
        case found
    }

    private let card: VirtualReader
    private let voice = Mutex(Voice.good)

    init() throws { card = try .helloCard() }

    var answerToReset: [UInt8] { card.answerToReset }
    var isPresent: Bool { true }

    func powerOn() { card.powerOn() }
    func powerOff() { card.powerOff() }

    func reset() {
        say("reset")
        card.reset()
        voice.withLock { if $0 == .lost { $0 = .found } }
    }

    func transmit(_ apdu: [UInt8]) -> [UInt8] {
        let isWrite = apdu.starts(with: [0xFF, 0xD6])
        if isWrite { say("write") }
        let isMute = voice.withLock { voice in
            if voice == .good, isWrite { voice = .lost }
            return voice == .lost
        }
        return isMute ? [] : card.transmit(apdu)
    }

    /// At once, and not when a buffer is full.
    private func say(_ word: String) {
        let line = Array("\(word)\n".utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }
}

/// An NTAG213 that acknowledges every write and stores none.
struct DeafWriteCard: VirtualCard {
    private let card: VirtualReader

    init() throws { card = try .helloCard() }

    var answerToReset: [UInt8] { card.answerToReset }
    var isPresent: Bool { true }

    func powerOn() { card.powerOn() }
    func powerOff() { card.powerOff() }
    func reset() { card.reset() }

    func transmit(_ apdu: [UInt8]) -> [UInt8] {
        apdu.starts(with: [0xFF, 0xD6]) ? [0x90, 0x00] : card.transmit(apdu)
    }
}

/// An NTAG213 behind a reader that hangs once the card was powered down, which pcscd does with an idle card.
final class HangingCard: VirtualCard {
    private let card: VirtualReader
    private let isHanging = Mutex(false)

    init() throws { card = try .helloCard() }

    var answerToReset: [UInt8] {
        if isHanging.withLock({ $0 }) { hang() }
        return card.answerToReset
    }
    var isPresent: Bool { true }

    func powerOn() { card.powerOn() }

    func powerOff() {
        card.powerOff()
        isHanging.withLock { $0 = true }
    }

    func reset() { card.reset() }
    func transmit(_ apdu: [UInt8]) -> [UInt8] { card.transmit(apdu) }

    /// Until the program is ended.
    private func hang() -> Never {
        _ = write(STDOUT_FILENO, "hanging\n", 8)
        while true { sleep(3600) }
    }
}

extension VirtualReader {
    /// One with an NTAG213 that holds the text "Hello".
    static func helloCard() throws -> VirtualReader {
        let message: [UInt8] = [0xD1, 0x01, 0x08, 0x54, 0x02, 0x65, 0x6E] + Array("Hello".utf8)
        return VirtualReader(tag: try VirtualTagModel.named("ntag213").makeTag(ndefMessage: message))
    }
}
