import ISO7816

/// Finds out how an unknown reader lets frames pass, with a Type 2 tag on it.
///
/// What harms least is tried first: the firmware name of the ACR122U family, a transparent session, and last a
/// GET_VERSION to the tag itself. A tag without that command is mute afterwards, so probing comes before anything that
/// matters. What was found is worth remembering for the reader's USB numbers, firmware and driver.
public struct ReaderProbe: Sendable {
    /// What probing came to.
    public struct Finding: Sendable, Hashable {
        /// What the reader can do.
        public let profile: ReaderProfile
        /// Whether the tag may be mute now, so that the connection has to be reset.
        public let needsReset: Bool
    }

    private let channel: any CardChannel

    /// A probe over a connection to the tag.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Tries the known ways.
    ///
    /// - Throws: ``TagError`` 100, 202 or 203 when tag, reader or connection are gone; that says nothing about the reader.
    public func run() async throws(TagError) -> Finding {
        if try await isPN53x() { return Finding(profile: .acr122, needsReset: false) }
        if try await hasSessions() { return Finding(profile: .acr1552, needsReset: false) }
        do throws(TagError) {
            let version = try await DirectChannel(channel: channel).transceive([0x60])
            guard version.count == 8 else { return Finding(profile: .generic, needsReset: true) }
            return Finding(profile: .acr125x, needsReset: false)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return Finding(profile: .generic, needsReset: true)
        }
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

    private func hasSessions() async throws(TagError) -> Bool {
        do throws(TagError) {
            return try await TransparentChannel(channel: channel).reactivate()
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return false
        }
    }
}
