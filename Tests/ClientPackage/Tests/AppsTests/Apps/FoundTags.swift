@preconcurrency import CoreNFC

// What an app in Swift 6 hands from task to task: with `@preconcurrency` the compiler has nothing to say about it.

/// A card that an app talks to.
struct CardLink: Sendable {
    let card: NFCISO7816Tag
    let application: String
}

/// Tags of every kind.
struct FoundTags: Sendable {
    var first: NFCTag
    var message: NFCNDEFTag
    var vicinity: NFCISO15693Tag?
    var feliCa: NFCFeliCaTag?
    var miFare: NFCMiFareTag?
    var known: __NFCTag?
    var delegate: NFCTagReaderSessionDelegate?
    var configuration: NFCTagCommandConfiguration?
    var commands: [NFCISO7816APDU] = []
    var payload: NFCNDEFPayload?
}

/// A connection of an app that is an actor.
actor CardConnection {
    private let link: CardLink

    init(_ link: CardLink) {
        self.link = link
    }

    func challenge() async throws -> Data {
        let command = NFCISO7816APDU(
            instructionClass: 0, instructionCode: 0x84, p1Parameter: 0, p2Parameter: 0, data: Data(),
            expectedResponseLength: 8)
        let (data, _, _): (Data, UInt8, UInt8) = try await link.card.sendCommand(apdu: command)
        return data
    }
}
