import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
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
    /// - Throws: `ExitCode`, after printing the reason: 66 if the file cannot be read, 65 if it is not a dump.
    init(path: String) throws {
        let input = InputFile(path: path)
        name = input.name
        let content = try input.read(limit: TagImage.largestFile)
        do throws(DumpError) {
            let file = try TagImage.read(dump: content)
            image = file.image
            for warning in file.warnings { Terminal.error("nfcctl: warning: \(name): \(warning)") }
        } catch {
            Terminal.error("nfcctl: \(name): \(error)")
            throw ExitCode.badData
        }
    }

    /// The message in the file, read from a virtual tag that needs no password and no key: the file holds the bytes, whatever the
    /// tag would ask for.
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
        let (card, profile) = try Self.reader(for: image.makeOpenTag(filler: filler))
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

extension DumpedTag {
    /// A page or a block.
    var unit: String { image.kind == .type2 ? "page" : "block" }

    /// Checks that the file is of a kind of tag whose memory can be written.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason.
    func checkMemory() throws {
        guard image.kind != .type2, image.kind != .iso15693 else { return }
        throw refusal(
            "nfcd writes the memory of Type 2 and ISO/IEC 15693 tags only; restore the message, without --memory")
    }

    /// All blocks that hold data, for a tag with the same memory.
    ///
    /// - Parameter target: what is on the tag.
    /// - Throws: `ExitCode` 65, after printing the reason: another memory, or a block that is missing in the file.
    func blocks(for target: TagDump, of tag: RemoteTag) throws -> [TagWriteMemory.Block] {
        do {
            let present = try TagImage(target, identifier: tag.identifier)
            guard present.kind == image.kind, present.unitSize == image.unitSize, present.unitCount == image.unitCount
            else {
                throw DumpFault(
                    "it has \(image.unitCount) \(unit)s of \(image.unitSize) bytes, \(tag.summary) has \(present.unitCount) of \(present.unitSize); use a tag of the same product, or restore the message"
                )
            }
            if image.kind == .type2 { try checkContainer(present) }
            return try target.sections.flatMap(\.blocks).filter(holdsData).map { block in
                guard let bytes = image.unit(block.number) else {
                    throw DumpFault("\(unit) \(block.number) is missing; restore the message")
                }
                return TagWriteMemory.Block(number: block.number, bytes: HexBytes(bytes))
            }
        } catch {
            throw refusal("\(error)")
        }
    }

    private func holdsData(_ block: TagBlock) -> Bool {
        image.kind == .iso15693
            ? block.meaning?.hasPrefix("counter") != true : block.number > 3 && block.meaning == nil
    }

    /// The container of a Type 2 Tag cannot be written: its bits can only be set. Its last byte is the access alone.
    private func checkContainer(_ present: TagImage) throws {
        guard let wanted = image.unit(3)?.prefix(3), let found = present.unit(3)?.prefix(3), wanted != found else {
            return
        }
        throw DumpFault(
            "its capability container begins with \(HexBytes(Array(wanted))), that of the tag with \(HexBytes(Array(found))); format the tag first with nfcctl format"
        )
    }

    private func refusal(_ reason: String) -> ExitCode {
        Terminal.error("nfcctl: cannot restore the memory in \(name): \(reason.printable)")
        return .badData
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
