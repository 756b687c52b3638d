import NDEF
import NFCClient
import NFCProtocol

/// A frame of a tag's own command set.
struct RawFrame {
    /// How it travels.
    enum Kind {
        case miFare, feliCa, iso15693

        /// What a tag of this type takes.
        init(_ type: WireTagType) {
            switch type {
            case .feliCa: self = .feliCa
            case .iso15693: self = .iso15693
            // What takes no frames is refused by the daemon, in words that name the tag's type.
            case .miFare, .iso7816, .unknown: self = .miFare
            }
        }
    }

    let kind: Kind
    let bytes: [UInt8]

    /// The whole answer.
    func send(to tag: ConnectedTag) async throws -> HexBytes {
        let (session, name) = (tag.session, tag.tag.tag)
        switch kind {
        case .miFare:
            return try await tag.client.call(
                MiFareSendCommand.self, .init(session: session, tag: name, command: HexBytes(bytes))
            ).data
        case .feliCa:
            return try await tag.client.call(
                FeliCaSendCommand.self, .init(session: session, tag: name, packet: HexBytes(bytes))
            ).data
        case .iso15693:
            return try await request(tag)
        }
    }

    private func request(_ tag: ConnectedTag) async throws -> HexBytes {
        guard let flags = bytes.first, let code = bytes.dropFirst().first else {
            throw NFCClientError.refused(
                .invalidParameters("a request begins with flags byte and command code", path: "frame"))
        }
        let answer = try await tag.client.call(
            ISO15693SendRequest.self,
            .init(
                session: tag.session, tag: tag.tag.tag, requestFlags: flags, commandCode: code,
                data: HexBytes(Array(bytes.dropFirst(2)))))
        return HexBytes([answer.responseFlag] + answer.data.bytes)
    }
}

/// A frame and what came of it.
struct RawExchange: Encodable {
    let command: HexBytes
    /// Absent where there was no answer.
    let data: HexBytes?
    var error: String?

    func show(_ tag: ConnectedTag, json: Bool) {
        if json {
            Terminal.print(json: TagReport(event: "answer", tag: tag.tag, extra: self))
        } else {
            Terminal.print("> \(command)\n\(data.map { "< \($0)" } ?? "! \((error ?? "no answer").escaped)")")
        }
    }
}
