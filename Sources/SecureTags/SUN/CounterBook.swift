/// One tag with one key: counters are compared within it.
public struct CounterLine: Sendable, Hashable, Codable {
    /// 7 bytes.
    public let uid: [UInt8]
    /// The profile that verified the message: the same tag under another profile has other counters.
    public let profile: String
    /// The version of the key: with a new key, the counter begins again, and messages with the old key stay refused.
    public let keyVersion: UInt8

    /// A line.
    public init(uid: [UInt8], profile: String, keyVersion: UInt8) {
        self.uid = uid
        self.profile = profile
        self.keyVersion = keyVersion
    }
}

/// What knows the highest counters seen.
public protocol CounterRule {
    /// The highest counter that was accepted; nil for a tag that was not seen yet.
    func highestCounter(of line: CounterLine) -> UInt32?
}

/// The highest counters seen: a counter that is not above that of its line is a replay; a gap is normal.
///
/// A value without I/O. Whoever keeps it stores it durably before a success is shown.
public struct CounterBook: CounterRule, Sendable, Equatable {
    /// The highest counter of each line.
    public private(set) var lines: [CounterLine: UInt32]

    /// A book of lines, by default without any.
    public init(lines: [CounterLine: UInt32] = [:]) { self.lines = lines }

    /// The highest counter that was recorded; nil for a new line.
    public func highestCounter(of line: CounterLine) -> UInt32? { lines[line] }

    /// Records a counter; the first one of a line may have any value.
    ///
    /// - Returns: false for a replay, which changes nothing.
    public mutating func record(_ counter: UInt32, of line: CounterLine) -> Bool {
        if let highest = lines[line], counter <= highest { return false }
        lines[line] = counter
        return true
    }

    /// Records the counter of a verified message.
    ///
    /// - Returns: false for a message that was not verified, or whose counter was used meanwhile.
    public mutating func record(_ proof: SUNProof) -> Bool {
        guard proof.usesCounter, let line = proof.line, let counter = proof.counter else { return false }
        return record(counter, of: line)
    }

    /// Takes over what another machine has seen: the higher counter of each line.
    public mutating func merge(_ other: CounterBook) {
        lines.merge(other.lines) { max($0, $1) }
    }
}
