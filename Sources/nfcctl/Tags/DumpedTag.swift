import ArgumentParser
import NDEF
import NFCTags
import NFCTypes
import VirtualTags

/// A dump file, to be restored to a tag.
struct DumpedTag {
    /// The name of the file in messages.
    let name: String
    /// What the file holds.
    let image: TagImage

    /// Reads a file of any format that `nfcctl dump` writes.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 66 if the file cannot be read, 65 if it is no dump.
    init(path: String) throws {
        let input = InputFile(path: path)
        name = input.name
        let content = try input.read(limit: TagImage.largestFile)
        do throws(DumpError) {
            image = try TagImage(dump: content)
        } catch {
            Terminal.error("nfcctl: \(name): \(error)")
            throw ExitCode.badData
        }
    }

    /// The message in the file, read from a virtual tag as it would be read from the tag itself.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, if there is none, or a byte of it is missing.
    func message() async throws -> NDEFMessage {
        do {
            // A byte that is missing in the file differs between the two.
            let found = try await message(filler: 0x00)
            guard try await message(filler: 0xFF) == found else { throw DumpFault("a part of the message is missing") }
            return found.isEmpty ? NDEFMessage() : try NDEFMessage(decoding: found)
        } catch {
            Terminal.error("nfcctl: cannot restore the message of \(name): \("\(error)".printable)")
            throw ExitCode.badData
        }
    }

    private func message(filler: UInt8) async throws -> [UInt8] {
        let (card, profile) = try Self.reader(for: image.makeTag(filler: filler))
        let identity = try await identify(atr: card.answerToReset, channel: CardInMemory(card))
        let result = try await readNDEF(from: identity, channel: CardInMemory(card), profile: profile)
        if let reason = result.reason { throw DumpFault(reason) }
        return result.message ?? []
    }

    /// A virtual reader that supports the tag, and how it is used.
    private static func reader(for tag: any VirtualTag) throws -> (any VirtualCard, ReaderProfile) {
        for model in VirtualReaderModel.all {
            if let card = model.card(tag), let profile = ReaderProfile.named(model.name) { return (card, profile) }
        }
        throw DumpFault("no virtual reader supports this tag")
    }
}

/// What is wrong with a dump.
struct DumpFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A virtual card as the drivers of tags use it.
private struct CardInMemory: CardChannel {
    private let card: any VirtualCard

    init(_ card: any VirtualCard) {
        self.card = card
        card.powerOn()
    }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] { card.transmit(command) }
}
