/// The memory of an NTAG 424 DNA with its files, and the conversation with a reader: what is selected, the session, and the run of
/// reads that see one value of the counter. It carries out the commands on files (NT4H2421Gx, §10.7 to §10.9).
struct NTAG424Chip: Sendable {
    var store: NTAG424Store
    private(set) var files: CardFileSystem
    /// The authentication.
    var session: NTAG424Session?
    private var run: NTAG424SDM.Run?
    private var previousRun: NTAG424SDM.Run?
    /// Whether the tamper loop is measured: not before the activation after it was enabled.
    private var measuresTamper = false
    /// Gives this many random bytes.
    let random: @Sendable (_ count: Int) -> [UInt8]

    /// How many bytes of a command one frame carries: FSC is 128, and three bytes of it are the block's.
    static let frameSize = 125
    /// The most bytes of a response.
    private static let responseSize = 256
    /// The name that selects the level above the application.
    private static let cardLevel: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x00]

    init(store: NTAG424Store, application: FileApplication, random: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.store = store
        self.random = random
        files = CardFileSystem(
            applications: [application],
            rules: CardFileSystem.Rules(
                readSize: Self.responseSize, writeSize: 255, reportsEnd: false,
                withoutFile: VirtualStatusWord.conditions))
    }

    /// Whether the application is selected; without it the chip is at the level above.
    var isInApplication: Bool { files.currentApplication != nil }

    /// Begins a conversation.
    mutating func activate() {
        reset()
        measuresTamper = store.configuration.measuresTamper
    }

    /// Ends the conversation as the power is lost.
    mutating func fieldDropped() {
        reset()
        store.fieldDropped()
    }

    private mutating func reset() {
        files.reset()
        session = nil
        run = nil
        previousRun = nil
        measuresTamper = false
    }

    /// Every command ends the run of reads, unless it continues it.
    mutating func beginCommand() {
        previousRun = run
        run = nil
    }

    /// Measures the tamper loop where that is due.
    mutating func measureTamper() {
        if measuresTamper { store.measureTamper() }
    }

    /// Gives files by their identifiers another content.
    mutating func replaceContents(_ contents: [UInt16: [UInt8]]) { files.replaceContents(contents) }

    /// Overwrites the beginning of a file; false if it does not exist or is smaller.
    mutating func overwrite(file number: UInt8, with bytes: [UInt8]) -> Bool {
        guard let index = files.applications[0].files.firstIndex(where: { $0.number == number }),
            bytes.count <= files.applications[0].files[index].bytes.count
        else { return false }
        files.applications[0].files[index].bytes.overwrite(at: 0, with: bytes)
        return true
    }
}

// MARK: Secure messaging

extension NTAG424Chip {
    /// Checks and decrypts a command's data. Without an authentication everything is plain.
    mutating func opened(
        _ instruction: UInt8, _ data: [UInt8], headerSize: Int, _ mode: NTAG424Session.Mode
    ) throws(NativeStatus) -> (header: [UInt8], data: [UInt8]) {
        if var session {
            defer { self.session = session }
            return try session.opened(instruction, data, headerSize: headerSize, mode)
        }
        guard data.count >= headerSize else { throw .wrongLength }
        return (Array(data.prefix(headerSize)), Array(data.dropFirst(headerSize)))
    }

    /// The answer to a command that was carried out. A response has at most 256 bytes.
    mutating func sealed(_ data: [UInt8], _ mode: NTAG424Session.Mode) throws(NativeStatus) -> [UInt8] {
        guard NTAG424Session.sealedSize(data.count, session == nil ? .plain : mode) <= Self.responseSize else {
            throw .wrongLength
        }
        return (session?.sealed(data, mode) ?? data) + NativeStatus.done.answer
    }
}

// MARK: Access

extension NTAG424Chip {
    private func file(_ number: UInt8?) throws(NativeStatus) -> (index: Int, file: CardFile) {
        guard let number else { throw .wrongLength }
        guard let current = files.currentApplication else { throw .permissionDenied }
        let list = files.applications[current].files
        guard let index = list.firstIndex(where: { $0.number == number }) else { throw .fileNotFound }
        return (index, list[index])
    }

    /// How an access is protected: as the file says where the key that was proven permits it, in plain where it is free.
    private func mode(_ rights: [UInt8], of file: CardFile) throws(NativeStatus) -> NTAG424Session.Mode {
        if let session, rights.contains(session.key) { return .init(fileOption: file.communication) }
        if rights.contains(0xE) { return .plain }
        throw rights.allSatisfy { $0 == 0xF } ? .permissionDenied : .authenticationError
    }

    /// The settings by which a file is read now; nil for its static content. A session shows the static content.
    private func messaging(of file: CardFile) -> NTAG424SDMSettings? {
        session == nil && file.number == NTAG424Files.messageFileNumber ? store.messaging : nil
    }

    /// SDMFileRead with a key lets everyone read the file.
    private func readRights(of file: CardFile) -> [UInt8] {
        file.readRights + (messaging(of: file)?.fileReadKey == nil ? [] : [0xE])
    }

    /// What a read finds in a file: its bytes, or what Secure Dynamic Messaging makes of them.
    private mutating func content(
        of file: CardFile, by command: NTAG424SDM.Run.Command
    ) throws(NativeStatus) -> [UInt8] {
        guard let messaging = messaging(of: file) else { return file.bytes }
        let run = try self.run(messaging, command)
        self.run = run
        if messaging.options.contains(.tamperStatus) { measureTamper() }
        return store.mirror(messaging).mirrored(
            file.bytes, run: run, tamperStatus: store.tamperLoop == nil ? nil : store.tamperStatus.bytes)
    }

    /// The run that a read belongs to.
    private mutating func run(
        _ settings: NTAG424SDMSettings, _ command: NTAG424SDM.Run.Command
    ) throws(NativeStatus) -> NTAG424SDM.Run {
        if let previousRun, previousRun.command == command { return previousRun }
        try store.beginRun(settings)
        let needsRandom = settings.encryptedIdentityOffset != nil
        return NTAG424SDM.Run(
            command: command, counter: store.readCounter,
            random: needsRandom ? random(NTAG424SDM.Run.randomCount) : [])
    }
}

// MARK: Settings and counters

extension NTAG424Chip {
    /// GetFileSettings.
    mutating func fileSettings(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (_, file) = try file(data.first)
        guard try opened(0xF5, data, headerSize: 1, .authenticated).data.isEmpty else { throw .wrongLength }
        let size = NTAG424SDMSettings.threeBytes(file.bytes.count)
        let messaging = file.number == NTAG424Files.messageFileNumber ? store.messaging : nil
        let option = file.communication | (messaging == nil ? 0x00 : 0x40)
        let settings = [0x00, option] + file.accessRights + size + (messaging?.bytes ?? [])
        return try sealed(settings, .authenticated)
    }

    /// ChangeFileSettings: in plain where the right to change is free, otherwise enciphered.
    mutating func changeFileSettings(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (index, file) = try file(data.first)
        _ = try mode([file.changeRight], of: file)
        let mode = file.changeRight == 0xE ? NTAG424Session.Mode.plain : .full
        let (_, content) = try opened(0x5F, data, headerSize: 1, mode)
        try applySettings(content, at: index)
        return try sealed([], mode)
    }

    /// Changes the settings of a file as ChangeFileSettings does, without a check of the right to do so.
    mutating func applySettings(_ content: [UInt8], at index: Int) throws(NativeStatus) {
        guard content.count >= 3, files.applications[0].files.indices.contains(index) else { throw .wrongLength }
        let file = files.applications[0].files[index]
        let rights = Array(content[1...2])
        let conditions = rights.flatMap { [$0 >> 4, $0 & 0x0F] }
        var messaging: NTAG424SDMSettings?
        if content[0] & 0x40 != 0 {
            guard file.number == NTAG424Files.messageFileNumber else { throw .permissionDenied }
            messaging = try .init(Array(content.dropFirst(3)), bounds: store.bounds(fileSize: file.bytes.count))
        } else {
            guard content.count == 3 else { throw .wrongLength }
        }
        guard content[0] & 0xBC == 0, conditions.allSatisfy({ $0 < NTAG424Keys.count || $0 >= 0xE }) else {
            throw .wrongParameter
        }
        files.applications[0].files[index].communication = content[0] & 0x03
        files.applications[0].files[index].accessRights = rights
        if file.number == NTAG424Files.messageFileNumber { store.setMessaging(messaging) }
        store.wear()
    }

    /// GetFileCounters: enciphered for a key, with a MAC where everyone may ask.
    mutating func fileCounters(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (_, file) = try file(data.first)
        guard file.number == NTAG424Files.messageFileNumber, let messaging = store.messaging,
            messaging.counterRight != 0xF
        else { throw .permissionDenied }
        let isFree = messaging.counterRight == 0xE
        guard isFree || session?.key == messaging.counterRight else { throw .authenticationError }
        guard try opened(0xF6, data, headerSize: 1, .authenticated).data.isEmpty else { throw .wrongLength }
        let counter = NTAG424SDM.bytes(store.readCounter) + [0x00, 0x00]
        return try sealed(counter, isFree ? .authenticated : .full)
    }
}

// MARK: Native reading and writing

extension NTAG424Chip {
    /// ReadData: file number, offset, length; a length of 0 means to the end.
    mutating func readData(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (_, file) = try file(data.first)
        let mode = try mode(readRights(of: file), of: file)
        let (header, rest) = try opened(0xAD, data, headerSize: 7, mode)
        guard rest.isEmpty else { throw .wrongLength }
        let (offset, length) = Self.range(header)
        let end = length == 0 ? file.bytes.count : offset + length
        guard offset < file.bytes.count, end <= file.bytes.count else { throw .boundary }
        let content = try content(of: file, by: .readData)
        return try sealed(Array(content[offset..<end]), mode)
    }

    /// WriteData: file number, offset, length, data.
    mutating func writeData(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (index, file) = try file(data.first)
        let mode = try mode(file.writeRights, of: file)
        let size = data.count + Self.apduOverhead
        let isChained = size > Self.frameSize
        guard !isChained || mode == .plain || !store.configuration.refusesChainedWrites else { throw .wrongLength }
        do throws(NativeStatus) {
            let (header, content) = try opened(0x8D, data, headerSize: 7, mode)
            let (offset, length) = Self.range(header)
            guard length > 0, content.count == length else { throw .wrongLength }
            guard offset + length <= file.bytes.count else { throw .boundary }
            overwrite(content, in: index, at: offset)
        } catch {
            // Writing began before the last frame and its MAC arrived (§10.8.2).
            let frames = (size - 1) / Self.frameSize
            if isChained, error == .integrityError { writeBeginning(Array(data.prefix(Self.received(in: frames)))) }
            throw error
        }
        return try sealed([], mode)
    }

    /// CLA, INS, P1, P2, Lc and Le.
    private static let apduOverhead = 6

    /// How many bytes of a command's data came with its first frames.
    static func received(in frames: Int) -> Int { max(frames * frameSize - 5, 0) }

    /// Stores what the first frames of a WriteData bring of the content; its MAC is still to come.
    ///
    /// - Parameter data: the command's data, as far as it was received.
    mutating func writeBeginning(_ data: [UInt8]) {
        guard data.count > 7, let (index, file) = try? file(data.first),
            let mode = try? mode(file.writeRights, of: file)
        else { return }
        let (offset, length) = Self.range(data)
        guard length > 0, offset + length <= file.bytes.count else { return }
        let body = Array(data.dropFirst(7))
        overwrite((session?.beginning(of: body, mode) ?? body).prefix(length), in: index, at: offset)
    }

    private mutating func overwrite(_ content: some Collection<UInt8>, in index: Int, at offset: Int) {
        files.applications[0].files[index].bytes.overwrite(at: offset, with: content)
        store.wear()
    }

    /// Offset and length, least significant byte first.
    private static func range(_ header: [UInt8]) -> (offset: Int, length: Int) {
        func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
        return (number(header[1..<4]), number(header[4..<7]))
    }
}

// MARK: Commands of ISO/IEC 7816-4

extension NTAG424Chip {
    /// Answers a command that is not wrapped. A refusal ends the authentication.
    mutating func performStandard(_ command: VirtualCardCommand) -> [UInt8] {
        let response = standardResponse(command)
        if response.suffix(2) != VirtualStatusWord.done[...] { session = nil }
        return response
    }

    private mutating func standardResponse(_ command: VirtualCardCommand) -> [UInt8] {
        guard command.instructionClass == 0x00 else { return files.perform(command) }
        switch command.instructionCode {
        case 0xA4 where Self.selectsCardLevel(command):
            session = nil
            files.enter(nil)
            return VirtualStatusWord.done
        // These commands are for free files, without an authentication.
        case 0xB0 where session != nil, 0xD6 where session != nil: return VirtualStatusWord.securityStatus
        case 0xB0: return addressed(command) { $0.readBinary($1) }
        case 0xD6: return addressed(command) { $0.updateBinary($1) }
        default: return files.perform(command)
        }
    }

    private static func selectsCardLevel(_ command: VirtualCardCommand) -> Bool {
        switch command.p1 {
        case 0x00: command.data.isEmpty || command.data == [0x3F, 0x00]
        case 0x03: command.data.isEmpty
        case 0x04: command.data == cardLevel
        default: false
        }
    }

    /// Selects the file of a short identifier in P1, the five lowest bits of its identifier; 0 is the current file.
    private mutating func addressed(
        _ command: VirtualCardCommand, _ perform: (inout NTAG424Chip, VirtualCardCommand) -> [UInt8]
    ) -> [UInt8] {
        guard command.p1 & 0x80 != 0 else { return perform(&self, command) }
        guard command.p1 & 0x60 == 0 else { return VirtualStatusWord.wrongParameters }
        let short = command.p1 & 0x1F
        if short != 0 {
            let selection = VirtualCardCommand(instructionCode: 0xA4, p1: 0x02, p2: 0x0C, data: [0xE1, short])
            let answer = files.perform(selection)
            guard answer == VirtualStatusWord.done else { return answer }
        }
        let rest = VirtualCardCommand(
            instructionCode: command.instructionCode, p2: command.p2, data: command.data,
            expectedLength: command.expectedLength)
        return perform(&self, rest)
    }

    private mutating func readBinary(_ command: VirtualCardCommand) -> [UInt8] {
        guard let file = files.file, let index = files.currentFile, messaging(of: file) != nil,
            readRights(of: file).contains(0xE), command.data.isEmpty, command.expectedLength != nil,
            command.parameter < file.bytes.count
        else { return files.perform(command) }
        guard let content = try? content(of: file, by: .readBinary) else { return VirtualStatusWord.securityStatus }
        var view = files
        view.applications[0].files[index].bytes = content
        view.applications[0].files[index].accessRights = CardFile.free
        return view.perform(command)
    }

    private mutating func updateBinary(_ command: VirtualCardCommand) -> [UInt8] {
        let response = files.perform(command)
        if response == VirtualStatusWord.done { store.wear() }
        return response
    }
}
