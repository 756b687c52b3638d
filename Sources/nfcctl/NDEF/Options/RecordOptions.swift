import ArgumentParser
import NDEF

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
