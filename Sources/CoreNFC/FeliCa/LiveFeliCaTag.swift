import NFCClient
import NFCProtocol
import Synchronization

/// A FeliCa card.
final class LiveFeliCaTag: LiveTag, NFCFeliCaTag, @unchecked Sendable {
    struct System: Sendable {
        var code: Data
        /// The IDm with which the system answered last.
        var identifier: Data
    }

    let system: Mutex<System>

    required init(_ remote: RemoteTag, polling: Int, engine: SessionEngine) {
        system = Mutex(
            System(
                // A reader may not be able to poll for a system.
                code: Data(remote.facts.currentSystemCode?.bytes ?? [0x12, 0xFC]),
                identifier: Data((remote.facts.currentIDm ?? remote.facts.identifier).bytes)))
        super.init(remote, polling: polling, engine: engine)
    }

    required init?(coder: NSCoder) { nil }

    override var type: __NFCTagType { .feliCa }
    var currentSystemCode: Data { system.withLock { $0.code } }
    var currentIDm: Data { system.withLock { $0.identifier } }

    /// Sends a packet that is built when its turn has come, by the IDm of that time, and reads what comes back.
    func exchange<Value: Sendable>(
        _ packet: @escaping @Sendable (_ identifier: Data) throws(NFCReaderError) -> FeliCaPacket,
        read: @escaping @Sendable (inout FeliCaAnswer) throws(NFCReaderError) -> Value,
        completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void
    ) {
        engine.perform(on: self) { [self] remote in
            let packet = try packet(currentIDm)
            let answer = try await remote.feliCa.sendCommand(try packet.checked())
            var reading = try FeliCaAnswer(answer, to: packet)
            return try read(&reading)
        } completion: {
            completion($0)
        }
    }
}

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
            system.withLock { $0 = System(code: systemCode.fromZero, identifier: identifier) }
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
            Self.report($0, completionHandler)
        }
    }

    /// Hands over two status flags.
    static func report(
        _ result: Result<(Int, Int), NFCReaderError>, _ handler: @Sendable (Int, Int, (any Error)?) -> Void
    ) {
        switch result {
        case .success(let flags): handler(flags.0, flags.1, nil)
        case .failure(let error): handler(0, 0, error)
        }
    }
}

// The modes and systems of a card, and raw commands (FeliCa Card User's Manual, chapter 4).

extension LiveFeliCaTag {
    @preconcurrency
    func requestResponse(completionHandler: @escaping @Sendable (Int, (any Error)?) -> Void) {
        exchange { identifier throws(NFCReaderError) in
            FeliCaPacket(0x04, to: identifier)
        } read: { answer throws(NFCReaderError) in
            _ = try answer.bytes(8)
            return Int(try answer.byte())
        } completion: {
            completionHandler((try? $0.get()) ?? 0, $0.failure)
        }
    }

    /// The codes come in the order in which the card sends their bytes, the more significant first. Apple's text says the
    /// opposite.
    @preconcurrency
    func requestSystemCode(completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void) {
        exchange { identifier throws(NFCReaderError) in
            FeliCaPacket(0x0C, to: identifier)
        } read: { answer throws(NFCReaderError) in
            _ = try answer.bytes(8)
            return try answer.list(of: 2)
        } completion: {
            completionHandler((try? $0.get()) ?? [], $0.failure)
        }
    }

    @preconcurrency
    func requestServiceV2(
        nodeCodeList: [Data],
        completionHandler: @escaping @Sendable (Int, Int, NFCFeliCaEncryptionId, [Data], [Data], (any Error)?) -> Void
    ) {
        exchange { identifier throws(NFCReaderError) in
            FeliCaPacket(0x32, to: identifier, try FeliCaLimits.nodeCodes(nodeCodeList))
        } read: { answer throws(NFCReaderError) in
            try KeyVersions(&answer)
        } completion: { result in
            switch result {
            case .success(let found):
                completionHandler(found.flags.0, found.flags.1, found.encryption, found.aes, found.des, nil)
            case .failure(let error): completionHandler(0, 0, .AES, [], [], error)
            }
        }
    }

    @preconcurrency
    func requestSpecificationVersion(
        completionHandler: @escaping @Sendable (Int, Int, Data, Data, (any Error)?) -> Void
    ) {
        exchange { identifier throws(NFCReaderError) in
            FeliCaPacket(0x3C, to: identifier, [0, 0])
        } read: { answer throws(NFCReaderError) in
            try SpecificationVersion(&answer)
        } completion: { result in
            switch result {
            case .success(let found): completionHandler(found.flags.0, found.flags.1, found.basic, found.options, nil)
            case .failure(let error): completionHandler(0, 0, Data(), Data(), error)
            }
        }
    }

    @preconcurrency
    func resetMode(completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void) {
        exchange { identifier throws(NFCReaderError) in
            FeliCaPacket(0x3E, to: identifier, [0, 0])
        } read: { answer throws(NFCReaderError) in
            _ = try answer.bytes(8)
            return try answer.flags()
        } completion: {
            Self.report($0, completionHandler)
        }
    }

    /// The answer comes from the response code on, without a length byte. A command for another IDm than the card's is
    /// refused with 2, as observed on devices.
    @preconcurrency
    func sendFeliCaCommand(
        commandPacket: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        let packet = Array(commandPacket)
        exchange { identifier throws(NFCReaderError) in
            let named = packet.dropFirst().prefix(8)
            guard packet.first == 0x00 || named.count < 8 || named.elementsEqual(identifier) else {
                throw NFCReaderError(
                    .readerErrorSecurityViolation, reason: "the packet names another IDm than the card's")
            }
            return FeliCaPacket(packet)
        } read: { answer throws(NFCReaderError) in
            Data([(packet.first ?? 0) &+ 1]) + answer.remainder
        } completion: {
            completionHandler((try? $0.get()) ?? Data(), $0.failure)
        }
    }
}

/// The answer to Request Service v2.
private struct KeyVersions: Sendable {
    let flags: (Int, Int)
    var encryption = NFCFeliCaEncryptionId.AES
    var aes: [Data] = []
    var des: [Data] = []

    init(_ answer: inout FeliCaAnswer) throws(NFCReaderError) {
        _ = try answer.bytes(8)
        flags = try answer.flags()
        guard flags.0 == 0 else { return }
        encryption = NFCFeliCaEncryptionId(rawValue: Int(try answer.byte())) ?? .AES
        let count = Int(try answer.byte())
        aes = try Self.versions(count, &answer)
        if encryption == .AES_DES { des = try Self.versions(count, &answer) }
    }

    private static func versions(_ count: Int, _ answer: inout FeliCaAnswer) throws(NFCReaderError) -> [Data] {
        var versions: [Data] = []
        for _ in 0..<count { versions.append(try answer.bytes(2)) }
        return versions
    }
}

/// The answer to Request Specification Version, format 00.
private struct SpecificationVersion: Sendable {
    let flags: (Int, Int)
    var basic = Data()
    var options = Data()

    init(_ answer: inout FeliCaAnswer) throws(NFCReaderError) {
        _ = try answer.bytes(8)
        flags = try answer.flags()
        guard flags.0 == 0 else { return }
        _ = try answer.byte()
        basic = try answer.bytes(2)
        options = Data(try answer.list(of: 2).joined())
    }
}
