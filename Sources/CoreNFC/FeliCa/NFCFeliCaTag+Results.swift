public import Foundation

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

    /// Asks whether the tag is there, and for its mode.
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
