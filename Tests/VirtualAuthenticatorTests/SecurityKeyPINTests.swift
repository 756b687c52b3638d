import Cryptography
import TestSupport
import Testing
import VirtualAuthenticator

/// The program's side of the two PIN protocols (CTAP 2.1, §6.5.6, §6.5.7), for a new key pair each time.
struct PINProgram {
    let version: Int
    private let own = P256Key()
    private let authentication: SecretBytes
    private let encryption: SecretBytes

    init(_ key: KeyInField, version: Int) throws {
        self.version = version
        let answer = hex(key.command("06A2010\(version)0202"))
        // 00 A1 01 A5 01 02 03 38 18 20 01 21 58 20 x 22 58 20 y
        #expect(hex(answer.prefix(14)) == "00A101A501020338182001215820")
        let (x, y) = (Array(answer[14..<46]), Array(answer[49..<81]))
        let point = try own.agree(with: [4] + x + y)
        if version == 1 {
            authentication = SecretBytes(point.withUnsafeBytes { SHA256.hash($0) })
            encryption = authentication
        } else {
            let salt = [UInt8](repeating: 0, count: 32)
            authentication = try HKDFSHA256.key(from: point, salt: salt, purpose: Array("CTAP2 HMAC key".utf8))
            encryption = try HKDFSHA256.key(from: point, salt: salt, purpose: Array("CTAP2 AES key".utf8))
        }
    }

    private var publicKey: String {
        let point = own.point
        return "A50102033818200121" + bytes(Array(point[1..<33])) + "22" + bytes(Array(point[33...]))
    }

    private func bytes(_ bytes: [UInt8]) -> String {
        (bytes.count < 24 ? hex([0x40 | UInt8(bytes.count)]) : "58" + hex([UInt8(bytes.count)])) + hex(bytes)
    }

    func encrypt(_ plain: [UInt8]) throws -> [UInt8] {
        let vector = version == 1 ? [UInt8](repeating: 0, count: 16) : Array(repeating: 0x5A, count: 16)
        return (version == 1 ? [] : vector) + (try AESCBC(key: encryption).encrypt(plain, vector: vector))
    }

    func code(_ message: [UInt8]) -> [UInt8] {
        let code = HMACSHA256.code(of: message, key: authentication)
        return version == 1 ? Array(code.prefix(16)) : code
    }

    private func padded(_ pin: String) -> [UInt8] {
        Array((Array(pin.utf8) + [UInt8](repeating: 0, count: 64)).prefix(64))
    }

    private func hash(_ pin: String) -> [UInt8] { Array(SHA256.hash(pin.utf8).prefix(16)) }

    func setPIN(_ pin: String) throws -> String {
        let sealed = try encrypt(padded(pin))
        return "06A5010\(version)020303\(publicKey)04\(bytes(code(sealed)))05\(bytes(sealed))"
    }

    func changePIN(_ old: String, to new: String) throws -> String {
        let (sealed, hash) = (try encrypt(padded(new)), try encrypt(hash(old)))
        return "06A6010\(version)020403\(publicKey)04\(bytes(code(sealed + hash)))05\(bytes(sealed))06\(bytes(hash))"
    }

    func token(_ pin: String) throws -> String {
        "06A4010\(version)020503\(publicKey)06\(bytes(try encrypt(hash(pin))))"
    }
}

@Suite("The PIN of a virtual security key")
struct SecurityKeyPINTests {
    @Test(arguments: [1, 2])
    func `a PIN is set once, and changed by who knows it`(version: Int) throws {
        let key = try KeyInField()
        #expect(try key.command(PINProgram(key, version: version).setPIN("123")) == "37", "too short")
        #expect(try key.command(PINProgram(key, version: version).setPIN("1234")) == "00")
        #expect(try key.command(PINProgram(key, version: version).setPIN("4321")) == "33", "it is set")
        #expect(try key.command(PINProgram(key, version: version).changePIN("9999", to: "4321")) == "31")
        #expect(try key.command(PINProgram(key, version: version).changePIN("1234", to: "4321")) == "00")
        #expect(try key.command(PINProgram(key, version: version).token("4321")).hasPrefix("00A102"))
    }

    @Test(arguments: [1, 2])
    func `three wrong PINs block it until it is lifted, eight until a reset`(version: Int) throws {
        let key = try KeyInField(.init(pin: "1234"))
        var answers: [String] = []
        for _ in 0..<4 { answers.append(try key.command(PINProgram(key, version: version).token("0000"))) }
        #expect(answers == ["31", "31", "34", "34"])
        #expect(try key.command(PINProgram(key, version: version).token("1234")) == "34", "the right PIN too")
        #expect(key.command("06A10201") == "00A2030504F5")
        for _ in 0..<2 {
            key.putDown()
            for _ in 0..<3 { answers.append(try key.command(PINProgram(key, version: version).token("0000"))) }
        }
        #expect(answers.suffix(6) == ["31", "31", "34", "31", "32", "32"])
        key.putDown()
        #expect(try key.command(PINProgram(key, version: version).token("1234")) == "32")
    }

    @Test(arguments: [1, 2])
    func `the right PIN gives all tries back`(version: Int) throws {
        let key = try KeyInField(.init(pin: "1234"))
        _ = try key.command(PINProgram(key, version: version).token("0000"))
        #expect(key.command("06A10201") == "00A2030704F4")
        #expect(try key.command(PINProgram(key, version: version).token("1234")).hasPrefix("00"))
        #expect(key.command("06A10201") == "00A2030804F4")
    }

    @Test
    func `the key agreement is another one after the field was lost, and after a wrong PIN`() throws {
        let key = try KeyInField(.init(pin: "1234"))
        let first = key.command("06A201010202")
        #expect(key.command("06A201010202") == first)
        _ = try key.command(PINProgram(key, version: 1).token("0000"))
        let second = key.command("06A201010202")
        #expect(second != first)
        key.putDown()
        #expect(key.command("06A201010202") != second)
    }

    @Test
    func `without a PIN there is no token, and with one no discoverable credential without it`() throws {
        let key = try KeyInField()
        #expect(try key.command(PINProgram(key, version: 2).token("1234")) == "35")
        let locked = try KeyInField(.init(pin: "1234"))
        #expect(locked.command(Request.discoverable) == "36")
        #expect(locked.command(Request.credential).hasPrefix("00"), "makeCredUvNotRqd")
    }
}
