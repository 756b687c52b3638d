import ArgumentParser
import KeyStore
import NDEF
import NFCProtocol
import TagRecordings
import VirtualTags

/// `nfcctl virtual-tag`: presents a virtual tag to a reader.
struct VirtualTagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-tag",
        abstract: "Present a virtual tag to a reader.",
        discussion: """
            Presents the tag to a simulated reader of the daemon (nfcd --simulator) or, with --vpcd, to a virtual reader of \
            pcscd with vsmartcard-vpcd, until Ctrl-C or for the time of --for. The options for records are those of nfcctl \
            ndef encode; without any, the tag is in its factory state.

            A dump file instead of a product creates the tag that was dumped: a Flipper .nfc file, proxmark3 JSON, the text of \
            MIFARE Classic Tool, or the raw memory of a Type 2 tag, Type 5 tag or MIFARE Classic. It includes UID and content. A dump with missing bytes is \
            rejected, unless --fill gives their value.

            Examples:
              nfcctl virtual-tag --list
              nfcctl virtual-tag ntag215 --uri https://example.com --for 5
              nfcctl virtual-tag ntag213 --text "Hello" --vpcd 127.0.0.1:35963
              nfcctl virtual-tag badge.nfc --fill 00
              nfcctl virtual-tag --profile front
              nfcctl virtual-tag --profile front --copy
              nfcctl virtual-tag fido2 --pin 1234 --vpcd 127.0.0.1:35963
              nfcctl virtual-tag --recording tag.jsonl --vpcd 127.0.0.1:35963

            --recording presents the first tag of a file of nfcctl record. It answers the commands that were recorded, in \
            the state in which they were recorded, and reports any other. On a simulated reader, nfcd has to have the \
            model of the recorded one (nfcd --simulator-model).

            fido2 is a security key (FIDO2 and U2F) for --vpcd; its credentials last until the command ends. With --vpcd, the \
            signal USR1 lifts the tag and puts it back: kill -USR1 PID.
            """)

    @Argument(
        help: ArgumentHelp("The product (see --list), or a dump file.", valueName: "model|file"),
        completion: .tagModelsAndFiles)
    var model: String?

    @Flag(help: "List the products.")
    var list = false

    @OptionGroup var content: NDEFOptions

    @Option(help: ArgumentHelp("The UID in hexadecimal.", valueName: "hex"))
    var uid: String?

    @Option(
        help: ArgumentHelp(
            "Set the tag up by a profile of nfcd's key file, or of --keys with --vpcd.", valueName: "name"))
    var profile: String?

    @Option(help: ArgumentHelp("With --vpcd, the key file that has the profile.", valueName: "file"))
    var keys: String?

    @Option(help: ArgumentHelp("Present the first tag of a recording.", valueName: "file"), completion: .file())
    var recording: String?

    @Flag(help: "Make the tag of the profile a copy: the same UID and message, without the keys.")
    var copy = false

    @Option(help: ArgumentHelp("The value of bytes that are missing in the dump file.", valueName: "hex-byte"))
    var fill: String?

    @Option(help: ArgumentHelp("Use vpcd instead of a simulated reader.", valueName: "host:port"))
    var vpcd: String?

    @Option(
        help: ArgumentHelp(
            "With --vpcd, the model of the virtual reader: \(VirtualReaderModel.names) (default: generic).",
            valueName: "name"), completion: .list(VirtualReaderModel.all.map(\.name)))
    var readerModel: String?

    @Option(
        help: ArgumentHelp("With --vpcd, make every exchange take this much longer.", valueName: "milliseconds"),
        transform: decimal(typed:))
    var delay: Double?

    @Option(
        help: ArgumentHelp("The simulated reader, by id or name (default: the first empty one).", valueName: "name"),
        completion: .readers)
    var reader: String?

    @Option(
        name: .customLong("for"), help: ArgumentHelp("Remove the tag after this time.", valueName: "seconds"),
        transform: decimal(typed:))
    var duration: Double?

    @Flag(help: "Print one line of JSON when the tag is present.")
    var json = false

    @OptionGroup var securityKey: SecurityKeyOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        try validateProfile()
        try validateRecording()
        if model == nil, profile == nil, recording == nil, !list {
            throw ValidationError("no tag given; give a product such as ntag215 (see --list) or a dump file")
        }
        if vpcd != nil, reader != nil {
            throw ValidationError("--vpcd and --reader cannot be combined; give one of them")
        }
        try validateReaderModel()
        try validateDelay()
        try securityKey.validate(model: model, vpcd: vpcd)
        try validateSeconds(duration, option: "--for")
        if let uid, HexBytes(uid) == nil { throw ValidationError("--uid requires bytes in hexadecimal") }
        if let fill, HexBytes(fill)?.bytes.count != 1 {
            throw ValidationError("--fill requires one byte in hexadecimal, such as 00")
        }
        if let vpcd, VPCDAddress(vpcd) == nil {
            throw ValidationError("--vpcd requires HOST:PORT, such as 127.0.0.1:35963")
        }
    }

    private func validateRecording() throws {
        guard recording != nil else { return }
        if model != nil || profile != nil {
            throw ValidationError("--recording determines the tag; leave out the product and --profile")
        }
        if uid != nil || fill != nil || copy {
            throw ValidationError("--recording cannot be combined with --uid, --fill or --copy")
        }
    }

    private func validateProfile() throws {
        if model != nil, profile != nil {
            throw ValidationError("--profile determines the product; leave out \(model ?? "")")
        }
        if copy, profile == nil { throw ValidationError("--copy requires --profile") }
        if keys != nil, profile == nil || vpcd == nil { throw ValidationError("--keys requires --profile and --vpcd") }
        if profile != nil, vpcd != nil, keys == nil { throw ValidationError("--profile with --vpcd requires --keys") }
    }

    private func validateReaderModel() throws {
        guard let readerModel else { return }
        guard vpcd != nil else {
            throw ValidationError("--reader-model requires --vpcd; for simulated readers use nfcd --simulator-model")
        }
        guard VirtualReaderModel.named(readerModel) != nil else {
            throw ValidationError("unknown reader model \"\(readerModel)\"; use one of \(VirtualReaderModel.names)")
        }
    }

    private func validateDelay() throws {
        guard let delay else { return }
        guard vpcd != nil else { throw ValidationError("--delay requires --vpcd") }
        guard delay > 0, delay <= 10_000 else {
            throw ValidationError("--delay requires more than 0 and at most 10000 milliseconds")
        }
    }

    func run() async throws {
        if let profile { return try await present(profile) }
        if let recording { return try await present(recording: recording) }
        guard let model else { return showModels() }
        let message = try content.message(for: "virtual-tag")
        let file = SecurityKeyOptions.isModel(model) ? nil : TagDumpFile(model)
        try reportingUsageErrors(of: "virtual-tag") {
            try checkOptions(isFile: file != nil, hasMessage: message != nil)
        }
        let tag = try file?.makeTag(filler: fill.flatMap { HexBytes($0)?.bytes.first }) ?? makeTag(model, message)
        let presentation = TagPresentation(duration: duration.map { .seconds($0) }) { place in
            announce(tag.identifier, model, place)
        }
        if let address = vpcd.flatMap({ VPCDAddress($0) }) {
            try await presentation.run(delayed(try card(tag, model)), on: address)
        } else {
            let parameters =
                file == nil
                ? SimulatorPresent.Parameters(
                    reader: reader, model: model, identifier: HexBytes(tag.identifier),
                    ndef: message.map { HexBytes($0) })
                : try TagDumpFile.parameters(for: tag, on: reader)
            try await presentation.run(parameters, on: connection)
        }
    }

    /// Presents a tag of a profile. On a simulated reader, nfcd makes it: no key crosses the socket.
    private func present(_ profile: String) async throws {
        let message = try content.message(for: "virtual-tag")
        let uid = uid.flatMap { HexBytes($0) }
        let presentation = TagPresentation(duration: duration.map { .seconds($0) }) { place in
            announce(uid?.bytes ?? [], "tag of profile \(profile)", place)
        }
        if let address = vpcd.flatMap({ VPCDAddress($0) }) {
            let tag = try await siteTag(profile, uid?.bytes, message)
            return try await presentation.run(delayed(try card(tag, profile)), on: address)
        }
        let parameters = SimulatorPresent.Parameters(
            reader: reader, identifier: uid, ndef: message.map { HexBytes($0) }, profile: profile,
            copy: copy ? true : nil)
        try await presentation.run(parameters, on: connection)
    }

    /// Presents the first tag of a recording. On a simulated reader, nfcd replays it.
    private func present(recording path: String) async throws {
        let input = RecordingInput(path: path)
        let bytes = try input.bytes()
        let tag = try RecordedTagFile(path: path, bytes).tag()
        let presentation = TagPresentation(duration: duration.map { .seconds($0) }) { place in
            announce(tag.identifier, "tag of \(path)", place)
        }
        if let address = vpcd.flatMap({ VPCDAddress($0) }) {
            tag.recordedCard.onUnrecorded { Terminal.error("nfcctl: \($0)") }
            return try await presentation.run(delayed(tag.inReader()), on: address)
        }
        let parameters = SimulatorPresent.Parameters(reader: reader, recording: String(decoding: bytes, as: UTF8.self))
        guard TagDumpFile.fits(parameters) else {
            Terminal.error(
                "nfcctl: cannot send \(path.escaped) to nfcd: it is too long for a line; use --vpcd, or nfcd --replay")
            throw ExitCode.badData
        }
        try await presentation.run(parameters, on: connection)
    }

    private func siteTag(_ profile: String, _ uid: [UInt8]?, _ message: [UInt8]?) async throws -> any VirtualTag {
        var file = KeyFileOptions()
        file.keys = keys
        let found = try await file.read()
        do {
            return try await SiteTags(profiles: found.profiles, keys: found.ring)
                .tag(profile, identifier: uid, message: message, isCopy: copy)
        } catch {
            Terminal.error("nfcctl: \(error)")
            throw ExitCode.badData
        }
    }

    /// A dump file includes UID and content, and only a dump file can have missing bytes.
    private func checkOptions(isFile: Bool, hasMessage: Bool) throws {
        if isFile, uid != nil { throw ValidationError("--uid requires a product; a dump file includes the UID") }
        if hasMessage, let model, SecurityKeyOptions.isModel(model) {
            throw ValidationError("options for records require a tag with NDEF; fido2 is a security key")
        }
        if isFile, hasMessage {
            throw ValidationError("options for records require a product; a dump file includes the content")
        }
        if !isFile, fill != nil { throw ValidationError("--fill requires a dump file; a product has no missing bytes") }
    }

    private func makeTag(_ model: String, _ message: [UInt8]?) throws -> any VirtualTag {
        if SecurityKeyOptions.isModel(model) {
            return try securityKey.makeTag(identifier: uid.flatMap { HexBytes($0)?.bytes })
        }
        do throws(VirtualTagError) {
            return try VirtualTagModel.named(model).makeTag(
                identifier: uid.flatMap { HexBytes($0)?.bytes }, ndefMessage: message)
        } catch {
            Terminal.error("nfcctl: \(error)")
            throw ExitCode.badData
        }
    }

    /// The card that a reader of the selected model presents for the tag.
    private func card(_ tag: any VirtualTag, _ name: String) throws -> any VirtualCard {
        guard let model = readerModel.flatMap({ VirtualReaderModel.named($0) }) else { return tag.inReader() }
        guard let card = model.card(tag) else {
            let others = VirtualReaderModel.all.filter { $0.card(tag) != nil }.map(\.name).joined(separator: ", ")
            Terminal.error("nfcctl: a reader of model \(model.name) does not support \(name); use one of \(others)")
            throw ExitCode.badData
        }
        return card
    }

    /// The card with the wanted delay, as a slow tag has it.
    private func delayed(_ card: any VirtualCard) -> any VirtualCard {
        guard let delay else { return card }
        var plan = FaultPlan()
        plan.addToEveryExchange(.delay(.milliseconds(delay)))
        return FaultInjectingCard(card, plan: plan)
    }

    /// Prints that the tag is present; without a place, that it was lifted.
    private func announce(_ uid: [UInt8], _ model: String, _ place: String?) {
        guard let place else { return json ? Terminal.print(json: Lifted()) : Terminal.print("Lifted.") }
        let identifier = HexBytes(uid)
        if json {
            Terminal.print(json: Presented(model: model, identifier: identifier, reader: place))
        } else {
            Terminal.print(
                "Virtual \(model.escaped)\(uid.isEmpty ? "" : ", UID \(HexDump.pairs(uid, separator: ":"))"), on \(place.escaped). Press Ctrl-C to remove it."
            )
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
    /// All names, as text.
    fileprivate static var names: String { all.map(\.name).joined(separator: ", ") }
}

/// The JSON line for a tag that is present.
private struct Presented: Encodable {
    let event = "presented"
    let model: String
    let identifier: HexBytes
    let reader: String
}

/// The JSON line for a tag that was lifted.
private struct Lifted: Encodable {
    let event = "lifted"
}

/// The JSON line for a product.
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
