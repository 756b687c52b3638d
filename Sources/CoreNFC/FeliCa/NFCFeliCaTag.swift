public import Foundation

/// A FeliCa tag (JIS X 6319-4) with one of the system codes that the configuration lists.
///
/// Service and node codes are two bytes, least significant first. Blocks are 16 bytes. Status flags other than 0 are not
/// errors.
public protocol NFCFeliCaTag: NFCNDEFTag, __NFCTag {
    /// The system code that was selected, two bytes in the order in which it is listed; never empty.
    ///
    /// A program without an Info.plist, and a session for messages, have no list. Then it is the NDEF system, 12FC, of a tag that has it,
    /// and the first system of any other.
    var currentSystemCode: Data { get }
    /// The eight bytes IDm of the selected system; they may change with every polling.
    var currentIDm: Data { get }

    /// Selects a system. The handler gets PMm, and what was asked for.
    ///
    /// A code that is not listed, or has a wildcard byte FF, gives error 2, and the selected system stays.
    @preconcurrency
    func polling(
        systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot,
        completionHandler: @escaping @Sendable (Data, Data, (any Error)?) -> Void)

    /// Asks for the key versions of 1…32 nodes; FFFF where a node is not there.
    @preconcurrency
    func requestService(nodeCodeList: [Data], completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void)

    /// Queries whether the tag is in the field, and its mode, 0…3.
    @preconcurrency
    func requestResponse(completionHandler: @escaping @Sendable (Int, (any Error)?) -> Void)

    /// Reads blocks of 1…16 services. The handler gets both status flags and the blocks.
    ///
    /// Each element of `blockList` is two or three bytes. The blocks are valid only where the first flag is 0.
    @preconcurrency
    func readWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data],
        completionHandler: @escaping @Sendable (Int, Int, [Data], (any Error)?) -> Void)

    /// Writes blocks of 1…16 services, as many as `blockList` has elements. The handler gets both status flags.
    @preconcurrency
    func writeWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data], blockData: [Data],
        completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void)

    /// Asks for the system codes of the tag.
    @preconcurrency
    func requestSystemCode(completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void)

    /// Asks for the key versions of 1…32 nodes. The handler gets both status flags, how the keys are used, and the
    /// versions of the AES and of the DES keys.
    @preconcurrency
    func requestServiceV2(
        nodeCodeList: [Data],
        completionHandler: @escaping @Sendable (Int, Int, NFCFeliCaEncryptionId, [Data], [Data], (any Error)?) -> Void)

    /// Asks for the version of the tag's operating system. The handler gets both status flags, the version of the basic
    /// part, and those of the options.
    @preconcurrency
    func requestSpecificationVersion(
        completionHandler: @escaping @Sendable (Int, Int, Data, Data, (any Error)?) -> Void)

    /// Puts the tag into mode 0. The handler gets both status flags.
    @preconcurrency
    func resetMode(completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void)

    /// Sends a command of at most 254 bytes, without its length byte. Length and CRC are added.
    @preconcurrency
    func sendFeliCaCommand(
        commandPacket: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)
}

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

    /// Queries whether the tag is in the field, and its mode, 0…3.
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

extension NFCFeliCaTag {
    /// Selects a system.
    @preconcurrency
    public func polling(
        systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot,
        resultHandler: @escaping @Sendable (Result<NFCFeliCaPollingResponse, any Error>) -> Void
    ) {
        polling(systemCode: systemCode, requestCode: requestCode, timeSlot: timeSlot) { parameter, data, error in
            resultHandler(
                outcome(NFCFeliCaPollingResponse(manufactureParameter: parameter, requestData: data), error))
        }
    }

    /// Asks for the key versions of 1…32 nodes.
    @preconcurrency
    public func requestService(
        nodeCodeList: [Data], resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
    ) {
        requestService(nodeCodeList: nodeCodeList) { resultHandler(outcome($0, $1)) }
    }

    /// Queries whether the tag is in the field, and its mode.
    @preconcurrency
    public func requestResponse(resultHandler: @escaping @Sendable (Result<Int, any Error>) -> Void) {
        requestResponse { resultHandler(outcome($0, $1)) }
    }

    /// Reads blocks of 1…16 services.
    @preconcurrency
    public func readWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data],
        resultHandler: @escaping @Sendable (Result<(NFCFeliCaStatusFlag, [Data]), any Error>) -> Void
    ) {
        readWithoutEncryption(serviceCodeList: serviceCodeList, blockList: blockList) { flag1, flag2, blocks, error in
            resultHandler(outcome((NFCFeliCaStatusFlag(statusFlag1: flag1, statusFlag2: flag2), blocks), error))
        }
    }

    /// Writes blocks of 1…16 services.
    @preconcurrency
    public func writeWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data], blockData: [Data],
        resultHandler: @escaping @Sendable (Result<NFCFeliCaStatusFlag, any Error>) -> Void
    ) {
        writeWithoutEncryption(serviceCodeList: serviceCodeList, blockList: blockList, blockData: blockData) {
            resultHandler(outcome(NFCFeliCaStatusFlag(statusFlag1: $0, statusFlag2: $1), $2))
        }
    }

    /// Asks for the system codes of the tag.
    @preconcurrency
    public func requestSystemCode(resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void) {
        requestSystemCode { resultHandler(outcome($0, $1)) }
    }

    /// Asks for the key versions of 1…32 nodes, and how the keys are used.
    @preconcurrency
    public func requestServiceV2(
        nodeCodeList: [Data],
        resultHandler: @escaping @Sendable (Result<NFCFeliCaRequsetServiceV2Response, any Error>) -> Void
    ) {
        requestServiceV2(nodeCodeList: nodeCodeList) { flag1, flag2, encryption, aes, des, error in
            let response = NFCFeliCaRequsetServiceV2Response(
                statusFlag1: flag1, statusFlag2: flag2, encryptionIdentifier: encryption, nodeKeyVersionListAES: aes,
                nodeKeyVersionListDES: des)
            resultHandler(outcome(response, error))
        }
    }

    /// Asks for the version of the tag's operating system.
    @preconcurrency
    public func requestSpecificationVersion(
        resultHandler: @escaping @Sendable (Result<NFCFeliCaRequestSpecificationVersionResponse, any Error>) -> Void
    ) {
        requestSpecificationVersion { flag1, flag2, basic, option, error in
            let response = NFCFeliCaRequestSpecificationVersionResponse(
                statusFlag1: flag1, statusFlag2: flag2, basicVersion: basic, optionVersion: option)
            resultHandler(outcome(response, error))
        }
    }

    /// Puts the tag into mode 0.
    @preconcurrency
    public func resetMode(resultHandler: @escaping @Sendable (Result<NFCFeliCaStatusFlag, any Error>) -> Void) {
        resetMode { resultHandler(outcome(NFCFeliCaStatusFlag(statusFlag1: $0, statusFlag2: $1), $2)) }
    }

    /// Sends a command of at most 254 bytes, without its length byte.
    @preconcurrency
    public func sendFeliCaCommand(
        commandPacket: Data, resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        sendFeliCaCommand(commandPacket: commandPacket) { resultHandler(outcome($0, $1)) }
    }
}
