/// One byte of tag, one of length, the value, over and over: what drivers answer with. A length that runs over the end
/// ends the walk.
struct TagLengthValues: Sequence, IteratorProtocol {
    /// No driver says more; the rest of a longer answer is not looked at.
    static let longest = 4096

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes.prefix(Self.longest)
    }

    mutating func next() -> (tag: UInt8, value: [UInt8])? {
        guard let tag = rest.popFirst(), let length = rest.popFirst(), rest.count >= Int(length) else {
            rest = []
            return nil
        }
        defer { rest = rest.dropFirst(Int(length)) }
        return (tag, Array(rest.prefix(Int(length))))
    }
}
