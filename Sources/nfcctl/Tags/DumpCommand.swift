import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import VirtualTags

/// `nfcctl dump`: reads the memory of a tag.
struct DumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Show or save the memory of the next tag.",
        discussion: """
            Shows each page or block with its number, its bytes and its purpose; ?? stands for bytes that cannot be read, -- for a key \
            that the card does not show. \
            Identical pages are replaced with *. With --output, the extension of the file's name selects the format: \
            \(DumpOutput.Format.extensions). A .bin file whose name begins with hf-15- is the binary form of proxmark3 for \
            ISO/IEC 15693 tags, with UID and locks.

            Examples:
              nfcctl dump
              nfcctl dump --all --json
              nfcctl dump --output card.nfc
            """)

    @Flag(help: "Show identical pages, too.")
    var all = false

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Save to this file.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        if let output, DumpOutput.Format(path: output) == nil {
            throw ValidationError("\(output) has no known extension; use \(DumpOutput.Format.extensions)")
        }
        if force, output == nil { throw ValidationError("--force requires --output") }
    }

    func run() async throws {
        let (json, all) = (options.json, all)
        let file = output.flatMap { DumpOutput(path: $0, replaces: force) }
        try file?.check()
        try await TagOperation(options: options, requires: TagDumpMemory.requirement).run { tag in
            let dump = try await tag.showingProgress("Reading") { try await tag.dump(progress: $0) }
            try file?.save(dump, of: tag)
            if json {
                Terminal.print(json: TagEvent(event: "dump", tag: tag.facts, extra: dump))
            } else if let file {
                Terminal.print("Saved \(tag.summary) to \(file.name)")
            } else {
                Terminal.print("Tag: \(tag.summary)")
                for line in DumpReport(dump: dump, isFull: all).lines() { Terminal.print(OutputStyle.output.fit(line)) }
            }
        }
    }
}

/// A dump as text: number, bytes, characters and purpose of each block.
struct DumpReport {
    let dump: TagDump
    /// Whether identical blocks are shown, too.
    let isFull: Bool

    /// The minimum number of identical blocks that are replaced.
    private static let shortestRun = 3

    /// The lines, with a heading for each section that has a name.
    func lines() -> [String] {
        let count = dump.sections.reduce(0) { $0 + $1.blocks.count }
        let product = (dump.product ?? "unknown product").escaped
        var lines = ["\(product), \(count) \(unit) of \(dump.blockSize) bytes"]
        for section in dump.sections {
            lines.append("")
            if let name = section.name { lines.append("\(name.escaped):") }
            lines += rows(section.blocks)
        }
        return lines
    }

    private var unit: String {
        switch dump.layout {
        case .type2: "pages"
        case .type4: "rows"
        case .type1, .type3, .type5, .mifareClassic: "blocks"
        }
    }

    private func rows(_ blocks: [TagBlock]) -> [String] {
        let columns = blocks.map { "\($0.number)".count }.max() ?? 1
        var rows: [String] = []
        var rest = blocks[...]
        while let block = rest.first {
            let run = isFull ? 1 : rest.prefix { $0.isPlain && $0.bytes == block.bytes }.count
            rows.append(row(block, columns: columns))
            if run >= Self.shortestRun { rows.append(TextLines.pad("", to: columns + 1) + "*") }
            rest = rest.dropFirst(run >= Self.shortestRun ? run : 1)
        }
        return rows
    }

    private func row(_ block: TagBlock, columns: Int) -> String {
        let number = "\(block.number)"
        let margin = String(repeating: " ", count: columns + 1 - number.count)
        let bytes = block.bytes?.bytes
        let unreadable = [String](repeating: "??", count: dump.shownBlockSize).joined(separator: " ")
        let hidden = block.hiddenBytes(in: dump.layout)
        let shown = bytes.map { $0.dropLast(hidden) }
        let pairs = shown.map { HexDump.pairs(Array($0)) + String(repeating: " --", count: hidden) }
        let digits = TextLines.pad(pairs ?? unreadable, to: 3 * dump.shownBlockSize - 1)
        let text = TextLines.pad(HexDump.characters(Array(shown ?? [])), to: dump.shownBlockSize)
        let line = "\(margin)\(number)  \(digits)  \(text)  \((block.meaning ?? "").escaped)"
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}

extension TagBlock {
    /// Whether the block has no special purpose.
    fileprivate var isPlain: Bool { meaning == nil }

    /// How many bytes at the end are a key that the card answers zeros for.
    fileprivate func hiddenBytes(in layout: TagLayout) -> Int {
        guard layout == .mifareClassic, meaning?.hasPrefix("trailer") == true, let bytes = bytes?.bytes else {
            return 0
        }
        let isHidden =
            bytes.count == 16 && !TagImage.showsKeyB(trailer: bytes) && bytes.suffix(6).allSatisfy { $0 == 0 }
        return isHidden ? 6 : 0
    }
}

extension TagDump {
    /// The block size, limited to a plausible range.
    fileprivate var shownBlockSize: Int { min(max(blockSize, 1), 64) }
}
