/// The commands that read and write the content of files.
extension DESFireSystem {
    mutating func executeOnData(
        _ instruction: UInt8, _ payload: [UInt8], room: Int
    ) throws(NativeStatus) -> DESFireOutcome? {
        switch instruction {
        case 0xBD, 0xBB: return try read(instruction, payload, room: nil)
        case 0xAD where isLater, 0xAB where isLater: return try read(instruction, payload, room: room)
        case 0x3D, 0x3B: return try write(instruction, payload, header: 7)
        case 0x8D where isLater, 0x8B where isLater: return try write(instruction, payload, header: 7)
        case 0xDB where isLater, 0xBA where isLater: return try write(instruction, payload, header: 10)
        case 0xEB: return try clearRecords(payload)
        case 0x6C: return try readValue(payload)
        case 0x0C, 0xDC, 0x1C: return try changeValue(instruction, payload)
        default: return nil
        }
    }

    /// The file that the first parameter names.
    private func file(_ payload: [UInt8]) throws(NativeStatus) -> DESFireFile {
        let application = try application()
        guard let number = payload.first else { throw .wrongLength }
        return try application.file(number)
    }

    /// READ_DATA and READ_RECORDS: file, offset, length; a length of 0 stands for all from there on.
    ///
    /// - Parameter room: the most bytes of an answer without frames; nil for an answer in frames.
    private mutating func read(
        _ instruction: UInt8, _ payload: [UInt8], room: Int?
    ) throws(NativeStatus) -> DESFireOutcome {
        let application = try application()
        guard payload.count >= 7 else { throw .wrongLength }
        let file = try application.file(payload[0])
        let protection = try protection(file.rights.reading, of: file)
        let header = try receive(instruction, payload, header: 7, protection).header
        let count = NativeNumber.value(header[4..<7])
        let data = try content(instruction, of: file, first: NativeNumber.value(header[1..<4]), count: count)
        if case .transactionCode = file.content {} else { try record(instruction, header, data) }
        let outcome = answer(data, protection, frameSize: room, isOpenEnded: count == 0)
        if room != nil, case .answer(let frames, _) = outcome, frames.count > 1 { throw .wrongLength }
        return outcome
    }

    private func content(
        _ instruction: UInt8, of file: DESFireFile, first: Int, count: Int
    ) throws(NativeStatus) -> [UInt8] {
        if instruction == 0xBB || instruction == 0xAB {
            guard case .records(let records) = file.content else { throw .permissionDenied }
            return try records.read(first: first, count: count)
        }
        guard let bytes = file.bytes else { throw .permissionDenied }
        let end = count == 0 ? bytes.count : first + count
        guard first < bytes.count, end <= bytes.count else { throw .boundary }
        return Array(bytes[first..<end])
    }

    /// WRITE_DATA, WRITE_RECORD and UPDATE_RECORD: file, for the last one a record, offset, length, data. The data may come in
    /// several frames, and the file changes when all of it has come.
    private mutating func write(
        _ instruction: UInt8, _ payload: [UInt8], header: Int
    ) throws(NativeStatus) -> DESFireOutcome {
        let application = try application()
        guard payload.count >= header else { throw .wrongLength }
        let file = try application.file(payload[0])
        let rights = header == 10 ? file.rights.full : file.rights.writing
        let protection = try protection(rights, of: file)
        let count = NativeNumber.value(payload[header - 3..<header])
        let offset = NativeNumber.value(payload[header - 6..<header - 3])
        try Self.check(instruction, file, offset: offset, count: count)
        let total = header + size(of: count, protection)
        let isInFrames = [0x3D, 0x3B, 0xDB].contains(instruction)
        if isInFrames, payload.count < total { return .incomplete(total: total) }
        let (parameters, data, _) = try receive(instruction, payload, header: header, count: count, protection)
        let changed = try Self.written(data, at: offset, parameters, in: file)
        try store(changed)
        try record(instruction, parameters, data)
        return answer([], protection)
    }

    private static func check(
        _ instruction: UInt8, _ file: DESFireFile, offset: Int, count: Int
    ) throws(NativeStatus) {
        if case .records(let records) = file.content, instruction != 0x3D, instruction != 0x8D {
            return try records.checkRange(offset: offset, count: count)
        }
        guard file.isWritable, instruction == 0x3D || instruction == 0x8D else { throw .permissionDenied }
        guard count > 0, offset + count <= file.bytes?.count ?? 0 else { throw .boundary }
    }

    private static func written(
        _ data: [UInt8], at offset: Int, _ parameters: [UInt8], in file: DESFireFile
    ) throws(NativeStatus) -> DESFireFile {
        var file = file
        guard case .records(var records) = file.content else {
            file.write(data, at: offset)
            return file
        }
        if parameters.count == 10 {
            try records.update(NativeNumber.value(parameters[1..<4]), data, at: offset)
        } else {
            try records.write(data, at: offset)
        }
        file.content = .records(records)
        return file
    }

    private mutating func clearRecords(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        var file = try file(payload)
        let protection = try protection(file.rights.full, of: file)
        guard case .records(var records) = file.content else { throw .permissionDenied }
        let header = try receive(0xEB, payload, header: 1, protection).header
        records.clear()
        file.content = .records(records)
        try store(file)
        try record(0xEB, header)
        return answer([], protection)
    }

    private mutating func readValue(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        let file = try file(payload)
        guard case .value(let value) = file.content else { throw .permissionDenied }
        let rights = file.rights.spending + (value.isFreelyRead ? [0xE] : [])
        let protection = try protection(rights, of: file)
        let header = try receive(0x6C, payload, header: 1, protection).header
        let data = NativeNumber.bytes(value.amount, count: 4)
        try record(0x6C, header, data)
        return answer(data, protection)
    }

    /// Credit, Debit and LimitedCredit: file, amount.
    private mutating func changeValue(_ instruction: UInt8, _ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        var file = try file(payload)
        guard case .value(var value) = file.content else { throw .permissionDenied }
        let rights = [0x0C: file.rights.full, 0xDC: file.rights.spending, 0x1C: file.rights.writing][instruction] ?? []
        let protection = try protection(rights, of: file)
        let (header, data, _) = try receive(instruction, payload, header: 1, count: 4, protection)
        let amount = NativeNumber.signed(data)
        switch instruction {
        case 0x0C: try value.credit(amount)
        case 0xDC: try value.debit(amount)
        default: try value.creditLimited(amount)
        }
        file.content = .value(value)
        try store(file)
        try record(instruction, header + data)
        return answer([], protection)
    }

    private mutating func store(_ file: DESFireFile) throws(NativeStatus) {
        try change { application in application.store(file) }
    }

    /// Adds a command to what a transaction MAC covers.
    private mutating func record(
        _ instruction: UInt8, _ parameters: [UInt8], _ data: [UInt8] = []
    ) throws(NativeStatus) {
        guard try application().transactionCode != nil else { return }
        try change { application in application.record(instruction, parameters, data) }
    }
}
