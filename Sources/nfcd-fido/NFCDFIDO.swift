import ArgumentParser
import NFCProtocol

/// The command line of nfcd-fido.
@main
struct NFCDFIDO: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nfcd-fido", abstract: "Makes FIDO cards on NFC readers available as virtual FIDO HID devices.",
        version: NFCDVersion.release)
}
