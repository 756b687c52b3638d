import ArgumentParser
import NDEF
import NFCProtocol
import VirtualTags

/// `nfcctl virtual-tag`: holds a tag that does not exist to a reader.
struct VirtualTagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-tag",
        abstract: "Hold a virtual tag to a reader for as long as this runs.",
        discussion: """
            Puts the tag on a simulated reader of the daemon (nfcd --simulator), or, with --vpcd, on a virtual reader of \
            a real pcscd with vsmartcard-vpcd. It is taken away with Ctrl-C or after --for seconds. The options for records \
            are those of nfcctl ndef encode; without any the tag is as it leaves the factory.

            Examples:
              nfcctl virtual-tag --list
              nfcctl virtual-tag ntag215 --uri https://example.com --for 5
              nfcctl virtual-tag ntag213 --text "Hello" --vpcd 127.0.0.1:35963
            """)

    @Argument(help: "The product; --list shows them.")
    var model: String?

    @Flag(help: "List the products.")
    var list = false

    @OptionGroup var content: NDEFOptions

    @Option(help: ArgumentHelp("The UID in hexadecimal.", valueName: "hex"))
    var uid: String?

    @Option(help: ArgumentHelp("Through vpcd in place of a simulated reader.", valueName: "host:port"))
    var vpcd: String?

    @Option(
        help: ArgumentHelp("The simulated reader, by id or name (default: the first empty one).", valueName: "name"))
    var reader: String?

    @Option(name: .customLong("for"), help: ArgumentHelp("Take the tag away after this long.", valueName: "seconds"))
    var duration: Double?

    @Flag(help: "One line of JSON when the tag is in the field.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if model == nil, !list { throw ValidationError("name a product, e.g. ntag215; --list shows them") }
        if vpcd != nil, reader != nil { throw ValidationError("--vpcd and --reader exclude each other") }
        if let duration, !(duration > 0 && duration <= 86_400) {
            throw ValidationError("--for takes more than 0 and at most 86400 seconds")
        }
        if let uid, HexBytes(uid) == nil { throw ValidationError("--uid takes an even number of hexadecimal digits") }
        if let vpcd, VPCDAddress(vpcd) == nil { throw ValidationError("--vpcd takes HOST:PORT, e.g. 127.0.0.1:35963") }
    }

    func run() async throws {
        guard let model else { return showModels() }
        let message = try content.message(for: "virtual-tag")
        let tag = try makeTag(model, message)
        let holding = Holding(duration: duration.map { .seconds($0) }) { place in announce(tag, model, place) }
        if let address = vpcd.flatMap({ VPCDAddress($0) }) {
            try await holding.through(address, tag)
        } else {
            let parameters = SimulatorPresent.Parameters(
                reader: reader, model: model, identifier: HexBytes(tag.identifier),
                ndef: message.map { HexBytes($0) })
            try await holding.onSimulator(parameters, socket: connection.path)
        }
    }

    private func makeTag(_ model: String, _ message: [UInt8]?) throws -> any VirtualTag {
        do throws(VirtualTagError) {
            return try VirtualTagModel.named(model).makeTag(
                identifier: uid.flatMap { HexBytes($0)?.bytes }, ndefMessage: message)
        } catch {
            Terminal.error("nfcctl: \(error)")
            throw ExitCode.badData
        }
    }

    private func announce(_ tag: any VirtualTag, _ model: String, _ place: String) {
        let identifier = HexBytes(tag.identifier)
        if json {
            Terminal.print(json: Presented(model: model, identifier: identifier, reader: place))
        } else {
            Terminal.print("Virtual \(model), UID \(identifier), on \(place.escaped). Ctrl-C takes it away.")
        }
    }

    private func showModels() {
        for model in VirtualTagModel.all {
            if json {
                Terminal.print(json: Listed(model))
            } else {
                Terminal.print("\(model.name)\t\(model.description), messages up to \(model.messageCapacity) bytes")
            }
        }
    }
}

/// A tag that is in the field now.
private struct Presented: Encodable {
    let event = "presented"
    let model: String
    let identifier: HexBytes
    let reader: String
}

/// A product of the catalogue.
private struct Listed: Encodable {
    let model: String
    let aliases: [String]
    let description: String
    let memorySize: Int
    let messageCapacity: Int

    init(_ model: VirtualTagModel) {
        self.model = model.name
        aliases = model.aliases
        description = model.description
        memorySize = model.memorySize
        messageCapacity = model.messageCapacity
    }
}
