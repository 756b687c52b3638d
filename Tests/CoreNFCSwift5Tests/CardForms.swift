import CoreNFC

/// A value in words: bytes and lists in brackets, the parts of a tuple or structure with spaces.
func words(_ value: Any) -> String {
    switch value {
    case let data as Data: "\(Array(data))"
    case let list as [Data]: "\(list.map(Array.init))"
    case let numbers as [NSNumber]: "\(numbers.map(\.intValue))"
    case let numbers as [Int]: "\(numbers)"
    case let flags as NFCISO15693ResponseFlag: "\(flags.rawValue)"
    case let number as Int: "\(number)"
    default: Mirror(reflecting: value).children.map { words($0.value) }.joined(separator: " ")
    }
}

let apdu = NFCISO7816APDU(
    instructionClass: 0, instructionCode: 0xB0, p1Parameter: 0, p2Parameter: 0, data: Data(), expectedResponseLength: 16
)

/// What a response says, in words.
private func words(_ response: NFCISO7816ResponseAPDU) -> String {
    "\(response.payload.map(Array.init) ?? []) \(response.statusWord1) \(response.statusWord2)"
}

enum NDEFForms {
    static var all: [Form<OldTag>] {
        [
            Form("status", "2 137") {
                let (status, capacity) = try await $0.queryNDEFStatus()
                return "\(status.rawValue) \(capacity)"
            },
            Form("read", "0") { try await $0.readNDEF().length },
            Form("write 0", "()") { try await $0.writeNDEF(NFCNDEFMessage(records: [])) },
            Form("lock", "()") { try await $0.writeLock() },
        ]
    }
}

enum ISO7816Forms {
    static var all: [Form<OldSmartCard>] {
        [
            Form("apdu 176", "[1] 106 130") { tag in
                let response = try await result { tag.sendCommand(apdu: apdu, resultHandler: $0) }
                return (response as? NFCISO7816ResponseAPDU).map(words) ?? ""
            },
            Form("apdu 176", "[1] 106 130") {
                let (data, sw1, sw2) = try await $0.sendCommand(apdu: apdu)
                return "\(Array(data)) \(sw1) \(sw2)"
            },
            Form("apdu 176", "[1] 106 130") {
                let response: NFCISO7816ResponseAPDU = try await $0.sendCommand(apdu: apdu)
                return words(response)
            },
        ]
    }
}

enum MiFareForms {
    static var all: [Form<OldMiFareTag>] {
        [
            Form("native 3004", "[2]") { tag in
                let reply = try await result {
                    tag.sendMiFareCommand(commandPacket: Data([0x30, 4]), resultHandler: $0)
                }
                return Array(reply as? Data ?? Data())
            },
            Form("native 3004", "[2]") { Array(try await $0.sendMiFareCommand(commandPacket: Data([0x30, 4]))) },
            Form("apdu 176", "[1] 145 175") { tag in
                let response = try await result { tag.sendMiFareISO7816Command(apdu, resultHandler: $0) }
                return (response as? NFCISO7816ResponseAPDU).map(words) ?? ""
            },
            Form("apdu 176", "[1] 145 175") {
                let (data, sw1, sw2) = try await $0.sendMiFareISO7816Command(apdu)
                return "\(Array(data)) \(sw1) \(sw2)"
            },
            Form("apdu 176", "[1] 145 175") {
                let response: NFCISO7816ResponseAPDU = try await $0.sendMiFareISO7816Command(apdu)
                return words(response)
            },
        ]
    }
}

private let system = Data([0x12, 0xFC])
private let codes = [Data([0x0B, 0x00])]
private let blocks = [Data([0x80, 0x01])]

enum FeliCaForms {
    static var all: [Form<OldFeliCaTag>] { results + asynchronous }

    private static var results: [Form<OldFeliCaTag>] {
        [
            Form("polling 12fc 1 15", "[1] [2]") { tag in
                let answer = try await result {
                    tag.polling(systemCode: system, requestCode: .systemCode, timeSlot: .max16, resultHandler: $0)
                }
                let response = answer as? NFCFeliCaPollingResponse
                return "\(list(response?.manufactureParameter)) \(list(response?.requestData))"
            },
            Form("service 0b00", "[[3]]") { tag in
                lists(try await result { tag.requestService(nodeCodeList: codes, resultHandler: $0) })
            },
            Form("response", "2") { tag in try await result { tag.requestResponse(resultHandler: $0) } },
            Form("read 0b00 8001", "1 2 [[3]]") { tag in
                let answer = try await result {
                    tag.readWithoutEncryption(serviceCodeList: codes, blockList: blocks, resultHandler: $0)
                }
                let response = answer as? (NFCFeliCaStatusFlag, [Data])
                return "\(flags(response?.0)) \(lists(response?.1))"
            },
            Form("write 0b00 8001 09", "1 2") { tag in
                flags(
                    try await result {
                        tag.writeWithoutEncryption(
                            serviceCodeList: codes, blockList: blocks, blockData: [Data([9])], resultHandler: $0)
                    })
            },
            Form("systems", "[[4]]") { tag in lists(try await result { tag.requestSystemCode(resultHandler: $0) }) },
            Form("service2 0b00", "1 2 65 [[3]] [[4]]") { tag in
                let answer = try await result { tag.requestServiceV2(nodeCodeList: codes, resultHandler: $0) }
                guard let it = answer as? NFCFeliCaRequsetServiceV2Response else { return "" }
                return "\(it.statusFlag1) \(it.statusFlag2) \(it.encryptionIdentifier.rawValue) "
                    + "\(lists(it.nodeKeyVersionListAES)) \(lists(it.nodeKeyVersionListDES))"
            },
            Form("version", "1 2 [3] [4]") { tag in
                let answer = try await result { tag.requestSpecificationVersion(resultHandler: $0) }
                guard let it = answer as? NFCFeliCaRequestSpecificationVersionResponse else { return "" }
                return "\(it.statusFlag1) \(it.statusFlag2) \(list(it.basicVersion)) \(list(it.optionVersion))"
            },
            Form("reset", "1 2") { tag in flags(try await result { tag.resetMode(resultHandler: $0) }) },
            Form("raw 06", "[5]") { tag in
                list(try await result { tag.sendFeliCaCommand(commandPacket: Data([6]), resultHandler: $0) })
            },
        ]
    }

    private static var asynchronous: [Form<OldFeliCaTag>] {
        [
            Form("polling 12fc 0 0", "[1] [2]") {
                let (pmm, data) = try await $0.polling(systemCode: system, requestCode: .noRequest, timeSlot: .max1)
                return "\(list(pmm)) \(list(data))"
            },
            Form("service 0b00", "[[3]]") { lists(try await $0.requestService(nodeCodeList: codes)) },
            Form("response", "2") { try await $0.requestResponse() },
            Form("read 0b00 8001", "1 2 [[3]]") {
                let it = try await $0.readWithoutEncryption(serviceCodeList: codes, blockList: blocks)
                return "\(it.0) \(it.1) \(lists(it.2))"
            },
            Form("write 0b00 8001 09", "(1, 2)") {
                try await $0.writeWithoutEncryption(
                    serviceCodeList: codes, blockList: blocks, blockData: [Data([9])])
            },
            Form("systems", "[[4]]") { lists(try await $0.requestSystemCode()) },
            Form("service2 0b00", "1 2 65 [[3]] [[4]]") {
                let it = try await $0.requestServiceV2(nodeCodeList: codes)
                return "\(it.0) \(it.1) \(it.2.rawValue) \(lists(it.3)) \(lists(it.4))"
            },
            Form("version", "1 2 [3] [4]") {
                let it = try await $0.requestSpecificationVersion()
                return "\(it.0) \(it.1) \(list(it.2)) \(list(it.3))"
            },
            Form("reset", "(1, 2)") { try await $0.resetMode() },
            Form("raw 06", "[5]") { list(try await $0.sendFeliCaCommand(commandPacket: Data([6]))) },
        ]
    }

    private static func list(_ data: Any?) -> String { "\((data as? Data).map(Array.init) ?? [])" }
    private static func lists(_ data: Any?) -> String { "\((data as? [Data])?.map(Array.init) ?? [])" }

    private static func flags(_ answer: Any?) -> String {
        (answer as? NFCFeliCaStatusFlag).map { "\($0.statusFlag1) \($0.statusFlag2)" } ?? ""
    }
}
