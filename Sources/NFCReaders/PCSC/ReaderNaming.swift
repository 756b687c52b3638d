/// What a pcsc-lite reader name tells: `<driver name> [<interface>] (<serial>) <index> <slot>`.
///
/// The index depends on the order of plugging, so it is no part of an identity.
struct ReaderNaming: Hashable {
    /// The name without index and slot.
    let base: String
    /// The slot of the reader, 0 for most.
    let slot: Int
    /// The part in the last parentheses, where the driver gives a serial number.
    let serial: String?

    init(_ name: String) {
        let words = name.split(separator: " ")
        let numbers = words.suffix(2).map { $0.count == 2 ? Int($0, radix: 16) : nil }
        if words.count > 2, numbers.count == 2, numbers[0] != nil, let slot = numbers[1] {
            base = words.dropLast(2).joined(separator: " ")
            self.slot = slot
        } else {
            base = name
            slot = 0
        }
        serial = Self.parenthesised(base)
    }

    /// A secure access module's slot, listed by pcscd as if it were a reader.
    var isSecureAccessModule: Bool {
        base.split { !$0.isLetter }.contains("SAM")
    }

    /// Lower-case words joined by dashes, then the slot: `acs-acr122u-picc-interface-0`.
    var slug: String {
        let words = base.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return (words.isEmpty ? ["reader"] : words).joined(separator: "-") + "-\(slot)"
    }

    private static func parenthesised(_ text: String) -> String? {
        guard let open = text.lastIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else { return nil }
        let inside = text[text.index(after: open)..<close]
        return inside.isEmpty ? nil : String(inside)
    }
}
