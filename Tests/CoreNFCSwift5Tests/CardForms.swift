import CoreNFC

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
