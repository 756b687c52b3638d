/// A Type 4 tag of no particular make: the NDEF application with its capability container and one message file.
///
/// The access conditions of the container are kept: FF refuses, and once writing is denied it stays so.
public struct VirtualType4Card: ContactlessCard {
    /// What it is like.
    public struct Configuration: Sendable, Hashable {
        /// The mapping version: 10, 20, or 30, which has a length field of 4 bytes.
        public var mappingVersion: UInt8 = 0x20
        /// MLe as the container declares it.
        public var maximumReadSize = 255
        /// MLc as the container declares it.
        public var maximumWriteSize = 255
        /// The bytes of the message file, its length field included.
        public var fileSize = 2048
        /// The read access condition of the container: 00 free, FF never.
        public var readAccess: UInt8 = 0x00
        /// The write access condition of the container: 00 free, FF never, others with a key.
        public var writeAccess: UInt8 = 0x00
        /// Whether anyone may set the write access condition to FF.
        public var isLockable = true
        /// Whether the container lists a proprietary file as well.
        public var hasProprietaryFile = false
        /// How much one READ BINARY really gives, nil for MLe.
        public var actualReadSize: Int?
        /// How much one UPDATE BINARY really takes, nil for MLc.
        public var actualWriteSize: Int?
        /// Answers longer than this come in pieces by GET RESPONSE, nil for never.
        public var responsePiece: Int?
        /// Whether a Le beyond the end of the file is answered with 6CXX.
        public var correctsLength = false

        /// A tag of 2048 bytes, version 2.0, free to read and write.
        public init() {}

        /// The largest message, in bytes.
        public var messageCapacity: Int { max(fileSize - lengthFieldSize, 0) }
        /// The bytes of the length field.
        var lengthFieldSize: Int { mappingVersion >= 0x30 ? 4 : 2 }
    }

    /// What it was made with.
    public let configuration: Configuration
    /// Seven bytes.
    public let identifier: [UInt8]
    /// None.
    public var historicalBytes: [UInt8] { [] }

    private var isActive = false
    private var files: CardFileSystem

    /// A tag with a message.
    ///
    /// - Parameters:
    ///   - identifier: seven bytes, nil for a made-up one.
    ///   - ndefMessage: a raw NDEF message; nil and empty both mean no message.
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        _ configuration: Configuration = Configuration(), identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) {
        self.configuration = configuration
        self.identifier = try Type4Content.identifier(identifier, default: [0x04, 0x54, 0x34, 0x14, 0x44, 0x04, 0x80])
        files = try CardFileSystem(
            applications: [configuration.application(message: ndefMessage ?? [])], rules: configuration.rules)
        applyAccess()
    }

    /// A tag with these files, E103 the capability container among them.
    ///
    /// Files other than the one of the message can be read, but not written.
    ///
    /// - Throws: ``VirtualTagError`` for an identifier of another length, or a container that names no file there is.
    public init(identifier: [UInt8], files contents: [UInt16: [UInt8]]) throws(VirtualTagError) {
        let container = contents[Type4Content.containerIdentifier] ?? []
        guard let declared = Type4Declaration(container), let message = contents[declared.file] else {
            throw .wrongCapabilityContainer
        }
        configuration = declared.configuration
        self.identifier = try Type4Content.identifier(identifier, default: [UInt8](repeating: 0, count: 7))
        let others = contents.filter { ![Type4Content.containerIdentifier, declared.file].contains($0.key) }
        let ordered =
            [(Type4Content.containerIdentifier, container), (declared.file, message)]
            + others.sorted { $0.key < $1.key }
        let list = zip(1..., ordered).map { number, file in
            CardFile(
                identifier: file.0, number: UInt8(truncatingIfNeeded: number), bytes: file.1,
                accessRights: CardFile.readOnly)
        }
        files = CardFileSystem(
            applications: [configuration.application(files: list)], rules: configuration.rules)
        applyAccess()
    }

    /// The content of the files of the NDEF application by their identifiers.
    var contents: [UInt16: [UInt8]] { files.contents }

    /// The current capability container.
    public var capabilityContainer: [UInt8] { files.applications.first?.files.first?.bytes ?? [] }

    /// The current NDEF file.
    public var messageFile: [UInt8] { files.applications.first?.files.dropFirst().first?.bytes ?? [] }

    /// Selects the tag; nothing is selected on it.
    public mutating func activate() {
        isActive = true
        files.reset()
    }

    /// Turns the field off.
    public mutating func fieldDropped() {
        isActive = false
        files.reset()
    }

    /// Answers one command.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard isActive else { return .silence }
        guard let command = VirtualCardCommand(command) else { return .data(VirtualStatusWord.wrongLength) }
        let isLocking =
            command.instructionCode & 0xFE == 0xD6
            && files.currentFileIdentifier == Type4Content.containerIdentifier
        if isLocking, !isLock(command) { return .data(VirtualStatusWord.securityStatus) }
        let response = files.perform(command)
        if isLocking { applyAccess() }
        return .data(response)
    }
}

extension VirtualType4Card {
    /// Whether a write to the container does nothing but set the write access condition to FF.
    private func isLock(_ command: VirtualCardCommand) -> Bool {
        command.instructionCode == 0xD6 && command.data == [0xFF]
            && command.parameter == configuration.writeAccessOffset
    }

    /// Gives the files the rights that the container declares.
    private mutating func applyAccess() {
        let container = capabilityContainer
        let offset = configuration.writeAccessOffset
        guard container.indices.contains(offset) else { return }
        let isLocked = container[offset] == 0xFF
        let message =
            switch (container[offset - 1], container[offset]) {
            case (0x00, 0x00): CardFile.free
            case (0x00, 0xFF): CardFile.readOnly
            case (0x00, _): CardFile.writtenWithKey
            default: CardFile.closed
            }
        let canLock = configuration.isLockable && !isLocked
        files.applications[0].files[0].accessRights = canLock ? CardFile.free : CardFile.writtenWithKey
        files.applications[0].files[1].accessRights = message
    }
}

extension VirtualType4Card.Configuration {
    /// Where the write access condition of the message file is in the container.
    var writeAccessOffset: Int { mappingVersion >= 0x30 ? 16 : 14 }

    var rules: CardFileSystem.Rules {
        CardFileSystem.Rules(
            readSize: actualReadSize ?? maximumReadSize, writeSize: actualWriteSize ?? maximumWriteSize,
            hasOffsetObjects: fileSize > 0x8000, responsePiece: responsePiece, correctsLength: correctsLength)
    }

    func application(message: [UInt8]) throws(VirtualTagError) -> FileApplication {
        let content = try Type4Content.messageFile(message, size: fileSize, lengthFieldSize: lengthFieldSize)
        return application(files: [
            CardFile(
                identifier: Type4Content.containerIdentifier, number: 1, bytes: container, accessRights: CardFile.free),
            CardFile(
                identifier: Type4Content.messageIdentifier, number: 2, bytes: content, accessRights: CardFile.free),
        ])
    }

    func application(files: [CardFile]) -> FileApplication {
        FileApplication(
            name: Type4Content.applicationName(mappingVersion: mappingVersion), fileIdentifier: 0xE110,
            number: [0x01, 0x00, 0x00], files: files)
    }

    /// CCLEN, version, MLe, MLc, and the file control TLVs.
    private var container: [UInt8] {
        let isExtended = mappingVersion >= 0x30
        var rest: [UInt8] = [mappingVersion]
        rest += Type4Content.bigEndian(maximumReadSize, count: 2)
        rest += Type4Content.bigEndian(maximumWriteSize, count: 2)
        rest += isExtended ? [0x06, 0x08, 0xE1, 0x04] : [0x04, 0x06, 0xE1, 0x04]
        rest += Type4Content.bigEndian(fileSize, count: isExtended ? 4 : 2)
        rest += [readAccess, writeAccess]
        if hasProprietaryFile { rest += [0x05, 0x06, 0xE1, 0x05, 0x00, 0x80, 0x82, 0x83] }
        return Type4Content.bigEndian(rest.count + 2, count: 2) + rest
    }
}

/// What the files of an NDEF application hold (NFC Forum Type 4 Tag).
enum Type4Content {
    /// The file with the capability container.
    static let containerIdentifier: UInt16 = 0xE103
    /// The file with the message.
    static let messageIdentifier: UInt16 = 0xE104
    /// The name of the NDEF application; the last byte is 00 for mapping version 1.
    static func applicationName(mappingVersion: UInt8) -> [UInt8] {
        [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, mappingVersion < 0x20 ? 0x00 : 0x01]
    }

    /// A message behind its length, filled up to the size of the file.
    static func messageFile(
        _ message: [UInt8], size: Int, lengthFieldSize: Int
    ) throws(VirtualTagError) -> [UInt8] {
        let capacity = max(size - lengthFieldSize, 0)
        guard message.count <= capacity else { throw .messageTooLarge(size: message.count, capacity: capacity) }
        let content = bigEndian(message.count, count: lengthFieldSize) + message
        return content + [UInt8](repeating: 0, count: max(size - content.count, 0))
    }

    /// A number with its most significant byte first.
    static func bigEndian(_ number: Int, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    /// An identifier of the right length, or the default one.
    static func identifier(_ identifier: [UInt8]?, default standard: [UInt8]) throws(VirtualTagError) -> [UInt8] {
        guard let identifier else { return standard }
        guard identifier.count == standard.count else {
            throw .wrongIdentifierSize(size: identifier.count, expected: standard.count)
        }
        return identifier
    }
}

/// What a capability container declares, as far as a virtual tag keeps to it (NFC Forum Type 4 Tag).
struct Type4Declaration {
    /// The identifier of the file with the message.
    let file: UInt16
    /// Mapping version, sizes and access conditions.
    let configuration: VirtualType4Card.Configuration

    /// Nil unless the first control TLV is that of the message file: 04 up to version 2, 06 from version 3 on.
    init?(_ container: [UInt8]) {
        guard container.count >= 15, container[2] < 0x30 || container.count >= 17 else { return nil }
        let isExtended = container[2] >= 0x30
        let (head, sizeBytes): ([UInt8], Int) = isExtended ? ([0x06, 0x08], 4) : ([0x04, 0x06], 2)
        let declared = Self.number(container[0..<2])
        guard container[7..<9].elementsEqual(head), (sizeBytes + 13...container.count).contains(declared) else {
            return nil
        }
        file = UInt16(container[9]) << 8 | UInt16(container[10])
        var configuration = VirtualType4Card.Configuration()
        configuration.mappingVersion = container[2]
        configuration.maximumReadSize = Self.number(container[3..<5])
        configuration.maximumWriteSize = Self.number(container[5..<7])
        configuration.fileSize = Self.number(container[11..<11 + sizeBytes])
        configuration.readAccess = container[11 + sizeBytes]
        configuration.writeAccess = container[12 + sizeBytes]
        self.configuration = configuration
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
