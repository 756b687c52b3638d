import ArgumentParser
import NDEF

/// The options that say what a message holds.
struct NDEFOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A record with this URI.", valueName: "uri"))
    var uri: [String] = []

    @Option(help: ArgumentHelp("A record with this text.", valueName: "text"))
    var text: [String] = []

    @Option(help: ArgumentHelp("The language of the texts, e.g. en or de-AT.", valueName: "code"))
    var language = "en"

    @Option(help: ArgumentHelp("A whole message in hexadecimal, in place of records.", valueName: "hex"))
    var ndef: String?

    /// The message's bytes; nil if no option gives one.
    ///
    /// - Throws: `ValidationError`, which says which option is wrong.
    func message() throws -> [UInt8]? {
        let records = try records()
        guard let ndef else { return records.isEmpty ? nil : try encode(records) }
        guard records.isEmpty else { throw ValidationError("--ndef is a whole message; it takes no --uri or --text") }
        return try decode(ndef)
    }

    private func records() throws -> [NDEFRecord] {
        do {
            return try uri.map { try NDEFRecord.uri($0) } + text.map { try NDEFRecord.text($0, language: language) }
        } catch let error as NDEFPayloadError {
            throw ValidationError("the record cannot be made: \(error.message)")
        }
    }

    private func encode(_ records: [NDEFRecord]) throws -> [UInt8] {
        do throws(NDEFError) {
            return try NDEFMessage(records: records).encoded()
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
