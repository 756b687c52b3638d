extension DESFireCard {
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
