import ISO7816

/// Finds the family of an unknown reader with a Type 2 tag in its field.
///
/// The methods that disturb the tag least come first. The result is valid for all readers with the same USB ids, firmware
/// and driver.
public struct ReaderProbe: Sendable {
    /// How readers of a family are recognized, in the order in which the methods are tried.
    enum Method: Sendable {
        /// A command that only the reader answers, and whether an answer is that of the family.
        case query([UInt8], isAnswer: @Sendable ([UInt8]) -> Bool)
        /// The native transport selects the tag again.
        case reselection
        /// READ of page 0 through the native transport. A reader of another family may pass the whole command to the tag.
        case readPage

        var rank: Int {
            switch self {
            case .query: 0
            case .reselection: 1
            case .readPage: 2
            }
        }
    }

    /// The result of a probe.
    public struct Finding: Sendable, Hashable {
        /// The family, generic if no family was recognized.
        public let profile: ReaderProfile
        /// Whether the tag may be mute now, so that the connection has to be reset.
        public let needsReset: Bool
    }

    private enum Outcome {
        case recognized
        /// The reader does not support the command, which did not reach the tag.
        case unsupported
        /// The command may have reached the tag.
        case refused
    }

    private let channel: any CardChannel

    /// A probe over a connection to the tag.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Tries the families one after another.
    ///
    /// - Throws: ``TagError`` 100, 202 or 203 if the tag, the reader or the connection is gone; the family stays unknown
    ///   then.
    public func run() async throws(TagError) -> Finding {
        var needsReset = false
        for (profile, method) in Self.candidates {
            switch try await outcome(method, profile) {
            case .recognized: return Finding(profile: profile, needsReset: needsReset)
            case .unsupported: break
            case .refused: needsReset = true
            }
        }
        return Finding(profile: .generic, needsReset: needsReset)
    }

    private static let candidates: [(ReaderProfile, Method)] =
        ReaderProfile.all.compactMap { profile in profile.probe.map { (profile, $0) } }
        .sorted { $0.1.rank < $1.1.rank }

    private func outcome(_ method: Method, _ profile: ReaderProfile) async throws(TagError) -> Outcome {
        do throws(TagError) {
            switch method {
            case .query(let command, let isAnswer):
                return isAnswer(try await send(command)) ? .recognized : .unsupported
            case .reselection:
                return try await profile.nativeChannel(over: channel)?.reactivate() == true ? .recognized : .unsupported
            case .readPage:
                let page = try await profile.nativeChannel(over: channel)?.transceive([0x30, 0x00])
                return page?.count == 16 ? .recognized : .refused
            }
        } catch {
            guard error.code == .tagResponseError else { throw error }
            guard case .readPage = method, error.statusWord?.isUnknownCommand != true else { return .unsupported }
            return .refused
        }
    }

    private func send(_ command: [UInt8]) async throws(TagError) -> [UInt8] {
        do throws(CardChannelError) {
            return try await channel.transmit(command)
        } catch {
            throw TagError(error.code, "no answer to \(CommandText.apdu(command)): \(error)")
        }
    }
}
