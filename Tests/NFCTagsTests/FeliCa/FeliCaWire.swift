import NFCTags
import TestSupport

/// FeliCa packets inside the pseudo-APDUs of an ACR122U.
enum FeliCaWire {
    static let identifier = "0102030405060708"
    static let parameter = "00F1000000014300"
    /// Silence, as the reader reports it.
    static let silence = OrderedScript.Answer.bytes("D54101 9000")
    static let pollNDEF = command("060012FC0000")
    static let pollAny = command("0600FFFF0100")

    static func command(_ packet: String) -> String {
        "FF000000 \(hex([UInt8(hex(packet).count + 3)])) D44001 \(packet)"
    }

    static func answer(_ packet: String) -> OrderedScript.Answer { .bytes("D54100 \(packet) 9000") }

    static func polled(_ parameter: String = parameter, identifier: String = identifier) -> OrderedScript.Answer {
        answer("1201 \(identifier) \(parameter)")
    }

    static func read(_ blocks: Int...) -> String {
        let list = blocks.map { "80" + hex([UInt8($0)]) }.joined()
        return command(packet("06 \(identifier) 010B00 \(hex([UInt8(blocks.count)])) \(list)"))
    }

    /// The answer with these blocks.
    static func data(_ blocks: String...) -> OrderedScript.Answer {
        answer(packet("07 \(identifier) 0000 \(hex([UInt8(blocks.count)])) \(blocks.joined())"))
    }

    static func write(_ blocks: [Int], _ data: String) -> String {
        let list = blocks.map { "80" + hex([UInt8($0)]) }.joined()
        return command(packet("08 \(identifier) 010900 \(hex([UInt8(blocks.count)])) \(list) \(data)"))
    }

    static let written = answer("0C09 \(identifier) 0000")

    /// A refusal of a read (06) or write (08).
    static func refused(_ code: String, _ flags: String) -> OrderedScript.Answer {
        answer("0C \(code == "06" ? "07" : "09") \(identifier) \(flags)")
    }

    /// With its length byte in front.
    static func packet(_ body: String) -> String {
        hex([UInt8(hex(body).count + 1)]) + body
    }

    /// An attribute block: Nbr, Nbw, Nmaxb, WriteFlag, RWFlag, Ln, and the right checksum.
    static func attribute(
        nbr: UInt8 = 4, nbw: UInt8 = 1, nmaxb: UInt16 = 13, writing: UInt8 = 0, rw: UInt8 = 1, length: Int = 0,
        version: UInt8 = 0x10
    ) -> String {
        let fields: [UInt8] =
            [version, nbr, nbw, UInt8(nmaxb >> 8), UInt8(nmaxb & 0xFF), 0, 0, 0, 0, writing, rw]
            + [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
        let sum = fields.reduce(0) { $0 + Int($1) }
        return hex(fields + [UInt8(sum >> 8), UInt8(sum & 0xFF)])
    }

    /// MC of a formatted Lite.
    static let configuration = "FFFFFF01FF0000000000000000000000"

    static func block(_ byte: UInt8) -> String { hex([UInt8](repeating: byte, count: 16)) }
}

/// What an operation throws, if it does.
func thrown<T>(_ body: () async throws(TagError) -> T) async -> TagError? {
    do throws(TagError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
