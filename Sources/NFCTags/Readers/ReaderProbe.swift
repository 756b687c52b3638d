import ISO7816

/// Finds out how an unknown reader lets frames pass, with a Type 2 tag on it.
///
/// What harms least is tried first: what the reader says about itself, a transparent session, and last a READ of page 0,
/// which every Type 2 tag answers. What was found is worth remembering for the reader's USB numbers, firmware and driver.
public struct ReaderProbe: Sendable {
    /// What probing came to.
    public struct Finding: Sendable, Hashable {
        /// What the reader can do.
        public let profile: ReaderProfile
        /// Whether the tag may be mute now, so that the connection has to be reset.
        public let needsReset: Bool
    }

    /// What a reader made of a pseudo-APDU.
    private enum Outcome {
        case known
        /// The reader does not have it; no tag has seen anything.
        case unknown
        /// It may have reached the tag.
        case refused
    }

    private let channel: any CardChannel

    /// A probe over a connection to the tag.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Tries the known ways.
    ///
    /// - Throws: ``TagError`` 100, 202 or 203 when tag, reader or connection are gone; that says nothing about the reader.
    public func run() async throws(TagError) -> Finding {
        if try await isPN53x() { return Finding(profile: .acr122, needsReset: false) }
        if try await isIdentiv() { return Finding(profile: .identiv, needsReset: false) }
        if try await hasSessions() { return Finding(profile: .acr1552, needsReset: false) }
        var needsReset = false
        for profile in [ReaderProfile.acr125x, .omnikey5321] {
            switch try await readsPages(profile) {
            case .known: return Finding(profile: profile, needsReset: needsReset)
            case .unknown: break
            case .refused: needsReset = true
            }
        }
        return Finding(profile: .generic, needsReset: needsReset)
    }

    /// `FF 00 48 00 00` answers with the firmware's name in ASCII and no status word.
    private func isPN53x() async throws(TagError) -> Bool {
        let command = CommandAPDU(cla: 0xFF, ins: 0x00, p1: 0x48, p2: 0x00, le: 0)
        do throws(CardChannelError) {
            return try await channel.transmit(command.bytes).starts(with: Array("ACR122".utf8))
        } catch {
            guard error.code == .tagResponseError else {
                throw TagError(error.code, "no answer to \(command): \(error)")
            }
            return false
        }
    }

    /// `FF CC 00 00 01 1E 00`: what the reader is, ten bytes and a serial number of the length in the last of them (uTrust
    /// 4701 F reference manual, 6.1.3 and 6.3.3.5).
    private func isIdentiv() async throws(TagError) -> Bool {
        let command = try CommandAPDU.native(ins: 0xCC, p1: 0, p2: 0, [0x1E], limit: 1, expectedLength: 256)
        do throws(TagError) {
            let response = try await channel.exchange(command)
            guard response.statusWord.isSuccess, let length = response.data.dropFirst(9).first else { return false }
            return response.data.count == 10 + Int(length)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return false
        }
    }

    private func hasSessions() async throws(TagError) -> Bool {
        do throws(TagError) {
            return try await TransparentChannel(channel: channel).reactivate()
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return false
        }
    }

    /// READ of page 0 by the way of a profile.
    private func readsPages(_ profile: ReaderProfile) async throws(TagError) -> Outcome {
        guard let native = profile.nativeChannel(over: channel) else { return .unknown }
        do throws(TagError) {
            return try await native.transceive([0x30, 0x00]).count == 16 ? .known : .refused
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return error.statusWord?.isUnknownCommand == true ? .unknown : .refused
        }
    }
}
