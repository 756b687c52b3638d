/// Bytes of a string of hexadecimal digits; spaces are allowed, anything else gives no bytes.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
    guard digits.count.isMultiple(of: 2) else { return [] }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
