/// A change of one page of a Type 2 tag.
public struct SpoolPageEdit: Sendable, Hashable {
    /// The number of the page.
    public let page: Int
    /// What has to be in the page before: 4 bytes. If anything else is there, the change must not be made.
    public let old: [UInt8]
    /// What is in the page after the change.
    public let new: [UInt8]
}

/// Why the remaining amount of a TigerTag cannot be changed.
public enum TigerTagEditError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The tag has no data yet.
    case notWritten
    /// The unit is not known, or the amount of a full spool is not given or cannot be right, so that no amount can be checked.
    case unknownFullAmount
    /// 0 stands for an unknown amount.
    case zeroIsUnknown
    /// The amount is not one that a spool can hold.
    case implausible(full: Int, unit: String)
    /// The unit of the tag is not one of weight.
    case notWeight(unit: String)
    /// The unit of the tag is too coarse for the weight.
    case tooCoarse(unit: String)

    /// What failed, and what to do.
    public var description: String {
        let failure = "The remaining amount of this TigerTag cannot be changed: "
        return switch self {
        case .notWritten: failure + "it holds no data of a spool yet. Write those first with a program of TigerTag."
        case .unknownFullAmount:
            failure + "it does not say what a full spool holds. Set the full amount first with a program of TigerTag."
        case .zeroIsUnknown: "0 stands for an unknown amount on a TigerTag. Give at least 1, or clear the amount."
        case .implausible(let full, let unit):
            failure + "a full spool holds \(full) \(unit). Give from 1 to \(full) \(unit)."
        case .notWeight(let unit): failure + "it counts in \(unit), not in grams. Give the amount in \(unit)."
        case .tooCoarse(let unit): failure + "it counts in whole \(unit). Give a multiple of that."
        }
    }
}

/// A unit in which amounts are measured.
struct TigerTagUnit: Sendable {
    /// The grams of one; nil if it is not a unit of weight.
    let grams: Double?
    /// What a spool or a bottle of 50 kg or 50 litres has at most, or the filament of one.
    let maximum: Int

    init?(_ name: TigerTagName) {
        switch name.name {
        case "mg": (grams, maximum) = (0.001, 50_000_000)
        case "g": (grams, maximum) = (1, 50_000)
        case "kg": (grams, maximum) = (1000, 50)
        case "ml": (grams, maximum) = (nil, 50_000)
        case "cl": (grams, maximum) = (nil, 5_000)
        case "L": (grams, maximum) = (nil, 50)
        case "mm": (grams, maximum) = (nil, 20_000_000)
        case "cm": (grams, maximum) = (nil, 2_000_000)
        case "m": (grams, maximum) = (nil, 20_000)
        case "m²", "m³": (grams, maximum) = (nil, 1_000)
        default: return nil
        }
    }
}

extension TigerTag {
    /// The page with the remaining amount. It is not signed.
    public static let remainingPageNumber = 23
    /// The bytes of the remaining amount in the memory.
    static let remainingPlace = remainingPageNumber * 4..<remainingPageNumber * 4 + 3

    /// An amount in grams; nil if ``unit`` is not one of weight.
    func grams(_ amount: Int) -> Double? {
        TigerTagUnit(unit)?.grams.map { $0 * Double(amount) }
    }

    /// The change of the tag to a remaining amount: one page, and only where all that the amount is checked against can be right.
    ///
    /// - Parameter amount: the amount in ``unit``; nil for unknown.
    public func edit(remainingAmount amount: Int?) throws(TigerTagEditError) -> SpoolPageEdit {
        guard !isInitOnly else { throw .notWritten }
        guard let amount else { return edit(number: 0) }
        let full = try checkedFullAmount()
        guard amount != 0 else { throw .zeroIsUnknown }
        guard (1...full).contains(amount) else { throw implausible }
        return edit(number: UInt32(amount))
    }

    /// The change of the tag to a remaining weight, rounded to a gram or to the unit of the tag if that is finer.
    public func edit(remainingGrams weight: Double) throws(TigerTagEditError) -> SpoolPageEdit {
        guard !isInitOnly else { throw .notWritten }
        let full = try checkedFullAmount()
        guard let grams = TigerTagUnit(unit)?.grams else { throw .notWeight(unit: "\(unit)") }
        let amount = (weight / grams).rounded()
        // A comparison with NaN is false.
        guard amount >= 0, amount <= Double(full) else { throw implausible }
        guard abs(amount * grams - weight) <= 0.5 else { throw .tooCoarse(unit: "\(unit)") }
        return try edit(remainingAmount: Int(amount))
    }

    private var implausible: TigerTagEditError { .implausible(full: fullAmount, unit: "\(unit)") }

    /// The full amount, if a spool can hold it.
    private func checkedFullAmount() throws(TigerTagEditError) -> Int {
        guard let limit = TigerTagUnit(unit)?.maximum, (1...limit).contains(fullAmount) else {
            throw .unknownFullAmount
        }
        return fullAmount
    }

    private func edit(number: UInt32) -> SpoolPageEdit {
        let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
        // The last byte of the page is reserved, and stays as it is.
        return SpoolPageEdit(page: Self.remainingPageNumber, old: remainingPage, new: bytes + remainingPage.suffix(1))
    }
}
