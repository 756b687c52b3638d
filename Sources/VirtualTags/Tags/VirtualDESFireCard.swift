/// A card with DESFire's native commands, wrapped into class 90, next to the ISO/IEC 7816-4 ones: MIFARE DESFire EV1
/// with an NDEF application.
///
/// No authentication ever succeeds: a challenge is given, every answer to it is wrong. So what needs a key is refused.
public struct VirtualDESFireCard: ContactlessCard {
    /// The card.
    public let product: VirtualDESFireProduct
    /// Seven bytes.
    public let identifier: [UInt8]
    /// 80: no more is said.
    public var historicalBytes: [UInt8] { [0x80] }

    var files: CardFileSystem
    var pending: NativePending?
    private var isActive = false

    /// A card with a message.
    ///
    /// - Parameters:
    ///   - identifier: seven bytes, nil for one made up for the product.
    ///   - ndefMessage: a raw NDEF message; nil and empty both mean no message.
    ///   - isWritable: whether the message may be written without a key.
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        product: VirtualDESFireProduct, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil, isWritable: Bool = true
    ) throws(VirtualTagError) {
        self.product = product
        self.identifier = try Type4Content.identifier(
            identifier, default: [0x04, 0x44, 0x45, product.hardware[3], product.hardware[5], 0x5A, 0x80])
        files = CardFileSystem(
            applications: [try product.application(message: ndefMessage ?? [], isWritable: isWritable)],
            rules: product.rules)
    }

    /// A card with the content of these files; where the product has others, they are as delivered.
    ///
    /// The capability container, E103, defines whether the message may be written without a key.
    ///
    /// - Throws: ``VirtualTagError`` for an identifier of another length.
    public init(
        product: VirtualDESFireProduct, identifier: [UInt8], files contents: [UInt16: [UInt8]]
    ) throws(VirtualTagError) {
        let access = contents[Type4Content.containerIdentifier]?.dropFirst(14).first
        try self.init(product: product, identifier: identifier, isWritable: access != 0xFF)
        files.replaceContents(contents)
    }

    /// The content of the files of the NDEF application by their identifiers.
    var contents: [UInt16: [UInt8]] { files.contents }

    /// The current NDEF file.
    public var messageFile: [UInt8] { files.applications.first?.files.dropFirst().first?.bytes ?? [] }

    /// Selects the tag; nothing is selected on it.
    public mutating func activate() {
        forget()
        isActive = true
    }

    /// Turns the field off.
    public mutating func fieldDropped() {
        forget()
        isActive = false
    }

    /// Answers one command.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard isActive else { return .silence }
        guard let command = VirtualCardCommand(command) else { return .data(VirtualStatusWord.wrongLength) }
        if command.instructionClass == 0x90 { return .data(performNative(command)) }
        pending = nil
        return .data(files.perform(command))
    }

    private mutating func forget() {
        files.reset()
        pending = nil
    }
}

extension VirtualDESFireCard {
    /// The most data of a file in one native frame.
    static let frameSize = 59

    /// Answers a wrapped native command.
    mutating func performNative(_ command: VirtualCardCommand) -> [UInt8] {
        guard command.expectedLength != nil else { return NativeStatus.wrongLength.answer }
        guard command.parameter == 0 else { return NativeStatus.wrongParameter.answer }
        guard let unfinished = pending else { return perform(command.instructionCode, command.data) }
        pending = nil
        guard command.instructionCode == NativeStatus.additionalFrame.rawValue else {
            return NativeStatus.commandAborted.answer
        }
        return proceed(unfinished, command.data)
    }

    private mutating func perform(_ instruction: UInt8, _ data: [UInt8]) -> [UInt8] {
        if let size = product.authentications[instruction] { return challenge(size, data) }
        if product.protectedInstructions.contains(instruction) { return NativeStatus.authenticationError.answer }
        switch instruction {
        case 0x60: return data.isEmpty ? send(versionFrames) : NativeStatus.wrongLength.answer
        case 0xF5: return fileSettings(data)
        case 0xBD: return readData(data)
        case 0x3D: return writeData(data)
        case 0x5A: return selectApplication(data)
        case 0x6A: return applicationNumbers()
        case 0x6F: return fileList { [$0.number] }
        case 0x61:
            return fileList {
                [UInt8(truncatingIfNeeded: $0.identifier), UInt8(truncatingIfNeeded: $0.identifier >> 8)]
            }
        default: return NativeStatus.illegalCommand.answer
        }
    }

    private mutating func proceed(_ unfinished: NativePending, _ data: [UInt8]) -> [UInt8] {
        switch unfinished {
        case .frames(let frames): data.isEmpty ? send(frames) : NativeStatus.wrongLength.answer
        case .writing(let file, let offset, let received, let total):
            take(data, after: received, total: total, file: file, offset: offset)
        case .authentication: NativeStatus.authenticationError.answer
        }
    }

    /// Answers the first frame and keeps the rest.
    mutating func send(_ frames: [[UInt8]]) -> [UInt8] {
        let rest = Array(frames.dropFirst())
        if !rest.isEmpty { pending = .frames(rest) }
        return (frames.first ?? []) + (rest.isEmpty ? NativeStatus.done : .additionalFrame).answer
    }

    /// Hardware, software, and the identifier with made-up production data: batch, week and year.
    private var versionFrames: [[UInt8]] {
        [product.hardware, product.software, identifier + [0xBA, 0x5E, 0xBA, 0x11, 0x00, 0x26, 0x24]]
    }

    private mutating func challenge(_ size: Int, _ data: [UInt8]) -> [UInt8] {
        guard let key = data.first else { return NativeStatus.wrongLength.answer }
        guard key <= product.lastKey else { return NativeStatus.noSuchKey.answer }
        pending = .authentication
        return (0..<size).map { UInt8(truncatingIfNeeded: 0xC5 &+ $0 &* 0x1D) } + NativeStatus.additionalFrame.answer
    }
}

extension VirtualDESFireCard {
    private mutating func selectApplication(_ number: [UInt8]) -> [UInt8] {
        guard number.count == 3 else { return NativeStatus.wrongLength.answer }
        let index = files.applications.firstIndex { $0.number == number }
        guard index != nil || number == [0, 0, 0] else { return NativeStatus.applicationNotFound.answer }
        files.enter(index)
        return NativeStatus.done.answer
    }

    /// The list is only given at the level above the applications.
    private func applicationNumbers() -> [UInt8] {
        guard files.currentApplication == nil else { return NativeStatus.permissionDenied.answer }
        return files.applications.flatMap(\.number) + NativeStatus.done.answer
    }

    private func fileList(_ entry: (CardFile) -> [UInt8]) -> [UInt8] {
        guard let current = files.currentApplication else { return NativeStatus.permissionDenied.answer }
        return files.applications[current].files.flatMap(entry) + NativeStatus.done.answer
    }
}

extension VirtualDESFireCard {
    /// GET_FILE_SETTINGS: type 00, communication, access rights, size with its least significant byte first.
    func fileSettings(_ data: [UInt8]) -> [UInt8] {
        guard data.count == 1 else { return NativeStatus.wrongLength.answer }
        guard let (_, file) = file(data[0]) else { return missingFile }
        let size = Type4Content.bigEndian(file.bytes.count, count: 3).reversed()
        return [0x00, file.communication] + file.accessRights + size + NativeStatus.done.answer
    }

    /// READ_DATA: file number, offset, length; a length of 0 means to the end.
    mutating func readData(_ data: [UInt8]) -> [UInt8] {
        guard data.count == 7 else { return NativeStatus.wrongLength.answer }
        guard let (_, file) = file(data[0]) else { return missingFile }
        if let refusal = refusal(file.reading) { return refusal }
        let offset = Self.number(data[1..<4])
        let count = Self.number(data[4..<7])
        let end = count == 0 ? file.bytes.count : offset + count
        guard offset < file.bytes.count, end <= file.bytes.count else { return NativeStatus.boundary.answer }
        let bytes = Array(file.bytes[offset..<end])
        return send(
            stride(from: 0, to: bytes.count, by: Self.frameSize).map { start in
                Array(bytes.dropFirst(start).prefix(Self.frameSize))
            })
    }

    /// WRITE_DATA: file number, offset, length, and as much data as fits the frame.
    mutating func writeData(_ data: [UInt8]) -> [UInt8] {
        guard data.count >= 7 else { return NativeStatus.wrongLength.answer }
        guard let (index, file) = file(data[0]) else { return missingFile }
        if let refusal = refusal(file.writing) { return refusal }
        let offset = Self.number(data[1..<4])
        let total = Self.number(data[4..<7])
        guard total > 0, offset + total <= file.bytes.count else { return NativeStatus.boundary.answer }
        return take(Array(data.dropFirst(7)), after: [], total: total, file: index, offset: offset)
    }

    /// One frame of a write. The file changes when all the data is there.
    mutating func take(
        _ data: [UInt8], after received: [UInt8], total: Int, file: Int, offset: Int
    ) -> [UInt8] {
        let all = received + data
        guard all.count <= total else { return NativeStatus.wrongLength.answer }
        guard all.count == total else {
            pending = .writing(file: file, offset: offset, received: all, total: total)
            return NativeStatus.additionalFrame.answer
        }
        guard let current = files.currentApplication else { return NativeStatus.permissionDenied.answer }
        files.applications[current].files[file].bytes.overwrite(at: offset, with: all)
        return NativeStatus.done.answer
    }

    private func file(_ number: UInt8) -> (Int, CardFile)? {
        guard let current = files.currentApplication else { return nil }
        let list = files.applications[current].files
        return list.firstIndex { $0.number == number }.map { ($0, list[$0]) }
    }

    /// Above the applications there are no files at all.
    private var missingFile: [UInt8] {
        (files.currentApplication == nil ? NativeStatus.permissionDenied : .fileNotFound).answer
    }

    private func refusal(_ access: CardFile.Access) -> [UInt8]? {
        switch access {
        case .free: nil
        case .withKey: NativeStatus.authenticationError.answer
        case .never: NativeStatus.permissionDenied.answer
        }
    }

    /// A number with its least significant byte first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The status bytes behind 91 (MIFARE DESFire EV1 and NTAG 424 DNA data sheets), also as the reason of a refusal.
enum NativeStatus: UInt8, Error {
    case done = 0x00
    /// Read_Sig was carried out.
    case signature = 0x90
    case illegalCommand = 0x1C
    case integrityError = 0x1E
    case noSuchKey = 0x40
    case wrongLength = 0x7E
    case permissionDenied = 0x9D
    case wrongParameter = 0x9E
    case applicationNotFound = 0xA0
    case authenticationDelay = 0xAD
    case authenticationError = 0xAE
    case additionalFrame = 0xAF
    case boundary = 0xBE
    case commandAborted = 0xCA
    case fileNotFound = 0xF0

    /// The whole answer without data.
    var answer: [UInt8] { [0x91, rawValue] }
}

/// What a card expects after it answered `91 AF`.
enum NativePending: Sendable, Hashable {
    /// These frames are to be fetched.
    case frames([[UInt8]])
    /// This much data is still to come for a file at an offset.
    case writing(file: Int, offset: Int, received: [UInt8], total: Int)
    /// An answer to its challenge.
    case authentication
}
