/// The bytes of a string of hexadecimal digits. Other characters, such as spaces, are skipped; an odd number of digits gives no
/// bytes.
package func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count.isMultiple(of: 2) else { return [] }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The bytes as upper-case hexadecimal digits without spaces.
package func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}
