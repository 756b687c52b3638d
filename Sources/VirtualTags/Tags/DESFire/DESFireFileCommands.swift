/// The commands that create, list, change and delete files, and end transactions.
extension DESFireSystem {
    mutating func executeOnFiles(
        _ instruction: UInt8, _ payload: [UInt8]
    ) throws(NativeStatus) -> DESFireOutcome? {
        switch instruction {
        case 0x6F: return try listFiles(instruction, payload) { [$0.number] }
        case 0x61:
            return try listFiles(instruction, payload) { file in
                file.isoIdentifier.map { NativeNumber.bytes(Int($0), count: 2) } ?? []
            }
        case 0xF5: return try fileSettings(payload)
        case 0x5F: return try changeFileSettings(payload)
        case 0xCD, 0xCB, 0xCC, 0xC1, 0xC0: return try createFile(instruction, payload)
        case 0xCE where isLater: return try createTransactionFile(payload)
        case 0xDF: return try deleteFile(payload)
        case 0xC7: return try commit(payload)
        case 0xA7: return try abort(payload)
        default: return nil
        }
    }

    private mutating func listFiles(
        _ instruction: UInt8, _ payload: [UInt8], _ entry: (DESFireFile) -> [UInt8]
    ) throws(NativeStatus) -> DESFireOutcome {
        let application = try application()
        guard application.keyring.permitsListing(proven) else { throw .authenticationError }
        _ = try parameters(instruction, payload, 0...0)
        return answer(application.files.flatMap(entry))
    }

    private mutating func fileSettings(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        let application = try application()
        guard application.keyring.permitsListing(proven) else { throw .authenticationError }
        let number = try parameters(0xF5, payload, 1...1)[0]
        return answer(try application.file(number).settings)
    }

    /// ChangeFileSettings: communication and access rights. Further rights and Secure Dynamic Messaging are not modelled.
    private mutating func changeFileSettings(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        let application = try application()
        guard let number = payload.first else { throw .wrongLength }
        var file = try application.file(number)
        let isProven = proven.map { file.rights.changing.contains($0) } ?? false
        let protection = isProven ? DESFireProtection.full : try protection(file.rights.changing, of: file)
        let data = try receive(0x5F, payload, header: 1, count: 3, protection).data
        file.communication = data[0]
        file.rights = DESFireAccessRights(bytes: Array(data[1...]))
        guard data[0] & 0xFC == 0, !file.rights.exceeds(keyCount: application.keyring.count) else {
            throw .wrongParameter
        }
        let changed = file
        try change { application in application.store(changed) }
        return answer([], protection)
    }

    private mutating func createFile(_ instruction: UInt8, _ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        let application = try application()
        guard application.keyring.permitsCreation(proven) else { throw .authenticationError }
        let size = DESFireApplication.parameterSizes[instruction] ?? 0
        let parameters = try parameters(instruction, payload, size...(instruction == 0xCC ? size : size + 2))
        guard parameters.count != size + 1 else { throw .wrongLength }
        let file = try application.newFile(instruction, parameters)
        try change { application throws(NativeStatus) in try application.add(file) }
        return answer()
    }

    /// CreateTransactionMACFile: number, communication, rights, the kind of the key, then the key and its version.
    private mutating func createTransactionFile(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        guard try application().keyring.permitsCreation(proven) else { throw .authenticationError }
        let (header, data, _) = try receive(0xCE, payload, header: 5, count: 17, .full)
        guard header[4] == 0x02 else { throw .wrongParameter }
        let file = DESFireFile(
            number: header[0], isoIdentifier: nil, communication: header[1],
            rights: DESFireAccessRights(bytes: Array(header[2..<4])),
            content: .transactionCode(DESFireTransactionCode(key: Array(data.prefix(16)), version: data[16])))
        try change { application throws(NativeStatus) in try application.add(file) }
        return answer()
    }

    private mutating func deleteFile(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        guard try application().keyring.permitsCreation(proven) else { throw .authenticationError }
        let number = try parameters(0xDF, payload, 1...1)[0]
        try change { application throws(NativeStatus) in try application.delete(number) }
        return answer()
    }

    /// CommitTransaction; with option 01 the answer has the transaction MAC.
    private mutating func commit(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        let hasCode = try application().transactionCode != nil
        let option = try parameters(0xC7, payload, 0...(isLater ? 1 : 0)).first ?? 0
        guard option == 0 || option == 1 && hasCode else { throw .wrongParameter }
        let serialNumber = serialNumber
        try change { application throws(NativeStatus) in try application.commit(serialNumber: serialNumber) }
        return answer(option == 1 ? try application().transactionCode ?? [] : [])
    }

    private mutating func abort(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        _ = try parameters(0xA7, payload, 0...0)
        guard try application().isPending else { throw .noChanges }
        try change { application in application.abort() }
        return answer()
    }
}
