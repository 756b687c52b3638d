public import NFCTypes

/// The counter of a message that a tag wrote: it counts once, and only if it is above every earlier one of its line.
public struct CounterClaim: Sendable, Hashable {
    /// What the counter belongs to: 16 bytes that follow from the UID, the name of the key and its version. A tag whose key is replaced
    /// begins another line.
    public var line: [UInt8]
    /// The counter, 24 bits (NT4H2421Gx, §9.3.1).
    public var value: Int64

    /// A claim.
    public init(line: [UInt8], value: Int64) {
        self.line = line
        self.value = value
    }
}

/// What is stored of a line of counters.
public struct StoredCounter: Sendable, Hashable {
    /// The highest counter that was seen.
    public var highest: Int64
    /// Whether it was seen since the counters were last lost or restored.
    public var isCurrent: Bool

    /// A line.
    public init(highest: Int64, isCurrent: Bool) {
        self.highest = highest
        self.isCurrent = isCurrent
    }
}

extension TapProof {
    /// Whether the message was right, so that its counter decides.
    public var isCounted: Bool { status == .proven || status == .tamperOpen }

    /// The proof after its counter was compared.
    ///
    /// A gap is normal: phones and other readers count too. Only a counter that is not above the highest is a replay.
    ///
    /// - Parameters:
    ///   - claim: its counter.
    ///   - line: what is stored; nil if no counter of the line was seen.
    ///   - wereCountersLost: whether counters of this machine were lost or restored at any time.
    public func settled(_ claim: CounterClaim, against line: StoredCounter?, wereCountersLost: Bool) -> TapProof {
        guard isCounted else { return self }
        var proof = self
        proof.previousCounter = line.map { Int($0.highest) }
        if let line, claim.value <= line.highest {
            proof.status = .replayed
            proof.scope = nil
            proof.reason =
                "the counter \(claim.value) is not above \(line.highest), which was seen before: the message is a copy"
        } else if proof.status == .proven {
            let isLimited = wereCountersLost && line?.isCurrent != true
            proof.scope = isLimited ? .limited : .thisMachine
        }
        return proof
    }
}
