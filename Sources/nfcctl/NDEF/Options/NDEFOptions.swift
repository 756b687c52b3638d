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
