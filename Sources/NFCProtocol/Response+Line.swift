public import FoundationEssentials

// Put together by hand, with sorted keys as everywhere: a coder could not write a number as the client wrote it.

extension Response {
    /// The answer as one line, with its newline.
    public func line() throws -> Data {
        if case .success(.integer(let id), let result) = self, let result = result as? any PlainlyWritten {
            return Data(#"{"id":\#(id),"jsonrpc":"2.0","result":\#(result.json)}\#n"#.utf8)
        }
        var line = Data()
        try append(to: &line)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The answers to a batch as one line, with its newline.
    public static func line(_ batch: [Response]) throws -> Data {
        var line = Data()
        for response in batch {
            line.append(UInt8(ascii: line.isEmpty ? "[" : ","))
            try response.append(to: &line)
        }
        line.append(contentsOf: "]\n".utf8)
        return line
    }

    private func append(to line: inout Data) throws {
        switch self {
        case .success(let id, let result):
            line.append(contentsOf: #"{"id":"#.utf8)
            line.append(try id.json())
            line.append(contentsOf: #","jsonrpc":"2.0","result":"#.utf8)
            line.append(try JSONLine.json(result))
        case .failure(let id, let error):
            line.append(contentsOf: #"{"error":"#.utf8)
            line.append(try JSONLine.json(error))
            line.append(contentsOf: #","id":"#.utf8)
            line.append(try id.json())
            line.append(contentsOf: #","jsonrpc":"2.0""#.utf8)
        }
        line.append(UInt8(ascii: "}"))
    }
}

extension RequestID {
    fileprivate func json() throws -> Data {
        switch self {
        case .integer(let number): Data("\(number)".utf8)
        case .literal(let number): Data(number.utf8)
        case .string, .fraction, .null: try JSONLine.json(self)
        }
    }
}
