/// The files of a card and the ISO/IEC 7816-4 commands on them: SELECT, READ BINARY, UPDATE BINARY, GET RESPONSE.
struct CardFileSystem: Sendable, Hashable {
    /// What differs from card to card.
    struct Rules: Sendable, Hashable {
        /// The most that one READ BINARY gives, in bytes; a larger Le is refused.
        var readSize = 255
        /// The most data that one UPDATE BINARY takes, in bytes.
        var writeSize = 255
        /// Whether there are commands with an offset data object, `B1` and `D7`.
        var hasOffsetObjects = false
        /// Answers longer than this come in pieces, 61XX and GET RESPONSE; nil for never.
        var responsePiece: Int?
        /// Whether a Le beyond the end of the file is corrected with 6CXX, in place of data and 6282.
        var correctsLength = false
        /// What reading and writing are refused with while no file is selected.
        var withoutFile = StatusWord.noCurrentFile
    }

    var applications: [CardApplication]
    var rules: Rules
    private(set) var currentApplication: Int?
    private(set) var currentFile: Int?
    private var pending: [UInt8] = []

    init(applications: [CardApplication], rules: Rules) {
        self.applications = applications
        self.rules = rules
    }

    /// Forgets what is selected.
    mutating func reset() {
        currentApplication = nil
        currentFile = nil
        pending = []
    }

    /// Selects an application, nil for the level above them.
    mutating func enter(_ application: Int?) {
        currentApplication = application
        currentFile = nil
    }

    /// The identifier of the current file.
    var currentFileIdentifier: UInt16? { file?.identifier }

    /// Answers a command of class 00.
    mutating func perform(_ command: CardCommand) -> [UInt8] {
        guard command.instructionClass & 0x10 == 0 else { return StatusWord.chainingNotSupported }
        guard command.instructionClass == 0x00 else { return StatusWord.classNotSupported }
        if command.instructionCode == 0xC0 { return getResponse(command) }
        pending = []
        switch command.instructionCode {
        case 0xA4: return select(command)
        case 0xB0: return inPieces(read(command))
        case 0xB1 where rules.hasOffsetObjects: return inPieces(readWithObject(command))
        case 0xD6: return update(command)
        case 0xD7 where rules.hasOffsetObjects: return updateWithObject(command)
        default: return StatusWord.instructionNotSupported
        }
    }
}

extension CardFileSystem {
    /// SELECT by name (P1 04), or by file identifier (P1 00, 01 a dedicated, 02 an elementary file). No answer data.
    private mutating func select(_ command: CardCommand) -> [UInt8] {
        guard command.p2 == 0x00 || command.p2 == 0x0C else { return StatusWord.wrongParameters }
        switch command.p1 {
        case 0x04: return selectApplication { $0.name == command.data }
        case 0x00...0x02: return selectFile(command)
        default: return StatusWord.wrongParameters
        }
    }

    private mutating func selectFile(_ command: CardCommand) -> [UInt8] {
        guard command.data.count == 2 else { return StatusWord.wrongLength }
        let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
        if command.p1 != 0x01, let application = currentApplication,
            let index = applications[application].files.firstIndex(where: { $0.identifier == identifier })
        {
            currentFile = index
            return StatusWord.done
        }
        guard command.p1 != 0x02 else { return StatusWord.notFound }
        return selectApplication { $0.fileIdentifier == identifier }
    }

    private mutating func selectApplication(_ isWanted: (CardApplication) -> Bool) -> [UInt8] {
        guard let index = applications.firstIndex(where: isWanted) else { return StatusWord.notFound }
        enter(index)
        return StatusWord.done
    }

    private mutating func getResponse(_ command: CardCommand) -> [UInt8] {
        guard !pending.isEmpty else { return StatusWord.conditions }
        guard let expected = command.expected else { return StatusWord.wrongLength }
        let piece = pending.prefix(min(expected, rules.responsePiece ?? 256))
        pending.removeFirst(piece.count)
        return piece + followUp
    }

    private mutating func inPieces(_ response: [UInt8]) -> [UInt8] {
        guard let size = rules.responsePiece, response.count - 2 > size, response.suffix(2) == StatusWord.done[...]
        else {
            return response
        }
        pending = Array(response.dropFirst(size).dropLast(2))
        return response.prefix(size) + followUp
    }

    /// 9000, or 61 and how much is left.
    private var followUp: [UInt8] {
        pending.isEmpty ? StatusWord.done : [0x61, UInt8(truncatingIfNeeded: min(pending.count, 256))]
    }
}

extension CardFileSystem {
    /// The content of the files of the first application by their identifiers.
    var contents: [UInt16: [UInt8]] {
        Dictionary(applications.first?.files.map { ($0.identifier, $0.bytes) } ?? []) { first, _ in first }
    }

    /// Gives files of the first application another content and, with it, another size.
    mutating func replaceContents(_ contents: [UInt16: [UInt8]]) {
        guard let application = applications.indices.first else { return }
        for index in applications[application].files.indices {
            let identifier = applications[application].files[index].identifier
            if let bytes = contents[identifier] { applications[application].files[index].bytes = bytes }
        }
    }

    /// The current file.
    var file: CardFile? {
        guard let currentApplication, let currentFile else { return nil }
        return applications[currentApplication].files[currentFile]
    }

    /// Overwrites bytes of the current file; the range was checked before.
    mutating func store(_ bytes: [UInt8], at offset: Int) {
        guard let currentApplication, let currentFile else { return }
        applications[currentApplication].files[currentFile].bytes.overwrite(at: offset, with: bytes)
    }
}
