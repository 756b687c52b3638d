import NFCProtocol

/// A list of hexadecimal texts as nfcd takes it: each once, in its order; what is none of them is left out, with a line on
/// standard error.
struct HexList {
    private(set) var bytes: [HexBytes] = []

    /// - Parameters:
    ///   - wanted: what a session wants; empty for everything that is declared.
    ///   - declared: what the program declares; nil where it declares nothing, and then everything may be wanted.
    ///   - lengths: the lengths in bytes that an entry may have.
    init(
        _ wanted: [String], within declared: [String]?, lengths: ClosedRange<Int>,
        isAllowed: ([UInt8]) -> Bool = { _ in true }
    ) {
        func read(_ texts: [String]) -> [HexBytes] {
            texts.compactMap { text in
                let entry = HexBytes(text).flatMap {
                    lengths.contains($0.bytes.count) && isAllowed($0.bytes) ? $0 : nil
                }
                if entry == nil { Log.once("\"\(text)\" is no entry for this list, and is left out") }
                return entry
            }
        }
        let known = declared.map { Set(read($0)) }
        var seen: Set<HexBytes> = []
        for entry in read(wanted.isEmpty ? declared ?? [] : wanted) where seen.insert(entry).inserted {
            if known?.contains(entry) ?? true {
                bytes.append(entry)
            } else {
                Log.once("\(entry) is not declared in Info.plist, and is left out")
            }
        }
    }
}
