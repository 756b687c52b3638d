import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl transceive`: frames of one's own to one tag.
struct TransceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transceive",
        abstract: "Send frames of the next tag's own command set and show what it answers.",
        discussion: """
            The frames go one after another in one session, as they are: to MIFARE and NTAG without CRC; to FeliCa from the \
            command code on, without length byte and CRC; to ISO 15693 from the flags byte on, without CRC. The kind is \
            that of the tag; --felica and --iso15693 refuse any other. The reader has to let frames pass. It stops at the \
            first that is not answered, unless --keep-going is given. Cards of ISO 7816 take nfcctl apdu.

            Examples:
              nfcctl transceive 60 3C00                        version and signature of an NTAG
              nfcctl transceive --iso15693 022B                system information
            """)

    @Argument(help: "The frames in hexadecimal; spaces and colons do not matter.")
    var frames: [String]

    @Flag(help: "Only to FeliCa cards.")
    var felica = false

    @Flag(help: "Only to ISO 15693 tags.")
    var iso15693 = false

    @Flag(help: "Go on after a frame that was not answered.")
    var keepGoing = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        if felica, iso15693 { throw ValidationError("--felica and --iso15693: a tag is one or the other") }
        for frame in frames where HexBytes(typed: frame) == nil {
            throw ValidationError("\(frame): a frame is an even number of hexadecimal digits, at least two")
        }
        if iso15693, let short = frames.first(where: { (HexBytes(typed: $0)?.bytes.count ?? 0) < 2 }) {
            throw ValidationError("\(short): a request begins with flags byte and command code")
        }
    }

    func run() async throws {
        let (frames, keepGoing, json) = (frames.compactMap { HexBytes(typed: $0) }, keepGoing, options.json)
        let wanted: RawFrame.Kind? = felica ? .feliCa : iso15693 ? .iso15693 : nil
        try await TagErrand(options: options, kind: .tag).run { tag in
            let kind = wanted ?? RawFrame.Kind(tag.tag.type)
            for frame in frames {
                let exchange: RawExchange
                do {
                    exchange = RawExchange(
                        command: frame, data: try await RawFrame(kind: kind, bytes: frame.bytes).send(to: tag))
                } catch NFCClientError.refused(let error) where keepGoing && error.nfcCode == .tagResponseError {
                    exchange = RawExchange(command: frame, data: nil, error: error.data?.detail ?? error.message)
                }
                exchange.show(tag, json: json)
            }
        }
    }
}

/// A frame of a tag's own command set.
struct RawFrame {
    /// How it travels.
    enum Kind {
        case miFare, feliCa, iso15693

        /// What a tag of this type takes.
        init(_ type: TagType) {
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
            Terminal.print(json: TagEvent(event: "answer", tag: tag.tag, extra: self))
        } else {
            Terminal.print("> \(command)\n\(data.map { "< \($0)" } ?? "! \((error ?? "no answer").escaped)")")
        }
    }
}
