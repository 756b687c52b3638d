/// A response packet taken apart: length, code and IDm are as they have to be; what follows is left to the command.
struct FeliCaResponse: Sendable, Hashable {
    /// What stands behind the IDm.
    let body: [UInt8]
    /// The system that answered.
    let identifier: FeliCaIdentifier

    /// Checks a packet, length byte included, against the command it answers.
    ///
    /// - Throws: ``TagError`` 102 for a packet that is none or answers something else, 100 when another card answered.
    init(_ frame: [UInt8], to command: FeliCaCommand) throws(TagError) {
        guard let length = frame.first, Int(length) == frame.count else {
            throw TagError(
                .tagResponseError, "a FeliCa packet of \(frame.count) bytes lies about its length", response: frame)
        }
        guard frame.dropFirst().first == command.code + 1,
            let identifier = FeliCaIdentifier(Array(frame.dropFirst(2).prefix(FeliCaIdentifier.size)))
        else {
            throw TagError(.tagResponseError, "the packet does not answer command \(command.code)", response: frame)
        }
        if let expected = command.identifier, expected != identifier {
            throw TagError(.tagConnectionLost, "card \(identifier) answered in place of \(expected)", response: frame)
        }
        self.identifier = identifier
        body = Array(frame.dropFirst(2 + FeliCaIdentifier.size))
    }
}

/// The answer to a polling.
public struct FeliCaPolled: Sendable, Hashable {
    /// IDm of the system.
    public let identifier: FeliCaIdentifier
    /// PMm.
    public let parameter: FeliCaManufactureParameter
    /// The 2 bytes that were asked for, where the card gave them.
    public let requestData: [UInt8]

    /// - Throws: ``TagError`` 102 for a length that no answer to a polling has.
    init(_ response: FeliCaResponse) throws(TagError) {
        let rest = Array(response.body.dropFirst(8))
        guard let parameter = FeliCaManufactureParameter(Array(response.body.prefix(8))), [0, 2].contains(rest.count)
        else { throw TagError(.tagResponseError, "an answer to Polling of wrong length", response: response.body) }
        identifier = response.identifier
        self.parameter = parameter
        requestData = rest
    }
}

extension FeliCaResponse {
    /// The status flags, and what follows them.
    ///
    /// - Throws: ``TagError`` 102 where there are none.
    func status() throws(TagError) -> (FeliCaStatus, rest: [UInt8]) {
        let flags = Array(body.prefix(2))
        guard flags.count == 2 else {
            throw TagError(.tagResponseError, "an answer without status flags", response: body)
        }
        return (FeliCaStatus(flag1: flags[0], flag2: flags[1]), Array(body.dropFirst(2)))
    }

    /// A number of entries and the entries, of 2 bytes each.
    ///
    /// - Throws: ``TagError`` 102 where the number lies, or is another than `count`.
    func pairs(count: Int? = nil) throws(TagError) -> [[UInt8]] {
        let rest = Array(body.dropFirst())
        guard let number = body.first, rest.count == Int(number) * 2, count == nil || count == Int(number) else {
            throw TagError(.tagResponseError, "a list that lies about its length", response: body)
        }
        return stride(from: 0, to: rest.count, by: 2).map { Array(rest[$0..<$0 + 2]) }
    }
}
