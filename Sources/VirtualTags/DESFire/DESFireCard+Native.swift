extension DESFireCard {
    /// The most data of a file in one native frame.
    static let frameSize = 59

    /// Answers a wrapped native command.
    mutating func performNative(_ command: CardCommand) -> [UInt8] {
        guard command.expected != nil else { return NativeStatus.wrongLength.answer }
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
        case product.readInstruction: return readData(data)
        case product.writeInstruction: return writeData(data)
        case 0x5A where product.hasApplicationDirectory: return selectApplication(data)
        case 0x6A where product.hasApplicationDirectory: return applicationNumbers()
        case 0x6F where product.hasApplicationDirectory: return fileList { [$0.number] }
        case 0x61 where product.hasApplicationDirectory:
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

extension DESFireCard {
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
