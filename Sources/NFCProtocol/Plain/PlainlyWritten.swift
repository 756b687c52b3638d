/// A result that clients wait for with every exchange, written without a coder: of numbers and hexadecimal digits nothing
/// needs escaping. A test compares it with what a coder writes.
protocol PlainlyWritten: Encodable {
    /// An object with sorted keys.
    var json: String { get }
}

extension ISO7816SendCommand.Result: PlainlyWritten {
    var json: String { #"{"data":"\#(data)","sw1":\#(sw1),"sw2":\#(sw2)}"# }
}

extension RawAnswer: PlainlyWritten {
    var json: String { #"{"data":"\#(data)"}"# }
}

extension ISO15693SendRequest.Result: PlainlyWritten {
    var json: String { #"{"data":"\#(data)","responseFlag":\#(responseFlag)}"# }
}
