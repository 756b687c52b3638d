/// Formats that are not open: on MIFARE Classic 1K, under keys that are not public. All that can be known of such a spool is its UID,
/// which is what Spoolman needs.
public enum ClosedSpoolFormat: String, Sendable, Hashable, CaseIterable {
    /// Bambu Lab: all keys follow from the UID. A spool has two tags with different UIDs.
    case bambu
    /// Creality: the key of sector 1 follows from the UID, and its content is encrypted.
    case creality
    /// Snapmaker: all keys follow from the UID.
    case snapmaker

    /// The vendor.
    public var name: String {
        switch self {
        case .bambu: "Bambu Lab"
        case .creality: "Creality"
        case .snapmaker: "Snapmaker"
        }
    }

    /// A clause about a card that may have one of these formats: any other card whose keys are not public looks the same.
    public static func remark(_ formats: [ClosedSpoolFormat]) -> String {
        "as on filament tags of \(formats.map(\.name).joined(separator: " and ")), and on other cards whose keys are not public"
    }

    /// The formats that a memory, read with the keys of tags as delivered, may have. None of them is recognised: any other card with keys of
    /// its owner looks the same.
    public static func candidates(for memory: SpoolMemory) -> [ClosedSpoolFormat] {
        let isClosed = { (sectors: Range<Int>) in
            !memory.hasBytes(in: sectors.lowerBound * 64..<sectors.upperBound * 64)
        }
        guard memory.layout == .mifareClassic, isClosed(1..<2) else { return [] }
        return isClosed(0..<16) ? [.bambu, .snapmaker] : memory[8 * 64, count: 48] == nil ? [] : [.creality]
    }
}
