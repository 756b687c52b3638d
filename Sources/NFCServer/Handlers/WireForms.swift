import NDEF
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

// Events and errors of sessions, readers and tags, in the form of the protocol.

extension SessionDidDetectNDEFs {
    init(_ session: SessionID, _ tag: DetectedTag, _ reading: NDEFReading) {
        self.init(
            session: session.rawValue, reader: tag.reader.id.rawValue, readerName: tag.reader.name,
            tag: tag.id.rawValue, type: tag.identity?.type ?? .unknown,
            technology: tag.identity.map { "\($0.technology)" }, identifier: HexBytes(tag.identity?.identifier ?? []),
            messages: reading.messages, error: reading.failure.map { Failure($0) })
    }
}

extension SessionDidDetectTags.Tag {
    init(_ tag: DetectedTag) {
        self.init(
            tag: tag.id.rawValue, reader: tag.reader.id.rawValue, readerName: tag.reader.name,
            type: tag.delivery?.type ?? tag.identity?.type ?? .unknown,
            technology: "\(tag.identity?.technology ?? .unknown)", identifier: HexBytes(tag.identity?.identifier ?? []))
        historicalBytes = tag.identity?.typeAHistoricalBytes.map { HexBytes($0) }
        applicationData = tag.identity?.applicationData.map { HexBytes($0) }
        initialSelectedAID = tag.delivery?.initialSelectedAID.map { HexBytes($0) }
        if type == .miFare { mifareFamily = tag.identity?.miFareFamily }
        currentSystemCode = tag.delivery?.systemCode.map { HexBytes([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
        if type == .feliCa { currentIDm = HexBytes(tag.delivery?.manufactureIdentifier ?? identifier.bytes) }
        supportsPACE = tag.delivery?.supportsPACE
        polling = tag.polling
    }
}

extension SessionDidDetectNDEFs.Failure {
    init(_ error: TagError) {
        self.init(code: error.code.rawValue, name: error.code.name, message: error.code.text, detail: error.detail)
    }
}

extension SessionDidInvalidate {
    init(_ session: SessionID, _ reason: Invalidation) {
        self.init(session: session.rawValue, reason.code, detail: reason.detail)
    }
}

extension SessionTagFailed {
    init(_ session: SessionID, _ reader: ReaderDescription, _ error: TagError) {
        self.init(
            session: session.rawValue, reader: reader.id.rawValue, code: error.code.rawValue, name: error.code.name,
            detail: error.detail)
    }
}

extension Duration {
    /// A time in seconds from the parameters of a request, more than 0.
    init(seconds: Double, atMost limit: Double, path: String) throws(RPCError) {
        guard seconds > 0, seconds <= limit else {
            throw .invalidParameters("expected more than 0 and at most \(Int(limit)) seconds", path: path)
        }
        self = .seconds(seconds)
    }
}

extension RPCError {
    /// An NFC error, with CoreNFC's number as the code.
    init(_ code: NFCErrorCode, detail: String) {
        self.init(
            code: code.rawValue, message: code.text, data: Details(domain: "NFCError", name: code.name, detail: detail))
    }

    init(_ error: TagError) {
        self.init(error.code, detail: error.detail)
        data?.response = error.response.map { HexBytes($0) }
        data?.statusWord = error.statusBytes.map { HexBytes($0) }
    }

    init(_ error: SessionError) {
        switch error {
        case .invalidated: self.init(.sessionInvalidated, detail: "\(error)")
        case .tooManySessions: self.init(.systemIsBusy, detail: "\(error)")
        }
    }
}
