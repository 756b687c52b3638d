import Cryptography
import FoundationEssentials
import NFCTypes

/// Which machine this is, in events and topics.
struct RelayIdentity: Sendable, Equatable {
    /// Any random number that is only used here (sd_id128_get_machine_app_specific(3)).
    private static let application: [UInt8] = [
        0x7E, 0x1B, 0x5D, 0x0C, 0x90, 0x4F, 0x4B, 0x1E, 0xA6, 0x2D, 0x33, 0xC8, 0x51, 0xE7, 0x0A, 0x64,
    ]

    let site: String
    let device: String
    let sourcePrefix: String

    /// Why the machine has no name.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(site: String, device: String, sourcePrefix: String = "") {
        self.site = site
        self.device = device
        self.sourcePrefix = sourcePrefix
    }

    /// The identity that the configuration names, or one derived from the machine id, which itself is confidential.
    init(_ configuration: RelayConfiguration, machineIDFile: String = "/etc/machine-id") throws(Failure) {
        let device = if let device = configuration.device { device } else { try Self.device(machineIDFile) }
        self.init(site: configuration.site, device: device, sourcePrefix: configuration.sourcePrefix ?? "")
    }

    /// The source of the events of a reader; nil: of the machine.
    func source(reader: String?) -> String {
        let path = ["nfcd", site, device] + (reader.map { [$0] } ?? [])
        return sourcePrefix + path.map { "/\(Self.percentEncoded($0))" }.joined()
    }

    /// 16 hexadecimal digits of an id of this machine for this program.
    private static func device(_ file: String) throws(Failure) -> String {
        let text = (try? Data(contentsOf: URL(filePath: file))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let digits = text.prefix { !$0.isWhitespace }
        guard let machine = Hexadecimal.bytes(String(digits)), machine.count == 16, machine.contains(where: { $0 != 0 })
        else {
            throw Failure(
                description:
                    "\(file) has no machine id to name this machine by; run systemd-machine-id-setup, or set device"
                    + " in section [relay]")
        }
        var id = Array(HMACSHA256.code(of: application, key: SecretBytes(machine)).prefix(16))
        // The version and the variant of a UUID (RFC 9562, §5.4).
        id[6] = id[6] & 0x0F | 0x40
        id[8] = id[8] & 0x3F | 0x80
        return Hexadecimal.string(Array(id.prefix(8))).lowercased()
    }

    /// A segment of a path (RFC 3986, §3.3).
    private static func percentEncoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            let character = Character(Unicode.Scalar(byte))
            if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
                encoded.append(character)
            } else {
                encoded += "%" + Hexadecimal.string([byte])
            }
        }
    }
}
