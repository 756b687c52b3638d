import ArgumentParser
import NFCClient
import NFCProtocol

/// `nfcctl dump`: the memory of one tag.
struct DumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Show or save everything that can be read of the next tag.",
        discussion: """
            Each page or block with its number, its bytes, and what it is for; ?? stands for bytes that cannot be read. A row \
            of equal pages is cut short with *. With --output, the ending of the file's name says in what form it is saved: \
            \(DumpOutput.Format.endings).

            Examples:
              nfcctl dump
              nfcctl dump --all --json
              nfcctl dump --output card.nfc
            """)

    @Flag(help: "Show equal pages, too.")
    var all = false

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Save to this file.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Replace the file, if there is one.")
    var force = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        if let output, DumpOutput.Format(path: output) == nil {
            throw ValidationError("\(output): dumps are saved as \(DumpOutput.Format.endings)")
        }
        if force, output == nil { throw ValidationError("--force is for --output") }
    }

    func run() async throws {
        let (json, all) = (options.json, all)
        let file = output.flatMap { DumpOutput(path: $0, replaces: force) }
        try file?.check()
        try await TagErrand(options: options).run { tag in
            let dump = try await tag.call(
                TagDumpMemory.self, .init(session: tag.session, tag: tag.tag.tag), showing: "Reading")
            try file?.save(dump, of: tag)
            if json {
                Terminal.print(json: TagReport(event: "dump", tag: tag.tag, extra: dump))
            } else if let file {
                Terminal.print("Saved \(tag.words) to \(file.name)")
            } else {
                Terminal.print("Tag: \(tag.words)")
                for line in DumpSheet(dump: dump, isFull: all).lines() { Terminal.print(Look.output.fit(line)) }
            }
        }
    }
}
