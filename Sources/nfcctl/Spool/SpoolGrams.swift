import ArgumentParser

/// A weight in grams on the command line.
///
/// - Throws: `ValidationError` for any other text.
func grams(typed text: String) throws -> Double { try decimal(typed: text, factors: SpoolGrams.factors) }

/// Grams on the command line.
enum SpoolGrams {
    /// How many grams other units are.
    static let factors: [String: Double] = ["g": 1, "kg": 1000]

    /// How less is counted as used.
    static let correction =
        "To correct what is counted, weigh the spool with nfcctl spool weigh, or give it with nfcctl spool set "
        + "consumed_weight=GRAMS"

    /// Why a number below 0, which looks like an option, is refused; nil for other arguments.
    static func refusal(ofNegative arguments: [String]) -> String? {
        guard arguments.first == "spool",
            let command = arguments.dropFirst().first, ["use", "weigh"].contains(command)
        else { return nil }
        let rest = arguments.dropFirst(2)
        let number = zip([""] + rest, rest).first { previous, argument in
            !previous.hasPrefix("--") && argument.wholeMatch(of: /-[0-9][0-9.,]*(k?g)?/) != nil
        }?.1
        let reason = command == "use" ? "they are above 0. \(correction)" : "they are what the scale shows"
        return number.map { "the grams cannot be \($0): \(reason)" }
    }
}
