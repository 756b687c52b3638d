import ArgumentParser
import NDEF
import SpoolTags

/// `nfcctl spool use`: adds what was used.
struct SpoolUseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Subtract grams from what the next spool has left.",
        discussion: """
            On an OpenPrintTag the grams are added to the consumed weight, on a TigerTag they are subtracted from the amount \
            available; OpenSpool and OpenTag3D have no such field. A printer, Spoolman or Klipper that counts the same \
            consumption must not be added to: let one of them count.

            Examples:
              nfcctl spool use 12.5
              nfcctl spool use 12.5 --workgroup desk
            """)

    @Argument(help: ArgumentHelp("The weight that was used.", valueName: "grams"), transform: grams(typed:))
    var grams: Double

    @OptionGroup var workgroup: SpoolWorkgroupOptions
    @OptionGroup var options: TagOptions

    func validate() throws {
        guard grams.isFinite, grams > 0, grams <= SpoolWeights.limit else {
            throw ValidationError(
                "the grams must be a number above 0, at most \(Int(SpoolWeights.limit)). \(SpoolGrams.correction)")
        }
    }

    func run() async throws {
        try await SpoolChange(options: options, workgroup: workgroup.chosen).run(SpoolUse(grams: grams))
    }
}

/// `nfcctl spool weigh`: sets what was used from the weight on a scale.
struct SpoolWeighCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "weigh",
        abstract: "Set what is left from what the next spool weighs.",
        discussion: """
            What is left is the weight on the scale less that of the empty spool, which is on the tag or given with \
            --empty. Scales and spools differ: up to 5 % of a full spool below nothing counts as empty, and up to 5 % above \
            a full one as full. Anything beyond, such as the weight of another spool, is refused; so is an --empty of less \
            than half or more than twice what the tag says.

            Examples:
              nfcctl spool weigh 843
              nfcctl spool weigh 843 --empty 187
            """)

    @Argument(
        help: ArgumentHelp("The weight on the scale, with the spool.", valueName: "grams"), transform: grams(typed:))
    var grams: Double

    @Option(
        help: ArgumentHelp("The weight of the empty spool; the default is what the tag says.", valueName: "grams"),
        transform: grams(typed:))
    var empty: Double?

    @OptionGroup var workgroup: SpoolWorkgroupOptions
    @OptionGroup var options: TagOptions

    func validate() throws {
        for (value, name) in [(grams, "the grams"), (empty ?? 0, "--empty")] {
            guard value.isFinite, value >= 0, value <= SpoolWeights.limit else {
                throw ValidationError("\(name) must be a number from 0 to \(Int(SpoolWeights.limit))")
            }
        }
    }

    func run() async throws {
        try await SpoolChange(options: options, workgroup: workgroup.chosen).run(SpoolWeigh(gross: grams, empty: empty))
    }
}

/// Grams that were used.
private struct SpoolUse: SpoolWeightTask {
    let grams: Double

    func update(_ spool: OpenPrintTagRecord) throws -> OpenPrintTagUpdate {
        guard let consumed = spool.consumedWeight else {
            throw spoolRefusal(
                "the consumed weight on the tag cannot be read as one. Set it with nfcctl spool weigh; where that is refused "
                    + "too, empty the aux section with nfcctl spool set --empty-aux")
        }
        let most = spool.fullWeight.map { $0 * (1 + SpoolWeights.tolerance) } ?? SpoolWeights.limit
        guard consumed + grams <= most else {
            let full = spool.fullWeight.map { " of \(SpoolWeights.text($0)) g" } ?? ""
            throw spoolRefusal(
                "\(SpoolWeights.text(consumed)) g\(full) are used already, so that "
                    + "\(SpoolWeights.text(grams)) g more cannot be. Weigh the spool with nfcctl spool weigh")
        }
        guard SpoolWeights.rounded(consumed + grams) != SpoolWeights.rounded(consumed) else {
            throw spoolRefusal(
                "the tag counts in tenths of a gram, and \(SpoolWeights.text(consumed)) g and \(grams.shortText) g more are "
                    + "\(SpoolWeights.text(consumed)) g again. Add up what was used until it is more")
        }
        return SpoolWeights.update(consumed: consumed + grams)
    }

    func edit(_ spool: TigerTag) throws -> SpoolPageEdit {
        guard let amount = spool.remainingAmount else {
            throw spoolRefusal(
                "the TigerTag does not say how much is left. Weigh the spool with nfcctl spool weigh, or set it with "
                    + "nfcctl spool set measure_available=AMOUNT")
        }
        if let left = spool.facts.remainingWeight, grams > left {
            throw spoolRefusal(
                "\(SpoolWeights.text(left)) g are left, so that \(SpoolWeights.text(grams)) g cannot have been used. "
                    + "Weigh the spool with nfcctl spool weigh")
        }
        let edit = try SpoolWeights.edit(spool, remaining: (spool.facts.remainingWeight ?? 0) - grams)
        guard edit.new != edit.old else {
            throw spoolRefusal(
                "a TigerTag counts in whole \(spool.unit), and \(amount) less \(SpoolWeights.text(grams)) g is \(amount) "
                    + "again. Add up what was used until it is more")
        }
        return edit
    }
}

/// The weight of a spool on a scale.
private struct SpoolWeigh: SpoolWeightTask {
    let gross: Double
    let empty: Double?

    func update(_ spool: OpenPrintTagRecord) throws -> OpenPrintTagUpdate {
        guard let full = spool.fullWeight else {
            throw spoolRefusal(
                "the tag does not say how much a full spool has. Set it with "
                    + "nfcctl spool set nominal_netto_full_weight=GRAMS")
        }
        guard let empty = empty ?? spool.emptyContainerWeight else {
            throw spoolRefusal(
                "the tag does not say what the empty spool weighs. Give it with --empty, or set it with "
                    + "nfcctl spool set empty_container_weight=GRAMS")
        }
        try checkEmpty(against: spool.emptyContainerWeight)
        return SpoolWeights.update(consumed: full - (try left(empty: empty, full: full)))
    }

    func edit(_ spool: TigerTag) throws -> SpoolPageEdit {
        guard let empty else {
            throw spoolRefusal("a TigerTag does not say what the empty spool weighs. Give it with --empty GRAMS")
        }
        // Without a full weight, the edit is refused with the reason.
        guard let full = spool.facts.fullWeight else { return try SpoolWeights.edit(spool, remaining: gross - empty) }
        return try SpoolWeights.edit(spool, remaining: try left(empty: empty, full: full))
    }

    /// Refuses a weight of the empty spool that cannot be of the one on the tag: kilograms instead of grams, for example.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason.
    private func checkEmpty(against shown: Double?) throws {
        guard let empty, let shown, shown > 0, !(shown / 2...shown * 2).contains(empty) else { return }
        throw spoolRefusal(
            "--empty \(empty.shortText) is far from the \(SpoolWeights.text(shown)) g of the empty spool on the tag. Give "
                + "grams, or change the tag with nfcctl spool set empty_container_weight=GRAMS")
    }

    /// What is left: from nothing to a full spool.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, for a weight that this spool cannot have.
    private func left(empty: Double, full: Double) throws -> Double {
        let left = gross - empty
        let room = full * SpoolWeights.tolerance
        guard (-room...full + room).contains(left) else {
            throw spoolRefusal(
                "\(SpoolWeights.text(gross)) g less \(SpoolWeights.text(empty)) g of the empty spool is "
                    + "\(SpoolWeights.text(left)) g, and a full one has \(SpoolWeights.text(full)) g. Is it this spool?"
            )
        }
        return min(full, max(0, left))
    }
}

/// A change of what is left on a spool.
private protocol SpoolWeightTask: SpoolTask {}

extension SpoolWeightTask {
    var advice: String { "Keep what is left in Spoolman, or give the spool a tag with nfcctl spool new" }

    func changed(_ spool: OpenTag3DRecord) throws -> OpenTag3DRecord {
        throw spoolRefusal(
            "OpenTag3D has the weight of a full spool alone, and none that changes with use. \(advice); nfcctl spool set "
                + "target_weight=GRAMS changes that of a full one")
    }
}

/// What weights can be, and how they are written and shown: in grams.
private enum SpoolWeights {
    /// No spool weighs more.
    static let limit = 100_000.0
    /// How far a weight may be from what a spool can have, as a part of a full one: scales and spools differ.
    static let tolerance = 0.05

    static func update(consumed: Double) -> OpenPrintTagUpdate {
        OpenPrintTagUpdate([.aux: ["consumed_weight": .set(.number(rounded(consumed)))]])
    }

    /// - Throws: `ExitCode` 65, after printing the reason, if the tag does not take it.
    static func edit(_ spool: TigerTag, remaining grams: Double) throws -> SpoolPageEdit {
        do { return try spool.edit(remainingGrams: grams) } catch { throw spoolRefusal("\(error)") }
    }

    /// To a tenth of a gram, which is what desk scales show.
    static func rounded(_ grams: Double) -> Double {
        abs(grams) <= 1000 * limit ? (grams * 10).rounded() / 10 : grams
    }

    static func text(_ grams: Double) -> String { rounded(grams).shortText }
}
