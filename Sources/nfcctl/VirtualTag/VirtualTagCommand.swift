import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import UnixSignals
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

            In place of a product, a dump file makes the tag that was dumped: a Flipper .nfc file, JSON of the proxmark3, or \
            raw memory of a Type 2 tag or MIFARE Classic. It has its own UID and content. What the file does not know is \
            refused unless --fill says what stands there.

            Examples:
              nfcctl virtual-tag --list
              nfcctl virtual-tag ntag215 --uri https://example.com --for 5
              nfcctl virtual-tag ntag213 --text "Hello" --vpcd 127.0.0.1:35963
              nfcctl virtual-tag badge.nfc --fill 00
            """)

    @Argument(help: ArgumentHelp("The product (--list shows them), or a dump file.", valueName: "model|file"))
    var model: String?

    @Flag(help: "List the products.")
    var list = false

    @OptionGroup var content: NDEFOptions

    @Option(help: ArgumentHelp("The UID in hexadecimal.", valueName: "hex"))
    var uid: String?

    @Option(help: ArgumentHelp("Fill what a dump file does not know with this byte.", valueName: "hex-byte"))
    var fill: String?

    @Option(help: ArgumentHelp("Through vpcd in place of a simulated reader.", valueName: "host:port"))
    var vpcd: String?

    @Option(
        help: ArgumentHelp(
            "With --vpcd, the reader to act as: \(VirtualReaderModel.names) (default: generic).", valueName: "name"))
    var readerModel: String?

    @Option(
        help: ArgumentHelp("The simulated reader, by id or name (default: the first empty one).", valueName: "name"))
    var reader: String?

    @Option(name: .customLong("for"), help: ArgumentHelp("Take the tag away after this long.", valueName: "seconds"))
    var duration: Double?

    @Flag(help: "One line of JSON when the tag is in the field.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if model == nil, !list {
            throw ValidationError("name a product, e.g. ntag215, or a dump file; --list shows the products")
        }
        if vpcd != nil, reader != nil { throw ValidationError("--vpcd and --reader exclude each other") }
        try validateReaderModel()
        if let duration, !(duration > 0 && duration <= 86_400) {
            throw ValidationError("--for takes more than 0 and at most 86400 seconds")
        }
        if let uid, HexBytes(uid) == nil { throw ValidationError("--uid takes an even number of hexadecimal digits") }
        if let fill, HexBytes(fill)?.bytes.count != 1 {
            throw ValidationError("--fill takes one byte in hexadecimal, e.g. 00")
        }
        if let vpcd, VPCDAddress(vpcd) == nil { throw ValidationError("--vpcd takes HOST:PORT, e.g. 127.0.0.1:35963") }
    }

    private func validateReaderModel() throws {
        guard let readerModel else { return }
        guard vpcd != nil else {
            throw ValidationError("--reader-model goes with --vpcd; simulated readers have nfcd --simulator-model")
        }
        guard VirtualReaderModel.named(readerModel) != nil else {
            throw ValidationError("there is no reader model \"\(readerModel)\"; there are \(VirtualReaderModel.names)")
        }
    }

    func run() async throws {
        guard let model else { return showModels() }
        let message = try content.message(for: "virtual-tag")
        let file = DumpFile(model)
        try reportingUsageErrors(of: "virtual-tag") {
            try checkOptions(isFile: file != nil, hasMessage: message != nil)
        }
        let tag = try file?.makeTag(filler: fill.flatMap { HexBytes($0)?.bytes.first }) ?? makeTag(model, message)
        let holding = Holding(duration: duration.map { .seconds($0) }) { place in announce(tag, model, place) }
        if let address = vpcd.flatMap({ VPCDAddress($0) }) {
            try await holding.through(address, try card(tag, model))
        } else {
            let parameters =
                file == nil
                ? SimulatorPresent.Parameters(
                    reader: reader, model: model, identifier: HexBytes(tag.identifier),
                    ndef: message.map { HexBytes($0) })
                : try DumpFile.parameters(for: tag, on: reader)
            try await holding.onSimulator(parameters, socket: connection.path)
        }
    }

    /// A dump file has its own UID and content, and only in a dump file something can be missing.
    private func checkOptions(isFile: Bool, hasMessage: Bool) throws {
        if isFile, uid != nil { throw ValidationError("--uid is for a product; a dump file has its own UID") }
        if isFile, hasMessage {
            throw ValidationError("options for records are for a product; a dump file has its own content")
        }
        if !isFile, fill != nil { throw ValidationError("--fill is for a dump file; a product has nothing missing") }
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

    /// The tag as the reader of the wanted model shows it.
    private func card(_ tag: any VirtualTag, _ name: String) throws -> any VirtualCard {
        guard let model = readerModel.flatMap({ VirtualReaderModel.named($0) }) else { return tag.inReader() }
        guard let card = model.card(tag) else {
            let others = VirtualReaderModel.all.filter { $0.card(tag) != nil }.map(\.name).joined(separator: ", ")
            Terminal.error("nfcctl: a reader of model \(model.name) does not see \(name); these do: \(others)")
            throw ExitCode.badData
        }
        return card
    }

    private func announce(_ tag: any VirtualTag, _ model: String, _ place: String) {
        let identifier = HexBytes(tag.identifier)
        if json {
            Terminal.print(json: Presented(model: model, identifier: identifier, reader: place))
        } else {
            Terminal.print("Virtual \(model.escaped), UID \(identifier), on \(place.escaped). Ctrl-C takes it away.")
        }
    }

    private func showModels() {
        guard !json else { return VirtualTagModel.all.forEach { Terminal.print(json: Listed($0)) } }
        let rows = VirtualTagModel.all.map {
            [$0.name, "\($0.description), messages up to \($0.messageCapacity) bytes"]
        }
        let lines =
            Terminal.isOutput
            ? TextTable(rows: rows).lines(width: OutputStyle.output.width) : rows.map { $0.joined(separator: "\t") }
        for line in lines { Terminal.print(line) }
    }
}

extension VirtualReaderModel {
    /// Every name, for people.
    fileprivate static var names: String { all.map(\.name).joined(separator: ", ") }
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

/// Holds a virtual tag in a field until its time is over, or Ctrl-C.
struct Holding: Sendable {
    let duration: Duration?
    /// Called with the place once the tag is there.
    let announce: @Sendable (String) -> Void

    /// On a simulated reader; the daemon takes the tag away when this client is gone.
    func onSimulator(_ parameters: SimulatorPresent.Parameters, socket: String) async throws {
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await reportingErrors {
            try await NFCClient.withConnection(to: socket) { client in
                let presented = try await client.call(SimulatorPresent.self, parameters)
                announce(presented.reader)
                try await untilOver(interrupts) {
                    for await _ in client.events {}
                    throw NFCClientError.connectionLost
                }
                _ = try await client.call(SimulatorRemove.self, .init(presentation: presented.presentation))
            }
        }
    }

    /// On a virtual reader of pcscd.
    func through(_ address: VPCDAddress, _ card: any VirtualCard) async throws {
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let presenter = VPCDPresenter(card: card, address: address)
        do {
            try await presenter.present()
            announce("vpcd at \(address)")
            try await untilOver(interrupts) {
                let end = await withTaskCancellationHandler {
                    await presenter.waitForEnd()
                } onCancel: {
                    presenter.remove()
                }
                if end != .removed { throw PresentationEnded() }
            }
        } catch let error as VPCDError {
            Terminal.error("nfcctl: \(error)")
            throw ExitCode.unavailable
        } catch is PresentationEnded {
            Terminal.error(
                "nfcctl: vpcd at \(address) closed the connection; pcscd has ended, or another tag took the slot")
            throw ExitCode.unavailable
        }
    }

    private struct PresentationEnded: Error {}

    /// Returns when the time is over or a signal came; throws what `loss` throws.
    private func untilOver(
        _ interrupts: UnixSignalsSequence, _ loss: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await loss() }
            group.addTask { for await _ in interrupts { return } }
            if let duration { group.addTask { try await Task.sleep(for: duration) } }
            try await group.next()
            group.cancelAll()
        }
    }
}
