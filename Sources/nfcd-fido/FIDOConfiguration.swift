import CTAP
import Logging
import ServiceSupport

/// The settings of fido.toml, which `Config/fido.toml` explains.
///
/// A new key is a property with its default, and an entry of `keys`.
struct FIDOConfiguration: KeyedConfiguration, Sendable, Equatable {
    /// When there is a HID device.
    enum DevicePolicy: String, CaseIterable, Sendable {
        /// From the arrival of a card until some time after it has left.
        case card
        /// On every reader, as long as the service runs.
        case always
    }

    var device = DevicePolicy.card
    /// How long the device stays after the card has left.
    var linger = Duration.seconds(30)
    /// Whether the device is hidden after one operation, until the card is put down again.
    var isStrict = false
    /// The ids or the names of the readers; empty: all.
    var readers: [String] = []
    var logLevel = Logger.Level.info
    var sections: Set<String> = []

    static var keys: [ConfigurationKey<FIDOConfiguration>] {
        [
            ConfigurationKey("key.device", \.device, .word, .onRestart),
            ConfigurationKey("key.linger", \.linger, .seconds(0...300), .onRestart),
            ConfigurationKey("key.strict", \.isStrict, .truth, .onRestart),
            ConfigurationKey("key.readers", \.readers, .readers, .onRestart),
            ConfigurationKey("log.level", \.logLevel, .word, .onRestart),
        ]
    }

    /// Whether the service uses a reader.
    func uses(reader id: String, name: String) -> Bool {
        readers.isEmpty || readers.contains(id) || readers.contains(name)
    }

    /// What decides about requests.
    var keySettings: CardSecurityKey.Settings {
        CardSecurityKey.Settings(
            isPermanent: device == .always, isStrict: isStrict, linger: linger, openLinger: max(linger, .seconds(60)))
    }
}
