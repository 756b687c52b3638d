import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl transceive`: sends raw frames to a tag.
struct TransceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transceive",
        abstract: "Send raw frames to the next tag and print the answers.",
        discussion: """
            The frames are sent unchanged, in order, in one session. Give MIFARE and NTAG frames without the CRC; FeliCa \
            frames from the command code on, without length byte and CRC; ISO 15693 frames from the flags byte on, without \
            the CRC. The type of the tag selects the kind of frame; --felica and --iso15693 require that type. The reader \
            must support raw frames. It stops at the first frame without an answer, unless --keep-going is given. For ISO \
            7816 cards, use nfcctl apdu.

            An ACK of an NTAG or Ultralight is 0A. Where the reader hides it (ACR122U, ACR1252U), a WRITE is verified by \
            reading the page back.

            Examples:
              nfcctl transceive 60 3C00                 version and signature of an NTAG
              nfcctl transceive --iso15693 022B         system information
            """)

    @Argument(help: "The frames in hexadecimal; spaces and colons are ignored.")
    var frames: [String]

    @Flag(help: "Require a FeliCa card.")
    var felica = false

    @Flag(help: "Require an ISO 15693 tag.")
    var iso15693 = false

    @Flag(help: "Continue after a frame without an answer.")
    var keepGoing = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        if felica, iso15693 { throw ValidationError("--felica and --iso15693 cannot be combined; give one of them") }
        for frame in frames where HexBytes(typed: frame) == nil {
            throw ValidationError("\(frame) is not a frame: give at least one byte in hexadecimal")
        }
        if iso15693, let short = frames.first(where: { (HexBytes(typed: $0)?.bytes.count ?? 0) < 2 }) {
            throw ValidationError("\(short) is too short: a request begins with the flags byte and the command code")
        }
    }

    func run() async throws {
        let (frames, keepGoing, json) = (frames.compactMap { HexBytes(typed: $0) }, keepGoing, options.json)
        let requiredKind: RawFrame.Kind? = felica ? .feliCa : iso15693 ? .iso15693 : nil
        try await TagOperation(options: options, kind: .tag).run { tag in
            let kind = requiredKind ?? RawFrame.Kind(tag.facts.type)
            for frame in frames {
                let exchange: RawExchange
                do {
                    exchange = RawExchange(
                        command: frame, data: try await RawFrame(kind: kind, bytes: frame.bytes).send(to: tag))
                } catch let error as NFCClientError where keepGoing && error.nfcCode == .tagResponseError {
                    exchange = RawExchange(command: frame, data: nil, error: error.detail ?? "\(error)")
                }
                exchange.show(tag, json: json)
            }
        }
    }
}

/// A raw frame.
struct RawFrame {
    /// The command set.
    enum Kind {
        case miFare, feliCa, iso15693

        /// The command set of a tag type.
        init(_ type: TagType) {
            switch type {
            case .feliCa: self = .feliCa
            case .iso15693: self = .iso15693
            // The daemon rejects frames to other types, with a message that names the type.
            case .miFare, .iso7816, .unknown: self = .miFare
            }
        }
    }

    let kind: Kind
    let bytes: [UInt8]

    /// Sends the frame and returns the answer.
    func send(to tag: RemoteTag) async throws -> HexBytes {
        switch kind {
        case .miFare: HexBytes(try await tag.miFare.sendCommand(bytes))
        case .feliCa: HexBytes(try await tag.feliCa.sendCommand(bytes))
        case .iso15693: try await request(tag)
        }
    }

    private func request(_ tag: RemoteTag) async throws -> HexBytes {
        guard let flags = bytes.first, let code = bytes.dropFirst().first else {
            throw NFCClientError.refused(
                .invalidParameters("a request begins with the flags byte and the command code", path: "frame"))
        }
        let answer = try await tag.iso15693.sendRequest(
            requestFlags: flags, commandCode: code, data: Array(bytes.dropFirst(2)))
        return HexBytes([answer.responseFlag] + answer.data.bytes)
    }
}

/// A frame and its answer.
struct RawExchange: Encodable {
    let command: HexBytes
    /// Nil if there was no answer.
    let data: HexBytes?
    var error: String?

    func show(_ tag: RemoteTag, json: Bool) {
        if json {
            Terminal.print(json: TagEvent(event: "answer", tag: tag.facts, extra: self))
        } else {
            Terminal.print("> \(command)\n\(data.map { "< \($0)" } ?? "! \((error ?? "no answer").escaped)")")
        }
    }
}
