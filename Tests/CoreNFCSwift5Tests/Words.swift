import CoreNFC

/// A value in words: bytes and lists in brackets, the parts of a tuple or structure with spaces.
func words(_ value: Any) -> String {
    switch value {
    case let data as Data: "\(Array(data))"
    case let list as [Data]: "\(list.map(Array.init))"
    case let numbers as [NSNumber]: "\(numbers.map(\.intValue))"
    case let numbers as [Int]: "\(numbers)"
    case let flags as NFCISO15693ResponseFlag: "\(flags.rawValue)"
    case let number as Int: "\(number)"
    default: Mirror(reflecting: value).children.map { words($0.value) }.joined(separator: " ")
    }
}
