import ArgumentParser
import NDEF

/// `nfcctl spool use`: adds what was used.
struct SpoolUseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Add grams to the consumed weight on the next spool.",
        discussion: """
            The new weight is what the tag says and the grams given. A printer, Spoolman or Klipper that counts the same \
            consumption must not be added to: let one of them count.

            Examples:
              nfcctl spool use 12.5
            """)

    @Argument(help: ArgumentHelp("The weight that was used.", valueName: "grams"))
    var grams: Double

    @OptionGroup var options: TagOptions

    func validate() throws {
        guard grams.isFinite, grams > 0, grams <= SpoolWeights.limit else {
            throw ValidationError("the grams must be a number above 0, at most \(Int(SpoolWeights.limit))")
        }
    }

    func run() async throws {
        let grams = grams
        try await SpoolChange(options: options).run { spool in
            let consumed = spool.consumedWeight
            if let full = spool.fullWeight, consumed + grams > full * SpoolWeights.tolerance {
                throw SpoolWeights.refused(
                    "\(SpoolWeights.text(consumed)) g of \(SpoolWeights.text(full)) g are used already, so that "
                        + "\(SpoolWeights.text(grams)) g more cannot be. Weigh the spool with nfcctl spool weigh")
            }
            return SpoolWeights.update(consumed: consumed + grams)
        }
    }
}

/// `nfcctl spool weigh`: sets what was used from the weight on a scale.
struct SpoolWeighCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "weigh",
        abstract: "Set the consumed weight from what the next spool weighs.",
        discussion: """
            What is left is the weight on the scale less that of the empty spool, which is on the tag or given with \
            --empty. A weight that cannot be, such as that of another spool, is refused.

            Examples:
              nfcctl spool weigh 843
              nfcctl spool weigh 843 --empty 187
            """)

    @Argument(help: ArgumentHelp("The weight on the scale, with the spool.", valueName: "grams"))
    var grams: Double

    @Option(help: ArgumentHelp("The weight of the empty spool; the default is what the tag says.", valueName: "grams"))
    var empty: Double?

    @OptionGroup var options: TagOptions

    func validate() throws {
        for (value, name) in [(grams, "the grams"), (empty ?? 0, "--empty")] {
            guard value.isFinite, value >= 0, value <= SpoolWeights.limit else {
                throw ValidationError("\(name) must be a number from 0 to \(Int(SpoolWeights.limit))")
            }
        }
    }

    func run() async throws {
        let (gross, given) = (grams, empty)
        try await SpoolChange(options: options).run { spool in
            guard let full = spool.fullWeight else {
                throw SpoolWeights.refused(
                    "the tag does not say how much a full spool has. Set it with "
                        + "nfcctl spool set nominal_netto_full_weight=GRAMS")
            }
            guard let empty = given ?? spool.emptyContainerWeight else {
                throw SpoolWeights.refused(
                    "the tag does not say what the empty spool weighs. Give it with --empty, or set it with "
                        + "nfcctl spool set empty_container_weight=GRAMS")
            }
            let left = gross - empty
            guard (0...full * SpoolWeights.tolerance).contains(left) else {
                throw SpoolWeights.refused(
                    "\(SpoolWeights.text(gross)) g less \(SpoolWeights.text(empty)) g of the empty spool is "
                        + "\(SpoolWeights.text(left)) g, and a full one has \(SpoolWeights.text(full)) g. Is it this spool?"
                )
            }
            return SpoolWeights.update(consumed: max(0, full - left))
        }
    }
}

/// What weights can be, and how they are written and shown: in grams.
private enum SpoolWeights {
    /// No spool weighs more.
    static let limit = 100_000.0
    /// How far a full spool may be above what is on its label.
    static let tolerance = 1.05

    static func update(consumed: Double) -> OpenPrintTagUpdate {
        OpenPrintTagUpdate([.aux: ["consumed_weight": .set(.number(rounded(consumed)))]])
    }

    /// To a tenth of a gram, which is what desk scales show.
    private static func rounded(_ grams: Double) -> Double { (grams * 10).rounded() / 10 }

    static func text(_ grams: Double) -> String {
        Int64(exactly: rounded(grams)).map { "\($0)" } ?? "\(rounded(grams))"
    }

    static func refused(_ reason: String) -> ExitCode {
        Terminal.error("nfcctl: \(reason). Nothing was written.")
        return .badData
    }
}
