import ArgumentParser
import NDEF

/// `nfcctl spool set`: changes fields.
struct SpoolSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change fields on the next spool.",
        discussion: """
            Fields have the names of OpenPrintTag's specification, as nfcctl spool show prints them. A field without a value \
            is removed. Items of a list are separated by commas; colours are #RRGGBB or #RRGGBBAA; times are seconds since \
            1970-01-01 UTC.

            Fields of the main section say what the spool is, and are protected on many tags.

            Examples:
              nfcctl spool set storage_location=B3 workgroup=desk
              nfcctl spool set consumed_weight=
              nfcctl spool set tags=matte,recycled primary_color=#3A3A3AFF
            """)

    @Argument(help: ArgumentHelp("A field and its value.", valueName: "field=value"))
    var fields: [String]

    @OptionGroup var options: TagOptions

    func run() async throws {
        let update = try OpenPrintTagUpdate(fields: fields, removing: true)
        try await SpoolChange(options: options).run { _ in update }
    }
}
