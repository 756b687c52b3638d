import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl restore`: writes what a dump file holds to a tag.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Write the message or the memory in a dump file to the next tag.",
        discussion: """
            Reads the files that nfcctl dump writes: .nfc (Flipper), .json (proxmark3), .bin (raw memory) and .mct \
            (MIFARE Classic Tool). Without an option, it writes the NDEF message in the file, whatever password or key the \
            dumped tag asks for, to a tag of any type, and verifies it. With --memory, it writes \
            all pages or blocks that hold data, to a tag with the same memory (NTAG, Ultralight, ISO/IEC 15693). UID, lock \
            bits, configuration and keys of a tag stay its own. A tag of a spool or a library is not overwritten with \
            --memory, unless --force is given; nfcctl dump saves what it holds first.

            Examples:
              nfcctl restore card.nfc
              nfcctl restore card.nfc --format
              nfcctl restore card.nfc --memory
            """)

    @Argument(help: ArgumentHelp("The dump file; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Format the tag first if necessary; on most tags this cannot be undone.")
    var format = false

    @Flag(
        help: """
            Overwrite other data: behind the message, or on a tag without one; with --memory, what makes the tag one of a \
            spool or a library.
            """)
    var force = false

    @Flag(help: "Write all memory that holds data, not the message alone.")
    var memory = false

    @OptionGroup var options: TagOptions

    private struct RestoredMemory: Encodable {
        let file: String
        let blocks: Int
        let written: Int
    }

    private struct Restored: Encodable {
        let file: String
        let message: NDEFMessage
    }

    func validate() throws {
        if memory, format {
            throw ValidationError("--format is for a message; format the tag before with nfcctl format")
        }
    }

    func run() async throws {
        let dump = try DumpedTag(path: file)
        if memory { try await restoreMemory(dump) } else { try await restoreMessage(dump) }
    }

    private func restoreMessage(_ dump: DumpedTag) async throws {
        let message = try await dump.message()
        let preparation = TagPreparation(formats: format || force, overwrites: force)
        let (json, force, name) = (options.json, force, dump.name)
        let operation = TagOperation(
            options: options, requires: TagWriteNDEF.requirement, format ? TagFormat.requirement : .nothing)
        try await operation.run { tag in
            let replaced = json ? nil : force ? await tag.replacedContent() : await tag.spoolInMessage()
            try await tag.write(message, verify: true, preparation)
            if json {
                Terminal.print(
                    json: TagEvent(event: "restored", tag: tag.facts, extra: Restored(file: name, message: message)))
            } else {
                let content =
                    message.records.isEmpty ? "no records" : message.records.map { "\($0)" }.joined(separator: "; ")
                Terminal.print("Restored \(content) from \(name) to \(tag.summary); verified")
                if let replaced { Terminal.print("The message replaced \(replaced).") }
            }
        }
    }

    private func restoreMemory(_ dump: DumpedTag) async throws {
        try dump.checkMemory()
        let (json, force) = (options.json, force)
        let operation = TagOperation(
            options: options, requires: TagWriteMemory.requirement, TagDumpMemory.requirement)
        try await operation.run { tag in
            let target = try await tag.showingProgress("Reading") { try await tag.dump(progress: $0) }
            let blocks = try dump.blocks(for: target, of: tag)
            let replaced = json || !force ? nil : await tag.replacedContent()
            let written = try await tag.replaceMemory(blocks, overwrites: force)
            if json {
                let extra = RestoredMemory(file: dump.name, blocks: blocks.count, written: written)
                Terminal.print(json: TagEvent(event: "restored", tag: tag.facts, extra: extra))
            } else {
                let changed = "\(written) of \(blocks.count) \(dump.unit)s changed"
                Terminal.print("Restored the memory in \(dump.name) to \(tag.summary): \(changed); verified")
                if let replaced, written > 0 { Terminal.print("The memory replaced \(replaced).") }
            }
        }
    }
}

extension RemoteTag {
    /// Writes blocks; where they would overwrite content of a known format, prints what can be done about it.
    fileprivate func replaceMemory(_ blocks: [TagWriteMemory.Block], overwrites: Bool) async throws -> Int {
        do {
            return try await showingProgress("Writing") {
                try await writeMemory(blocks, overwrite: overwrites ? true : nil, progress: $0)
            }
        } catch let error as NFCClientError where error.nfcCode == .unsupportedFeature && !overwrites {
            if let content = await replacedContent() {
                Terminal.error(
                    "nfcctl: \(summary) holds \(content). Save it with nfcctl dump; --force overwrites it. Nothing was written."
                )
            }
            throw error
        }
    }
}
