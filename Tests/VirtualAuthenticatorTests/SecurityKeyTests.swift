import Cryptography
import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import VirtualAuthenticator
import VirtualTags

/// A security key in a field, with its own clock.
final class KeyInField: Sendable {
    private struct State {
        var card: VirtualApplicationCard
        var time = Duration.zero
    }

    private let state: Mutex<State>

    init(_ features: SecurityKeyApplication.Features = .init()) throws {
        let clock = ClockHand()
        hand = clock
        state = Mutex(State(card: try SecurityKeyApplication.card(features) { clock.time }))
        putDown()
    }

    private let hand: ClockHand

    func pass(_ time: Duration) { hand.pass(time) }

    /// Lifts the key and puts it down again.
    func putDown() {
        state.withLock { state in
            state.card.fieldDropped()
            state.card.activate()
        }
        _ = send("00A4040008A0000006472F000100")
    }

    /// The answer to an APDU, in hexadecimal.
    func send(_ apdu: String) -> String {
        state.withLock { state in
            guard case .data(let bytes) = state.card.exchange(hex(apdu)) else { return "silence" }
            return hex(bytes)
        }
    }

    /// The answer to a CTAP message: its status and CBOR.
    func command(_ message: String) -> String {
        let bytes = hex(message)
        let length = hex([0, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)])
        let answer = send("80108000" + length + message + "0000")
        #expect(answer.hasSuffix("9000"), "status word of \(message)")
        return String(answer.dropLast(4))
    }
}

final class ClockHand: Sendable {
    private let now = Mutex(Duration.zero)
    var time: Duration { now.withLock { $0 } }
    func pass(_ time: Duration) { now.withLock { $0 += time } }
}

/// Requests, written by hand (CTAP 2.1, §6).
enum Request {
    static let hash = String(repeating: "11", count: 32)
    private static let algorithms = "0481A263616C672664747970656A7075626C69632D6B6579"
    /// makeCredential for "a.com" and user 01.
    static let credential = "01A4015820\(hash)02A162696465612E636F6D03A16269644101" + algorithms
    /// The same, discoverable.
    static let discoverable = "01A5015820\(hash)02A162696465612E636F6D03A16269644101" + algorithms + "07A162726BF5"
    /// getAssertion for "a.com" without a list.
    static let assertion = "02A20165612E636F6D025820\(hash)"
    /// The same without presence.
    static let silentAssertion = "02A30165612E636F6D025820\(hash)05A1627570F4"
}

@Suite("A virtual security key")
struct SecurityKeyTests {
    @Test
    func `SELECT reports that U2F is supported too`() throws {
        let key = try KeyInField()
        #expect(key.send("00A4040008A0000006472F000100") == hex(Array("U2F_V2".utf8)) + "9000")
        #expect(key.send("0003000000") == hex(Array("U2F_V2".utf8)) + "9000")
    }

    @Test
    func `getInfo is canonical CBOR with the options in their order`() throws {
        let key = try KeyInField()
        let answer = key.command("04")
        let options = "04A6" + "62726BF5" + "627570F5" + "68637265644D676D74F5" + "69636C69656E7450696EF4"
        #expect(answer.hasPrefix("00AC0183665532465F5632684649444F5F325F30684649444F5F325F31"))
        #expect(answer.contains(options), "\(answer)")
    }

    @Test(arguments: [
        ("03", "01"),  // no such command
        ("01", "12"),  // no CBOR
        ("01A0", "14"),  // nothing given
        ("018101", "11"),  // no map
        ("01A2025820" + Request.hash + "0100", "12"),  // keys in the wrong order
        ("01BF01FF", "12"),  // indefinite length
        ("01A1011800", "12"),  // not the shortest form of a number
        ("01A1015820" + Request.hash + "00", "12"),  // something follows
        ("01A10141AA", "03"),  // a hash of one byte
        ("02A10165612E636F6D", "14"),
        ("06A10201", "00A203080400"),
        ("06A2010102187F", "3E"),
        ("06A201030202", "02"),  // no such protocol
        ("0AA10101", "36"),  // management needs a PIN
        ("08", "30"),  // no list was begun
        (Request.assertion, "2E"),
    ])
    func `a message is answered with`(message: String, answer: String) throws {
        let expected = answer == "00A203080400" ? "00A2030804F4" : answer
        #expect(try KeyInField().command(message) == expected)
    }

    @Test
    func `messages over 1200 bytes are refused`() throws {
        let key = try KeyInField()
        #expect(key.command("01" + String(repeating: "00", count: 1_200)) == "39")
    }

    @Test
    func `a chain of short commands is one message, and long answers come in pieces`() throws {
        let key = try KeyInField()
        let message = Request.credential
        let half = message.prefix(100)
        #expect(key.send("9010800032" + half) == "9000")
        let rest = String(message.dropFirst(100))
        let length = hex([UInt8(rest.count / 2)])
        let first = key.send("80108000" + length + rest + "40")
        #expect(first.hasPrefix("00A301667061636B6564"), "\(first)")
        #expect(first.dropLast(2).hasSuffix("61"))
        #expect(key.send("80C0000000").hasSuffix("9000"))
    }

    @Test
    func `entering the field permits one operation, within 120 s`() throws {
        let key = try KeyInField()
        #expect(key.command(Request.discoverable).hasPrefix("00"))
        #expect(key.command(Request.assertion) == "27")
        #expect(key.command(Request.silentAssertion).hasPrefix("00"), "silent requests need no gesture")
        key.putDown()
        key.pass(.seconds(121))
        #expect(key.command(Request.assertion) == "27")
        key.putDown()
        key.pass(.seconds(119))
        #expect(key.command(Request.assertion).hasPrefix("00"))
    }

    @Test
    func `some keys permit any number of operations`() throws {
        let key = try KeyInField(.init(permitsSeveralOperations: true))
        for message in [Request.discoverable, Request.assertion, Request.assertion, "0B"] {
            #expect(key.command(message).hasPrefix("00"))
        }
    }

    @Test
    func `a reset is possible within 10 s, and forgets everything`() throws {
        let key = try KeyInField()
        #expect(key.command(Request.discoverable).hasPrefix("00"))
        key.putDown()
        key.pass(.milliseconds(10_001))
        #expect(key.command("07") == "30")
        key.putDown()
        key.pass(.seconds(10))
        #expect(key.command("07") == "00")
        key.putDown()
        #expect(key.command(Request.assertion) == "2E")
    }

    /// extensions {"credProtect": level} in the request for a discoverable credential.
    private func protected(_ level: String) -> String {
        Request.discoverable.replacing("01A5", with: "01A6", maxReplacements: 1)
            .replacing("07A162726BF5", with: "06A16B6372656450726F74656374\(level)07A162726BF5")
    }

    @Test
    func `a protected credential is not found without verification`() throws {
        for (level, isFound) in [("01", true), ("02", false), ("03", false)] {
            let key = try KeyInField(.init(permitsSeveralOperations: true))
            let made = key.command(protected(level))
            #expect(made.hasPrefix("00A3") && made.contains("A16B6372656450726F74656374\(level)"), "\(made)")
            #expect(key.command(Request.assertion).hasPrefix(isFound ? "00" : "2E"), "level \(level)")
        }
        #expect(try KeyInField().command(protected("04")) == "2C")
    }

    @Test
    func `the counter counts up`() throws {
        let key = try KeyInField(.init(permitsSeveralOperations: true))
        _ = key.command(Request.discoverable)
        let counters = (0..<3).map { _ in counter(of: key.command(Request.assertion)) }
        #expect(counters == [2, 3, 4])
    }

    /// The signature counter in authData, which begins with the hash of the party.
    private func counter(of answer: String) -> Int? {
        let party = hex(SHA256.hash("a.com".utf8))
        return answer.firstRange(of: party).flatMap { Int(answer[$0.upperBound...].dropFirst(2).prefix(8), radix: 16) }
    }

    @Test
    func `a key that asks for time answers 9100, and can be cancelled`() throws {
        let key = try KeyInField(.init(waits: 2))
        let message = Request.credential
        let apdu = "00" + hex([UInt8((message.count / 2) >> 8), UInt8((message.count / 2) & 0xFF)]) + message + "0000"
        #expect(key.send("80108000" + apdu) == "029100")
        #expect(key.send("8011000000") == "029100")
        #expect(key.send("8011000000").hasPrefix("00A3"))
        key.putDown()
        #expect(key.send("80108000" + apdu) == "029100")
        #expect(key.send("8011110000") == "2D9000")
        #expect(key.send("8011000000") == "6985", "there is nothing to wait for")
        key.putDown()
        #expect(key.send("80100000" + apdu).hasPrefix("00A3"), "without bit 7 of P1 it must answer at once")
    }

    @Test(arguments: [
        ("8012010000", "9000"), ("8012000000", "6A86"), ("8099000000", "6D00"), ("A010000000", "6E00"),
        ("80100100010400", "6A86"), ("0001000000", "6700"), ("0002030000", "6700"), ("0003010000", "6A86"),
    ])
    func `an APDU is answered with`(apdu: String, status: String) throws {
        let key = try KeyInField()
        #expect(key.send(apdu).suffix(4) == status)
        if apdu == "8012010000" { #expect(key.send("801080000104") == "6985", "after NFCCTAP_CONTROL") }
    }
}
