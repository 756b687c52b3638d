import ArgumentParser
import NFCProtocol
import VirtualAuthenticator
import VirtualTags

/// The options of `nfcctl virtual-tag fido2`.
struct SecurityKeyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The PIN of a fido2 tag, 4 to 63 bytes (default: none).", valueName: "pin"))
    var pin: String?

    @Flag(help: "A fido2 tag permits several operations each time it is put down, not one.")
    var severalOperations = false

    @Option(
        help: ArgumentHelp(
            "How many times a fido2 tag asks for time (0.1 s each) before each operation.", valueName: "count"))
    var waits: Int?

    @Option(help: ArgumentHelp("The AAGUID of a fido2 tag, 16 bytes in hexadecimal.", valueName: "hex"))
    var aaguid: String?

    /// The name of the security key among the models.
    static let model = "fido2"

    /// Whether a model is the security key.
    static func isModel(_ name: String) -> Bool { name.lowercased() == model }

    /// Checks the options against the rest of the command line.
    func validate(model: String?, vpcd: String?) throws {
        guard let model, Self.isModel(model) else {
            guard pin == nil, waits == nil, aaguid == nil, !severalOperations else {
                throw ValidationError("--pin, --several-operations, --waits and --aaguid require the product fido2")
            }
            return
        }
        guard vpcd != nil else {
            throw ValidationError("fido2 requires --vpcd HOST:PORT; simulated readers do not present it")
        }
        if let pin, pin.unicodeScalars.count < 4 || pin.utf8.count > 63 {
            throw ValidationError("--pin requires 4 characters or more, and at most 63 bytes")
        }
        if let waits, !(0...1_000).contains(waits) { throw ValidationError("--waits requires 0 to 1000") }
        if let aaguid, HexBytes(aaguid)?.bytes.count != 16 {
            throw ValidationError("--aaguid requires 16 bytes in hexadecimal")
        }
    }

    /// The security key with these options.
    func makeTag(identifier: [UInt8]?) throws -> any VirtualTag {
        var features = SecurityKeyApplication.Features(
            pin: pin, permitsSeveralOperations: severalOperations, waits: waits ?? 0)
        if let aaguid = aaguid.flatMap({ HexBytes($0)?.bytes }) { features.aaguid = aaguid }
        let clock = ContinuousClock()
        let start = clock.now
        do throws(VirtualTagError) {
            return try SecurityKeyApplication.card(features, identifier: identifier) { clock.now - start }
        } catch {
            Terminal.error("nfcctl: \(error)")
            throw ExitCode.badData
        }
    }
}
