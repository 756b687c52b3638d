import ArgumentParser
import NDEF
import NFCTypes

/// A number that a person types.
enum TypedNumber {
    /// What is probably meant by a text that is not a number in digits: one with a decimal comma, or with a unit.
    ///
    /// - Parameter factors: how many of the unit that is wanted others are, in lower case.
    /// - Returns: nil for a text that can mean several numbers, or none.
    static func meant(by text: String, factors: [String: Double]) -> Double? {
        // Three digits behind a comma can be thousandths or thousands.
        guard let match = String(text.trimmed).wholeMatch(of: /([+-]?[0-9]+)(?:([.,])([0-9]+))?\s*([^0-9.,\s].*)?/),
            match.output.2 != "," || match.output.3?.count != 3
        else { return nil }
        let digits = "\(match.output.1)\(match.output.3.map { ".\($0)" } ?? "")"
        let unit = match.output.4.map { $0.lowercased() }
        guard let number = Double.decimal(digits), let factor = unit.map({ factors[$0] }) ?? 1 else { return nil }
        // To a millionth, so that 1.1 m are 1100 mm.
        return factor == 1 ? number : (number * factor * 1_000_000).rounded() / 1_000_000
    }
}

/// A number on the command line, see `Double.decimal(_:)`.
///
/// - Throws: `ValidationError` for any other text, also for one that Swift takes for a number.
func decimal(typed text: String) throws -> Double { try decimal(typed: text, factors: ["s": 1]) }

/// A number on the command line.
///
/// - Parameter factors: how many of the unit that is wanted others are, which is suggested.
/// - Throws: `ValidationError` for any other text.
func decimal(typed text: String, factors: [String: Double]) throws -> Double {
    if let number = Double.decimal(text) { return number }
    let advice = TypedNumber.meant(by: text, factors: factors).map { "; did you mean \($0.shortText)?" } ?? ""
    throw ValidationError("\(text.escaped) is not a number in digits, such as 12 or 12.5\(advice)")
}
