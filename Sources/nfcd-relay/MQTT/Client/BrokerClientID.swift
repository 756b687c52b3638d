import Cryptography
import FoundationEssentials
import NFCTypes

/// The name by which a broker remembers the session of a consumer.
enum BrokerClientID {
    /// `nfcd` and 16 hexadecimal digits: every broker takes up to 23 letters and digits (MQTT 3.1.1, 3.1.3.1). The same
    /// at every start, and another for each machine and consumer: a broker cuts the older of two connections with one id.
    static func derived(_ identity: RelayIdentity, consumer: String) -> String {
        let text = [identity.site, identity.device, consumer].joined(separator: "\u{0}")
        return "nfcd" + Hexadecimal.string(Array(SHA256.hash(text.utf8).prefix(8))).lowercased()
    }
}
