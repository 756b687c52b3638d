public import Foundation

extension NFCFeliCaTag {
    /// Selects a system and gives PMm, and what was asked for.
    public func polling(
        systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot
    ) async throws -> (Data, Data) {
        try await awaiting { finish in
            polling(systemCode: systemCode, requestCode: requestCode, timeSlot: timeSlot) { finish(($0, $1), $2) }
        }
    }

    /// Asks for the key versions of 1…32 nodes.
    public func requestService(nodeCodeList: [Data]) async throws -> [Data] {
        try await awaiting { requestService(nodeCodeList: nodeCodeList, completionHandler: $0) }
    }

    /// Asks whether the tag is there, and for its mode, 0…3.
    public func requestResponse() async throws -> Int {
        try await awaiting { requestResponse(completionHandler: $0) }
    }

    /// Reads blocks of 1…16 services and gives both status flags and the blocks.
    public func readWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data]
    ) async throws -> (Int, Int, [Data]) {
        try await awaiting { finish in
            readWithoutEncryption(serviceCodeList: serviceCodeList, blockList: blockList) { finish(($0, $1, $2), $3) }
        }
    }

    /// Writes blocks of 1…16 services and gives both status flags.
    public func writeWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data], blockData: [Data]
    ) async throws -> (Int, Int) {
        try await awaiting { finish in
            writeWithoutEncryption(serviceCodeList: serviceCodeList, blockList: blockList, blockData: blockData) {
                finish(($0, $1), $2)
            }
        }
    }

    /// Asks for the system codes of the tag.
    public func requestSystemCode() async throws -> [Data] {
        try await awaiting { requestSystemCode(completionHandler: $0) }
    }

    /// Asks for the key versions of 1…32 nodes and gives both status flags, how the keys are used, and the versions of the
    /// AES and of the DES keys.
    public func requestServiceV2(
        nodeCodeList: [Data]
    ) async throws -> (Int, Int, NFCFeliCaEncryptionId, [Data], [Data]) {
        try await awaiting { finish in
            requestServiceV2(nodeCodeList: nodeCodeList) { finish(($0, $1, $2, $3, $4), $5) }
        }
    }

    /// Asks for the version of the tag's operating system and gives both status flags, the version of the basic part, and
    /// those of the options.
    public func requestSpecificationVersion() async throws -> (Int, Int, Data, Data) {
        try await awaiting { finish in requestSpecificationVersion { finish(($0, $1, $2, $3), $4) } }
    }

    /// Puts the tag into mode 0 and gives both status flags.
    public func resetMode() async throws -> (Int, Int) {
        try await awaiting { finish in resetMode { finish(($0, $1), $2) } }
    }

    /// Sends a command of at most 254 bytes, without its length byte, and gives the reply.
    public func sendFeliCaCommand(commandPacket: Data) async throws -> Data {
        try await awaiting { sendFeliCaCommand(commandPacket: commandPacket, completionHandler: $0) }
    }
}
