import ArgumentParser
import NDEF

/// The options that say what a message holds. Each adds a record, or something to the record before it, in the order in
/// which they are given.
struct NDEFOptions: ParsableArguments {
    @OptionGroup(title: "Records, in the order given")
    var records: RecordOptions

    @OptionGroup(title: "Records of any type")
    var data: DataOptions

    @OptionGroup(title: "Wi-Fi")
    var wifi: WiFiOptions

    @OptionGroup(title: "Smart Poster")
    var smartPoster: SmartPosterOptions

    @Flag(help: "The message of one empty record.")
    var empty = false

    @Option(help: ArgumentHelp("A whole message in hexadecimal, in place of records.", valueName: "hex"))
    var ndef: String?

    /// Whether there is any of them.
    var isGiven: Bool { empty || ndef != nil || !steps.isEmpty }

    private var steps: [PlacedStep] { records.steps + data.steps + wifi.steps + smartPoster.steps }

    /// The message's bytes; nil if no option gives one. Files are read, so this is for `run`, once.
    ///
    /// - Parameter command: the command whose options these are, such as `ndef encode`.
    /// - Throws: `ExitCode`, after it was said which option is wrong, or why a file cannot be read.
    func message(for command: String) throws -> [UInt8]? {
        try judgingOptions(of: command, message)
    }

    private func message() throws -> [UInt8]? {
        let steps = steps.inOrder
        if empty || ndef != nil { return try wholeMessage(isAlone: steps.isEmpty) }
        var assembler = MessageAssembler()
        for step in steps { try step.apply(to: &assembler) }
        guard let message = try assembler.message() else { return nil }
        return try encode(message)
    }

    private func wholeMessage(isAlone: Bool) throws -> [UInt8] {
        guard let ndef else {
            if !isAlone { throw ValidationError("--empty is a whole message; it takes no other record") }
            return try encode(NDEFMessage(records: [NDEFRecord(EmptyRecord())]))
        }
        if !isAlone || empty { throw ValidationError("--ndef is a whole message; it takes no other record") }
        return try decode(ndef)
    }

    private func encode(_ message: NDEFMessage) throws -> [UInt8] {
        do throws(NDEFError) {
            return try message.encoded()
        } catch {
            throw ValidationError("the message cannot be made: \(error.message)")
        }
    }

    private func decode(_ hexadecimal: String) throws -> [UInt8] {
        guard let bytes = [UInt8](hexadecimal: hexadecimal) else {
            throw ValidationError("--ndef takes an even number of hexadecimal digits")
        }
        if bytes.isEmpty { return bytes }
        do throws(NDEFError) {
            _ = try NDEFMessage(decoding: bytes)
            return bytes
        } catch {
            throw ValidationError("--ndef is no NDEF message: \(error.message)")
        }
    }
}

/// The options for records that one option gives, and for what holds for any record.
struct RecordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A record with this URI.", valueName: "uri"),
        transform: PlacedStep.named("--uri") { uri, message in try message.add(.uri(uri)) })
    var uri: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("A record with this text.", valueName: "text"),
        transform: PlacedStep.named("--text") { text, message in
            try message.add(NDEFRecord(message.makeText(text)))
        })
    var text: [PlacedStep] = []

    @Option(
        help: ArgumentHelp(
            "The language of the texts and titles after it, e.g. de-AT (default: en).", valueName: "code"),
        transform: PlacedStep.named("--language") { code, message in message.speak(code) })
    var language: [PlacedStep] = []

    @Option(
        help: ArgumentHelp(
            "The encoding of the texts and titles after it: utf-8 or utf-16 (default: utf-8).", valueName: "name"),
        transform: PlacedStep.named("--encoding") { name, message in
            guard let encoding = TextRecord.Encoding(rawValue: name.lowercased()) else {
                throw OptionMisuse("takes utf-8 or utf-16")
            }
            message.store(in: encoding)
        })
    var encoding: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("A record that opens or installs this Android application.", valueName: "package"),
        transform: PlacedStep.named("--aar") { package, message in
            try message.add(NDEFRecord(AndroidApplicationRecord(package)))
        })
    var aar: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("A record in the JSON form, as ndef decode --json prints it.", valueName: "json"),
        transform: PlacedStep.named("--record") { json, message in
            try message.add(readRecord(json))
        })
    var record: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("The identifier of the record before it.", valueName: "text"),
        transform: PlacedStep.named("--id") { identifier, message in try message.identify(identifier) })
    var id: [PlacedStep] = []

    var steps: [PlacedStep] { uri + text + language + encoding + aar + record + id }
}

private func readRecord(_ json: String) throws -> NDEFRecord {
    do throws(Refusal) {
        return try MessageJSON().record(in: Array(json.utf8))
    } catch {
        throw OptionMisuse("takes a record in the JSON form: \(error.message)")
    }
}
