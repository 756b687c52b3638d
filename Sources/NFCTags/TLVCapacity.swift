extension TLVArea {
    /// The largest NDEF message whose TLV can start at `offset`: with a length field of one byte up to 254, with three
    /// bytes above. A terminator is only written where there is room, so it is not counted.
    func messageCapacity(typeAt offset: Int) -> Int {
        let rest = count(from: offset)
        return max(0, min(rest - 2, 254), rest - 4)
    }
}
