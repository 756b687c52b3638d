import ISO7816

extension NativeChannel {
    /// Sends one request of ISO/IEC 15693 and returns what stands behind the flags of the answer.
    ///
    /// - Throws: ``TagError`` 102 where the tag refuses or answers without flags, and as
    ///   ``NativeChannel/transceive(_:)`` does. A refusal carries 64xx with the error code in place of a status word.
    public func perform(
        _ request: ISO15693Request, target: ISO15693Request.Target = .any,
        flags: ISO15693Request.Flags = .highDataRate
    ) async throws(TagError) -> [UInt8] {
        let answer = try await transceive(request.frame(to: target, flags: flags))
        return try request.content(of: answer)
    }

    /// Sends requests one after another, with nothing in between, and returns the same for each of them.
    ///
    /// All of them are sent, whatever the tag says to one, so they have to be such as change nothing.
    func perform(
        inTurn requests: [ISO15693Request], target: ISO15693Request.Target
    ) async throws(TagError) -> [[UInt8]] {
        let answers = try await transceive(inTurn: requests.map { $0.frame(to: target) })
        var contents: [[UInt8]] = []
        for (request, answer) in zip(requests, answers) { contents.append(try request.content(of: answer)) }
        return contents
    }
}

extension ISO15693Request {
    /// What stands behind the flags of an answer.
    fileprivate func content(of answer: [UInt8]) throws(TagError) -> [UInt8] {
        let command = Hexadecimal.string(code)
        switch ISO15693Response(answer) {
        case .content(let content): return content
        case .error(let code):
            throw TagError(
                .tagResponseError, "command \(command): \(code)", response: answer, statusWord: .refusal(code))
        case nil:
            throw TagError(.tagResponseError, "command \(command) was answered without flags", response: answer)
        }
    }
}

extension StatusWord {
    /// 64xx, execution error with nothing changed (ISO/IEC 7816-4), for a refusal that came without a status word.
    fileprivate static func refusal(_ code: ISO15693ErrorCode) -> StatusWord {
        StatusWord(sw1: 0x64, sw2: code.rawValue)
    }
}
