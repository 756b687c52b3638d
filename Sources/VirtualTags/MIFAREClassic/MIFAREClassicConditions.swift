/// What a MIFARE Classic card is asked to do with a part of its memory.
enum MIFAREClassicOperation {
    case readData, writeData, increment, decrementTransferRestore
    case writeKeyA, readAccess, writeAccess, readKeyB, writeKeyB
}

/// The keys that are let through.
struct MIFAREClassicKeySet: OptionSet {
    let rawValue: Int
    static let a = MIFAREClassicKeySet(rawValue: 1)
    static let b = MIFAREClassicKeySet(rawValue: 2)
    static let ab: MIFAREClassicKeySet = [.a, .b]
}

/// The twelve bits C1 to C3 of a trailer, checked against their complements (MF1S50yyX data sheet, access conditions).
struct MIFAREClassicConditions {
    /// `C1 C2 C3` as a number, for blocks 0, 1, 2 or groups of five, then the trailer.
    private let values: [Int]

    /// Nil where a bit equals its complement.
    init?(_ bytes: some Collection<UInt8>) {
        let b = bytes.map { Int($0) }
        guard b.count == 3 else { return nil }
        var values: [Int] = []
        for n in 0..<4 {
            let c1 = b[1] >> (4 + n) & 1
            let c2 = b[2] >> n & 1
            let c3 = b[2] >> (4 + n) & 1
            let inverted = [b[0] >> n & 1, b[0] >> (4 + n) & 1, b[1] >> n & 1]
            guard zip([c1, c2, c3], inverted).allSatisfy({ $0 != $1 }) else { return nil }
            values.append(c1 * 4 + c2 * 2 + c3)
        }
        self.values = values
    }

    /// Key B is readable data then, and nothing can be done after an authentication with it.
    var isKeyBReadable: Bool { [0b000, 0b010, 0b001].contains(values[3]) }

    /// The keys for an operation on the block with this number in its sector.
    func keys(for operation: MIFAREClassicOperation, group: Int) -> MIFAREClassicKeySet {
        let condition = values[min(max(group, 0), 3)]
        let keys = group == 3 ? Self.trailer(condition, operation) : Self.data(condition, operation)
        return isKeyBReadable ? keys.intersection(.a) : keys
    }

    private static func data(_ condition: Int, _ operation: MIFAREClassicOperation) -> MIFAREClassicKeySet {
        switch (operation, condition) {
        case (_, 0b000): .ab
        case (.readData, 0b010), (.readData, 0b100), (.readData, 0b110), (.readData, 0b001): .ab
        case (.readData, 0b011), (.readData, 0b101): .b
        case (.writeData, 0b100), (.writeData, 0b110), (.writeData, 0b011): .b
        case (.increment, 0b110): .b
        case (.decrementTransferRestore, 0b110), (.decrementTransferRestore, 0b001): .ab
        default: []
        }
    }

    private static func trailer(_ condition: Int, _ operation: MIFAREClassicOperation) -> MIFAREClassicKeySet {
        switch (operation, condition) {
        case (.readAccess, 0b000), (.readAccess, 0b010), (.readAccess, 0b001): .a
        case (.readAccess, _): .ab
        case (.writeKeyA, 0b000), (.writeKeyA, 0b001), (.writeKeyB, 0b000), (.writeKeyB, 0b001): .a
        case (.writeKeyA, 0b100), (.writeKeyA, 0b011), (.writeKeyB, 0b100), (.writeKeyB, 0b011): .b
        case (.writeAccess, 0b001): .a
        case (.writeAccess, 0b011), (.writeAccess, 0b101): .b
        case (.readKeyB, 0b000), (.readKeyB, 0b010), (.readKeyB, 0b001): .a
        default: []
        }
    }
}
