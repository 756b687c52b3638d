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
        /// Whether a Le beyond the end of the file is corrected with 6CXX, instead of data and 6282.
        var correctsLength = false
        /// Whether data that ends before Le comes with the warning 6282, instead of 9000.
        var reportsEnd = true
        /// What reading and writing are refused with while no file is selected.
        var withoutFile = VirtualStatusWord.noCurrentFile
    }

    var applications: [FileApplication]
    var rules: Rules
    private(set) var currentApplication: Int?
    private(set) var currentFile: Int?
    private var pending: [UInt8] = []

    init(applications: [FileApplication], rules: Rules) {
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
    mutating func perform(_ command: VirtualCardCommand) -> [UInt8] {
        guard command.instructionClass & 0x10 == 0 else { return VirtualStatusWord.chainingNotSupported }
        guard command.instructionClass == 0x00 else { return VirtualStatusWord.classNotSupported }
        if command.instructionCode == 0xC0 { return getResponse(command) }
        pending = []
        switch command.instructionCode {
        case 0xA4: return select(command)
        case 0xB0: return inPieces(read(command))
        case 0xB1 where rules.hasOffsetObjects: return inPieces(readWithObject(command))
        case 0xD6: return update(command)
        case 0xD7 where rules.hasOffsetObjects: return updateWithObject(command)
        default: return VirtualStatusWord.instructionNotSupported
        }
    }
}

extension CardFileSystem {
    /// SELECT by name (P1 04), or by file identifier (P1 00, 01 a dedicated, 02 an elementary file). No answer data.
    private mutating func select(_ command: VirtualCardCommand) -> [UInt8] {
        guard command.p2 == 0x00 || command.p2 == 0x0C else { return VirtualStatusWord.wrongParameters }
        switch command.p1 {
        case 0x04: return selectApplication { $0.name == command.data }
        case 0x00...0x02: return selectFile(command)
        default: return VirtualStatusWord.wrongParameters
        }
    }

    private mutating func selectFile(_ command: VirtualCardCommand) -> [UInt8] {
        guard command.data.count == 2 else { return VirtualStatusWord.wrongLength }
        let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
        if command.p1 != 0x01, let application = currentApplication,
            let index = applications[application].files.firstIndex(where: { $0.identifier == identifier })
        {
            currentFile = index
            return VirtualStatusWord.done
        }
        guard command.p1 != 0x02 else { return VirtualStatusWord.notFound }
        return selectApplication { $0.fileIdentifier == identifier }
    }

    private mutating func selectApplication(_ isWanted: (FileApplication) -> Bool) -> [UInt8] {
        guard let index = applications.firstIndex(where: isWanted) else { return VirtualStatusWord.notFound }
        enter(index)
        return VirtualStatusWord.done
    }

    private mutating func getResponse(_ command: VirtualCardCommand) -> [UInt8] {
        guard !pending.isEmpty else { return VirtualStatusWord.conditions }
        guard let expected = command.expectedLength else { return VirtualStatusWord.wrongLength }
        let piece = pending.prefix(min(expected, rules.responsePiece ?? 256))
        pending.removeFirst(piece.count)
        return piece + followUp
    }

    private mutating func inPieces(_ response: [UInt8]) -> [UInt8] {
        guard let size = rules.responsePiece, response.count - 2 > size,
            response.suffix(2) == VirtualStatusWord.done[...]
        else {
            return response
        }
        pending = Array(response.dropFirst(size).dropLast(2))
        return response.prefix(size) + followUp
    }

    /// 9000, or 61 and how much is left.
    private var followUp: [UInt8] {
        pending.isEmpty ? VirtualStatusWord.done : [0x61, UInt8(truncatingIfNeeded: min(pending.count, 256))]
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

extension CardFileSystem {
    /// READ BINARY with the offset in P1 and P2.
    func read(_ command: VirtualCardCommand) -> [UInt8] {
        guard command.data.isEmpty, let expected = command.expectedLength else { return VirtualStatusWord.wrongLength }
        guard command.p1 & 0x80 == 0 else { return VirtualStatusWord.wrongParameters }
        return content(at: command.parameter, room: expected) { $0 }
    }

    /// READ BINARY with an offset data object; the answer is a data object 53.
    func readWithObject(_ command: VirtualCardCommand) -> [UInt8] {
        guard command.parameter == 0 else { return VirtualStatusWord.wrongParameters }
        guard let expected = command.expectedLength else { return VirtualStatusWord.wrongLength }
        guard let (offset, rest) = Self.offset(command.data), rest.isEmpty else { return VirtualStatusWord.wrongData }
        return content(at: offset, room: expected) { [0x53] + Self.lengthField($0.count) + $0 }
    }

    /// UPDATE BINARY with the offset in P1 and P2.
    mutating func update(_ command: VirtualCardCommand) -> [UInt8] {
        guard command.p1 & 0x80 == 0 else { return VirtualStatusWord.wrongParameters }
        return write(command.data, at: command.parameter, of: command)
    }

    /// UPDATE BINARY with an offset data object and a data object 53.
    mutating func updateWithObject(_ command: VirtualCardCommand) -> [UInt8] {
        guard command.parameter == 0 else { return VirtualStatusWord.wrongParameters }
        guard let (offset, rest) = Self.offset(command.data), let data = Self.discretionary(rest) else {
            return VirtualStatusWord.wrongData
        }
        return write(data, at: offset, of: command)
    }

    /// What a read gives: as many bytes as fit `room` once they are wrapped.
    private func content(at offset: Int, room: Int, wrap: ([UInt8]) -> [UInt8]) -> [UInt8] {
        guard let file else { return rules.withoutFile }
        guard file.reading == .free else { return VirtualStatusWord.securityStatus }
        guard offset < file.bytes.count else { return VirtualStatusWord.wrongOffset }
        // Le 00 or 0000 asks for as much as there is.
        let isOpen = room == 256 || room == 65_536
        guard room <= rules.readSize || isOpen else { return VirtualStatusWord.wrongLength }
        let room = min(room, rules.readSize)
        let overhead =
            wrap(Array(file.bytes.dropFirst(offset).prefix(room))).count - min(room, file.bytes.count - offset)
        let bytes = Array(file.bytes.dropFirst(offset).prefix(max(room - overhead, 0)))
        let isShort = bytes.count < room - overhead && !isOpen
        if isShort, rules.correctsLength { return VirtualStatusWord.rightLength(wrap(bytes).count) }
        return wrap(bytes) + (isShort && rules.reportsEnd ? VirtualStatusWord.endOfFile : VirtualStatusWord.done)
    }

    private mutating func write(_ data: [UInt8], at offset: Int, of command: VirtualCardCommand) -> [UInt8] {
        guard let file else { return rules.withoutFile }
        guard command.expectedLength == nil, !data.isEmpty, command.data.count <= rules.writeSize else {
            return VirtualStatusWord.wrongLength
        }
        guard file.writing == .free else { return VirtualStatusWord.securityStatus }
        guard offset < file.bytes.count else { return VirtualStatusWord.wrongOffset }
        guard offset + data.count <= file.bytes.count else { return VirtualStatusWord.notEnoughMemory }
        store(data, at: offset)
        return VirtualStatusWord.done
    }
}

extension CardFileSystem {
    /// The offset of a data object 54 with one to three bytes, and what follows it.
    private static func offset(_ data: [UInt8]) -> (Int, rest: [UInt8])? {
        guard data.count >= 2, data[0] == 0x54, (1...3).contains(data[1]), data.count >= 2 + Int(data[1]) else {
            return nil
        }
        let end = 2 + Int(data[1])
        return (data[2..<end].reduce(0) { $0 * 256 + Int($1) }, Array(data[end...]))
    }

    /// The value of a data object 53 that takes all the bytes.
    private static func discretionary(_ data: [UInt8]) -> [UInt8]? {
        for header in 2...4 where data.count > header {
            let value = Array(data.dropFirst(header))
            if Array(data.prefix(header)) == [0x53] + lengthField(value.count) { return value }
        }
        return nil
    }

    /// The length field of a data object: one byte up to 127, else 81 or 82 and the length.
    private static func lengthField(_ count: Int) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: count)
        if count <= 127 { return [low] }
        return count <= 255 ? [0x81, low] : [0x82, UInt8(truncatingIfNeeded: count >> 8), low]
    }
}

/// A file with bytes in it, of a card with ISO/IEC 7816-4 and DESFire commands.
struct CardFile: Sendable, Hashable {
    /// The identifier for SELECT.
    let identifier: UInt16
    /// The number for native commands.
    let number: UInt8
    /// The content, as long as the file.
    var bytes: [UInt8]
    /// The access rights as GET_FILE_SETTINGS shows them: `RW change`, then `read write`, a nibble each. E is free,
    /// F never, others are the number of a key (MIFARE DESFire data sheets).
    var accessRights: [UInt8]
    /// 00 plain, 03 enciphered.
    var communication: UInt8 = 0x00

    /// Free to read and write; the rights change with key 0.
    static let free: [UInt8] = [0xE0, 0xEE]
    /// Free to read, written with key 0.
    static let writtenWithKey: [UInt8] = [0x00, 0xE0]
    /// Free to read, never written.
    static let readOnly: [UInt8] = [0xF0, 0xEF]
    /// Neither read nor written.
    static let closed: [UInt8] = [0xF0, 0xFF]

    /// What an unauthenticated host may do.
    enum Access: Hashable {
        case free
        case withKey
        case never
    }

    /// Reading.
    var reading: Access { access(readRights) }
    /// Writing.
    var writing: Access { access(writeRights) }

    /// The rights that permit reading: the nibbles of read, and of read and write.
    var readRights: [UInt8] { [right(1) >> 4, right(0) >> 4] }
    /// The rights that permit writing: the nibbles of write, and of read and write.
    var writeRights: [UInt8] { [right(1) & 0x0F, right(0) >> 4] }
    /// The right to change the rights.
    var changeRight: UInt8 { right(0) & 0x0F }

    private func right(_ index: Int) -> UInt8 { accessRights.indices.contains(index) ? accessRights[index] : 0xFF }

    private func access(_ nibbles: [UInt8]) -> Access {
        if nibbles.contains(0xE) { return .free }
        return nibbles.allSatisfy { $0 == 0xF } ? .never : .withKey
    }
}

/// An application: a dedicated file with a name, and its files.
struct FileApplication: Sendable, Hashable {
    /// The name for SELECT.
    let name: [UInt8]
    /// The identifier of the dedicated file for SELECT.
    let fileIdentifier: UInt16
    /// The number for the native SELECT_APPLICATION, least significant byte first.
    let number: [UInt8]
    var files: [CardFile]
}

/// The status words of ISO/IEC 7816-4 that cards answer, beyond those of readers.
extension VirtualStatusWord {
    static let endOfFile: [UInt8] = [0x62, 0x82]
    static let chainingNotSupported: [UInt8] = [0x68, 0x84]
    static let securityStatus: [UInt8] = [0x69, 0x82]
    static let conditions: [UInt8] = [0x69, 0x85]
    static let noCurrentFile: [UInt8] = [0x69, 0x86]
    static let wrongData: [UInt8] = [0x6A, 0x80]
    static let notEnoughMemory: [UInt8] = [0x6A, 0x84]
    static let wrongParameters: [UInt8] = [0x6A, 0x86]
    static let wrongOffset: [UInt8] = [0x6B, 0x00]
}
