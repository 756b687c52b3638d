/// A request of the plainest kind, which nearly all are: on one level, with nothing to unescape. Reading it takes a fraction
/// of what a general coder takes.
///
/// What is not plain, or not right, is no `PlainRequest`: then the general coder reads the line, and tells what is wrong.
package struct PlainRequest {
    /// Nil: a notification.
    package let id: RequestID?
    /// The name of the method.
    package let method: String
    private let parameters: PlainObject

    /// Reads a line. Nil: it is not plain.
    package init?(_ line: [UInt8]) {
        guard let request = PlainScanner.object(line), request["jsonrpc"] == .text("2.0"),
            case .text(let method) = request["method"], let parameters = request.inner(named: "params"),
            request.hasOnly(["jsonrpc", "id", "method", "params"])
        else { return nil }
        switch request["id"] {
        case nil: id = nil
        case .text(let text): id = .string(text)
        case .number(let number): id = .integer(number)
        default: return nil
        }
        self.method = method
        self.parameters = parameters
    }

    /// The parameters.
    ///
    /// - Throws: where they are not what the type asks for, or the type asks for more than plain values.
    package func decode<Parameters: Decodable>(_ type: Parameters.Type) throws -> Parameters {
        try type.init(from: PlainDecoder(.object(parameters)))
    }
}
