/// The ISO/IEC 7816-4 commands of a DESFire card: SELECT, READ BINARY and UPDATE BINARY on files with identifiers and free rights.
struct DESFireStandardCommands: Sendable {
    private let product: VirtualDESFireProduct
    /// The number of the selected file.
    private var selected: UInt8?

    /// The name that selects the card level.
    private static let cardName: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x00]

    init(_ product: VirtualDESFireProduct) { self.product = product }

    /// Forgets the selected file.
    mutating func reset() { selected = nil }

    /// Forgets the selected file where a native command selected an application or deleted the file.
    mutating func follow(_ system: DESFireSystem, after instruction: UInt8) {
        if instruction == 0x5A || file(of: system) == nil { selected = nil }
    }

    /// Answers a command of another class than 90.
    mutating func perform(_ command: VirtualCardCommand, on system: inout DESFireSystem) -> [UInt8] {
        guard command.instructionClass & 0x10 == 0 else { return VirtualStatusWord.chainingNotSupported }
        guard command.instructionClass == 0x00 else { return VirtualStatusWord.classNotSupported }
        switch command.instructionCode {
        case 0xA4: return select(command, on: &system)
        case 0xB0: return read(command, from: system)
        case 0xD6: return update(command, on: &system)
        default: return VirtualStatusWord.instructionNotSupported
        }
    }
}

extension DESFireStandardCommands {
    /// SELECT by name (P1 04), or by file identifier (P1 00, 01 a dedicated, 02 an elementary file). No answer data.
    private mutating func select(_ command: VirtualCardCommand, on system: inout DESFireSystem) -> [UInt8] {
        guard command.p2 == 0x00 || command.p2 == 0x0C else { return VirtualStatusWord.wrongParameters }
        switch command.p1 {
        case 0x04 where command.data == Self.cardName: return enter(DESFireMemory.cardLevel, on: &system)
        case 0x04:
            return enter(system.memory.applications.first { $0.name == command.data && !$0.name.isEmpty }, on: &system)
        case 0x00...0x02: return selectFile(command, on: &system)
        default: return VirtualStatusWord.wrongParameters
        }
    }

    private mutating func selectFile(_ command: VirtualCardCommand, on system: inout DESFireSystem) -> [UInt8] {
        if command.p1 == 0x00, command.data.isEmpty { return enter(DESFireMemory.cardLevel, on: &system) }
        guard command.data.count == 2 else { return VirtualStatusWord.wrongLength }
        let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
        let files = system.memory.application(system.level)?.files ?? []
        if command.p1 != 0x01, let file = files.first(where: { $0.isoIdentifier == identifier && $0.bytes != nil }) {
            selected = file.number
            return VirtualStatusWord.done
        }
        guard command.p1 != 0x02 else { return VirtualStatusWord.notFound }
        if identifier == 0x3F00 { return enter(DESFireMemory.cardLevel, on: &system) }
        return enter(system.memory.applications.first { $0.isoIdentifier == identifier }, on: &system)
    }

    private mutating func enter(_ application: DESFireApplication?, on system: inout DESFireSystem) -> [UInt8] {
        guard let application else { return VirtualStatusWord.notFound }
        return enter(application.identifier, on: &system)
    }

    private mutating func enter(_ level: [UInt8], on system: inout DESFireSystem) -> [UInt8] {
        system.select(level)
        selected = nil
        return VirtualStatusWord.done
    }

    private func file(of system: DESFireSystem) -> DESFireFile? {
        guard let selected else { return nil }
        return system.memory.application(system.level)?.files.first { $0.number == selected }
    }

    /// READ BINARY with the offset in P1 and P2. Le 00 asks for as much as there is.
    private func read(_ command: VirtualCardCommand, from system: DESFireSystem) -> [UInt8] {
        guard command.data.isEmpty, let expected = command.expectedLength else { return VirtualStatusWord.wrongLength }
        guard command.p1 & 0x80 == 0 else { return VirtualStatusWord.wrongParameters }
        guard let file = file(of: system), let bytes = file.bytes else { return VirtualStatusWord.noCurrentFile }
        guard system.proven == nil, file.rights.reading.contains(0xE) else { return VirtualStatusWord.securityStatus }
        guard command.parameter < bytes.count else { return VirtualStatusWord.wrongOffset }
        let isOpen = expected == 256 || expected == 65_536
        guard expected <= product.maximumReadSize || isOpen else { return VirtualStatusWord.wrongLength }
        let data = bytes.dropFirst(command.parameter).prefix(min(expected, product.maximumReadSize))
        let isShort = data.count < expected && !isOpen
        return data + (isShort ? VirtualStatusWord.endOfFile : VirtualStatusWord.done)
    }

    /// UPDATE BINARY with the offset in P1 and P2.
    private mutating func update(_ command: VirtualCardCommand, on system: inout DESFireSystem) -> [UInt8] {
        guard command.p1 & 0x80 == 0 else { return VirtualStatusWord.wrongParameters }
        guard var file = file(of: system), let bytes = file.bytes else { return VirtualStatusWord.noCurrentFile }
        guard command.expectedLength == nil, !command.data.isEmpty, command.data.count <= product.maximumWriteSize
        else { return VirtualStatusWord.wrongLength }
        guard system.proven == nil, file.isWritable, file.rights.writing.contains(0xE) else {
            return VirtualStatusWord.securityStatus
        }
        guard command.parameter < bytes.count else { return VirtualStatusWord.wrongOffset }
        guard command.parameter + command.data.count <= bytes.count else { return VirtualStatusWord.notEnoughMemory }
        file.write(command.data, at: command.parameter)
        let changed = file
        guard (try? system.change { application in application.store(changed) }) != nil else {
            return VirtualStatusWord.notEnoughMemory
        }
        return VirtualStatusWord.done
    }
}
