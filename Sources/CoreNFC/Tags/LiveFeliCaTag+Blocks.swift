import Synchronization

// Polling, and services with their blocks (JIS X 6319-4; FeliCa Card User's Manual, chapter 4).

extension LiveFeliCaTag {
    @preconcurrency
    func polling(
        systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot,
        completionHandler: @escaping @Sendable (Data, Data, (any Error)?) -> Void
    ) {
        exchange { _ throws(NFCReaderError) in
            let code = try FeliCaLimits.systemCode(systemCode)
            return FeliCaPacket(
                [0x00] + code + [
                    UInt8(truncatingIfNeeded: requestCode.rawValue), UInt8(truncatingIfNeeded: timeSlot.rawValue),
                ])
        } read: { [self] answer throws(NFCReaderError) in
            let identifier = try answer.bytes(8)
            let parameters = try answer.bytes(8)
            system.withLock { $0 = System(code: systemCode, identifier: identifier) }
            return (parameters, answer.remainder)
        } completion: { result in
            switch result {
            case .success(let found): completionHandler(found.0, found.1, nil)
            case .failure(let error): completionHandler(Data(), Data(), error)
            }
        }
    }

    @preconcurrency
    func requestService(nodeCodeList: [Data], completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void) {
        exchange { identifier throws(NFCReaderError) in
            FeliCaPacket(0x02, to: identifier, try FeliCaLimits.nodeCodes(nodeCodeList))
        } read: { answer throws(NFCReaderError) in
            _ = try answer.bytes(8)
            return try answer.list(of: 2)
        } completion: {
            completionHandler((try? $0.get()) ?? [], $0.failure)
        }
    }

    @preconcurrency
    func readWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data],
        completionHandler: @escaping @Sendable (Int, Int, [Data], (any Error)?) -> Void
    ) {
        exchange { identifier throws(NFCReaderError) in
            let parameters = try FeliCaLimits.serviceCodes(serviceCodeList) + FeliCaLimits.blockList(blockList)
            return FeliCaPacket(0x06, to: identifier, parameters)
        } read: { answer throws(NFCReaderError) in
            _ = try answer.bytes(8)
            let flags = try answer.flags()
            // Behind flags that refuse there is nothing.
            return (flags, flags.0 == 0 ? try answer.list(of: FeliCaLimits.blockLength) : [])
        } completion: { result in
            switch result {
            case .success(let read): completionHandler(read.0.0, read.0.1, read.1, nil)
            case .failure(let error): completionHandler(0, 0, [], error)
            }
        }
    }

    @preconcurrency
    func writeWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data], blockData: [Data],
        completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void
    ) {
        exchange { identifier throws(NFCReaderError) in
            let lists = try FeliCaLimits.serviceCodes(serviceCodeList) + FeliCaLimits.blockList(blockList)
            return FeliCaPacket(0x08, to: identifier, lists + (try FeliCaLimits.blockData(blockData, for: blockList)))
        } read: { answer throws(NFCReaderError) in
            _ = try answer.bytes(8)
            return try answer.flags()
        } completion: {
            Self.tell($0, completionHandler)
        }
    }

    /// Hands over two status flags.
    static func tell(
        _ result: Result<(Int, Int), NFCReaderError>, _ handler: @Sendable (Int, Int, (any Error)?) -> Void
    ) {
        switch result {
        case .success(let flags): handler(flags.0, flags.1, nil)
        case .failure(let error): handler(0, 0, error)
        }
    }
}
