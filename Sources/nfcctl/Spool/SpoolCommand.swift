import ArgumentParser

/// `nfcctl spool`: the tags of spools for 3D printers.
struct SpoolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spool",
        abstract: "Show and change the tags of spools for 3D printers.",
        discussion: """
            show reads OpenPrintTag, OpenSpool, OpenTag3D, TigerTag, Anycubic, Elegoo and Qidi. use and weigh change the \
            weight of an OpenPrintTag or a TigerTag, set also the fields of an OpenTag3D; new makes an OpenPrintTag. Only the \
            blocks that differ are written, in an order in which an interruption leaves the old weight, the new one, or \
            none; the rest of the tag stays as it is.

            The tags of OpenPrintTag need a reader that supports ISO/IEC 15693.

            Examples:
              nfcctl spool show
              nfcctl spool use 12.5
              nfcctl spool weigh 843 --empty 187
              nfcctl spool set storage_location=B3
              nfcctl spool new material_type=PLA nominal_netto_full_weight=1000
            """,
        subcommands: [
            SpoolShowCommand.self, SpoolUseCommand.self, SpoolWeighCommand.self, SpoolSetCommand.self,
            SpoolNewCommand.self,
        ])
}
