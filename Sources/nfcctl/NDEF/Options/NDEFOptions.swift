import ArgumentParser
import NDEF

/// The options that define a message. Each adds a record or completes the last one, in the order in which they are given.
struct NDEFOptions: ParsableArguments {
    @OptionGroup(title: "Records, in the order given")
    var records: RecordOptions

    @OptionGroup(title: "Records of any type")
    var data: DataOptions

    @OptionGroup(title: "Calls, messages, places and contacts")
    var contacts: ContactOptions

    @OptionGroup(title: "Wi-Fi")
    var wifi: WiFiOptions

    @OptionGroup(title: "Smart Poster")
    var smartPoster: SmartPosterOptions

    @Flag(help: "A message with one empty record.")
    var empty = false

    @Option(help: ArgumentHelp("A whole message in hexadecimal, instead of records.", valueName: "hex"))
    var ndef: String?

    /// Whether any of the options is given.
    var isGiven: Bool { empty || ndef != nil || all.contains { $0.tableEncoding == nil } }

    /// The encoding that `--encoding` names for the table of a batch; nil if it names none.
    var tableEncoding: TextEncoding? { records.encoding.compactMap(\.tableEncoding).last }

    private var all: [OrderedOption] { records.all + data.all + contacts.all + wifi.all + smartPoster.all }

    /// The encoded message; nil if no option is given. Reads files, so it is called once, in `run`.
    ///
    /// - Parameters:
    ///   - command: the command with these options, such as `ndef encode`.
    ///   - acceptsDoubts: whether what is probably a mistake is only a warning.
    ///   - values: replace the placeholders in the values of the options.
    /// - Throws: `ExitCode`, after printing which option is invalid or why a file cannot be read.
    func message(for command: String, acceptsDoubts: Bool = true, values: RowValues? = nil) throws -> [UInt8]? {
        try reportingUsageErrors(of: command) { try message(acceptsDoubts, values) }
    }

    private func message(_ acceptsDoubts: Bool, _ values: RowValues?) throws -> [UInt8]? {
        let options = all.inOrder
        if empty || ndef != nil { return try wholeMessage(isAlone: options.isEmpty) }
        var assembler = MessageAssembler()
        assembler.hasTable = values?.columns.isEmpty == false
        for option in options { try option.apply(to: &assembler, values: values) }
        guard let message = try assembler.message() else { return nil }
        for doubt in assembler.doubts { Terminal.error("nfcctl: \(acceptsDoubts ? "warning: " : "")\(doubt.escaped)") }
        if !acceptsDoubts, !assembler.doubts.isEmpty {
            Terminal.error("Nothing was written. Add --force to write it in spite of that.")
            throw ExitCode.badData
        }
        return try encode(message)
    }

    private func wholeMessage(isAlone: Bool) throws -> [UInt8] {
        guard let ndef else {
            if !isAlone { throw ValidationError("--empty is a whole message; it cannot be combined with records") }
            return try encode(NDEFMessage(records: [NDEFRecord(EmptyRecord())]))
        }
        if !isAlone || empty { throw ValidationError("--ndef is a whole message; it cannot be combined with records") }
        return try decode(ndef)
    }

    private func encode(_ message: NDEFMessage) throws -> [UInt8] {
        do throws(NDEFError) {
            return try message.encoded()
        } catch {
            throw ValidationError("the message cannot be encoded: \(error.message)")
        }
    }

    private func decode(_ hexadecimal: String) throws -> [UInt8] {
        guard let bytes = [UInt8](hexadecimal: hexadecimal) else {
            throw ValidationError("--ndef requires an even number of hexadecimal digits")
        }
        if bytes.isEmpty { return bytes }
        do throws(NDEFError) {
            _ = try NDEFMessage(decoding: bytes)
            return bytes
        } catch {
            throw ValidationError("--ndef is not an NDEF message: \(error.message)")
        }
    }
}

/// The options for records that need a single option, and the options that apply to all records.
struct RecordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Add a record with this URI.", valueName: "uri"),
        transform: OrderedOption.named("--uri") { uri, message in
            try message.add(.uri(uri))
            if let doubt = URIDoubt(uri) { message.addDoubt("--uri \(uri): \(doubt.text)") }
        })
    var uri: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("Add a record with this text.", valueName: "text"),
        transform: OrderedOption.named("--text") { text, message in
            try message.add(NDEFRecord(message.makeText(text)))
        })
    var text: [OrderedOption] = []

    @Option(
        help: ArgumentHelp(
            "The language of the following texts and titles, such as de-AT (default: en).", valueName: "code"),
        transform: OrderedOption.named("--language") { code, message in message.setLanguage(code) })
    var language: [OrderedOption] = []

    @Option(
        help: ArgumentHelp(
            "The encoding of the following texts and titles: utf-8 or utf-16 (default: utf-8). windows-1252, iso-8859-1, utf-16le and utf-16be are encodings of the file of --csv or --json-lines.",
            valueName: "name"),
        completion: .list(["utf-8", "utf-16"]),
        transform: OrderedOption.named("--encoding") { name, message in
            if TextEncoding(ofTable: name) != nil {
                if !message.hasTable { throw OptionError("\(name) is for the file of --csv or --json-lines") }
                return
            }
            guard let encoding = TextRecord.Encoding(rawValue: name.lowercased()) else {
                throw OptionError("requires utf-8 or utf-16")
            }
            message.setEncoding(encoding)
        })
    var encoding: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("Add a record that opens or installs this Android application.", valueName: "package"),
        transform: OrderedOption.named("--aar") { package, message in
            try message.add(NDEFRecord(AndroidApplicationRecord(package)))
        })
    var aar: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("Add a record in the JSON form, as printed by ndef decode --json.", valueName: "json"),
        transform: OrderedOption.named("--record") { json, message in
            try message.add(readRecord(json))
        })
    var record: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("The identifier of the preceding record.", valueName: "text"),
        transform: OrderedOption.named("--id") { identifier, message in try message.setIdentifier(identifier) })
    var id: [OrderedOption] = []

    var all: [OrderedOption] { uri + text + language + encoding + aar + record + id }
}

private func readRecord(_ json: String) throws -> NDEFRecord {
    do throws(MessageError) {
        return try MessageJSON().record(in: Array(json.utf8))
    } catch {
        throw OptionError("requires a record in the JSON form: \(error.message)")
    }
}

/// Why a text is probably no URI (RFC 3986, section 3).
struct URIDoubt: Equatable {
    let text: String

    /// Nil for a URI with a scheme, also with characters of other scripts (RFC 3987).
    init?(_ uri: String) {
        let isUnsafe = uri.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
        if isUnsafe {
            text = "a URI has no spaces or control characters; write a space as %20"
        } else if uri.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:/) == nil {
            text = "it has no scheme, so no program would open it; write https://\(uri)"
        } else {
            return nil
        }
    }
}
