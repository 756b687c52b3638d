extension Type2Tag {
    /// The largest value of a 24-bit counter.
    static let counterLimit: UInt32 = 0xFF_FFFF

    /// READ_CNT: three bytes, least significant first (NTAG213/215/216 data sheet, §10.6).
    func readCounter(_ number: Int) -> TagAnswer {
        guard let value = counter(number), isCounterReadable else { return Self.refusal }
        return .data([0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    /// INCR_CNT: adds three bytes, least significant first; the fourth is ignored (MF0ULx1 data sheet).
    ///
    /// A sum beyond 24 bits is refused and changes nothing.
    mutating func incrementCounter(_ number: Int, by bytes: [UInt8]) -> TagAnswer {
        guard let value = counter(number) else { return Self.refusal }
        let sum = value + bytes.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        guard sum <= Self.counterLimit else { return Self.limitReached }
        setCounter(number, to: sum)
        return .ack
    }

    /// CHECK_TEARING_EVENT: BD, as no increment was torn (MF0ULx1 data sheet).
    func checkTearingEvent(_ number: Int) -> TagAnswer {
        counter(number) == nil ? Self.refusal : .data([0xBD])
    }

    /// The value of a counter the product has.
    func counter(_ number: Int) -> UInt32? {
        product.counterNumbers.contains(number) ? counters.dropFirst(number).first : nil
    }

    mutating func setCounter(_ number: Int, to value: UInt32) {
        guard counters.indices.contains(number) else { return }
        counters[number] = value
    }

    private var isCounterReadable: Bool {
        guard product.features.contains(.nfcCounter) else { return true }
        return configuration.countsReads && (!configuration.protectsCounter || state == .authenticated)
    }
}
