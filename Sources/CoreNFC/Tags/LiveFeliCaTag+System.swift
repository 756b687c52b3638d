// What a card says of itself, and commands as they are (FeliCa Card User's Manual, chapter 4).

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
            Self.tell($0, completionHandler)
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
