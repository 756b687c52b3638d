import CPCSC

/// Every call into libpcsclite, one function each: the only file that touches C.
///
/// `LONG` and `DWORD` are 64 bits wide on Linux and 32 elsewhere; this file converts results to `PCSCCode`.
enum SCard {
    /// SCardEstablishContext: one context is one socket and one thread of pcscd.
    static func establish() throws(PCSCError) -> SCARDCONTEXT {
        var context: SCARDCONTEXT = 0
        try check(
            "SCardEstablishContext", unsafe SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &context))
        return context
    }

    /// SCardReleaseContext. Errors are ignored: the memory is freed in any case.
    static func release(_ context: SCARDCONTEXT) {
        _ = SCardReleaseContext(context)
    }

    /// SCardCancel: the only call that may be made from another thread than the context's own.
    static func cancel(_ context: SCARDCONTEXT) {
        _ = SCardCancel(context)
    }

    /// SCardListReaders: the names in pcscd's order; no reader is an empty list, not an error.
    static func listReaders(_ context: SCARDCONTEXT) throws(PCSCError) -> [ReaderName] {
        // The list may grow between asking for its length and fetching it.
        for _ in 0..<4 {
            var length: DWORD = 0
            let sized = PCSCCode(unsafe SCardListReaders(context, nil, nil, &length))
            if sized == .noReadersAvailable { return [] }
            try check("SCardListReaders", sized)
            var buffer = [CChar](repeating: 0, count: Int(length))
            let listed = PCSCCode(unsafe SCardListReaders(context, nil, &buffer, &length))
            if listed == .noReadersAvailable { return [] }
            if listed == .insufficientBuffer { continue }
            try check("SCardListReaders", listed)
            return buffer.prefix(Int(length)).split(separator: 0).map { ReaderName(bytes: Array($0)) }
        }
        throw PCSCError(code: .insufficientBuffer, operation: "SCardListReaders")
    }

    /// SCardGetStatusChange: blocks until an entry differs from its known flags; a timeout of nil waits without limit.
    ///
    /// - Returns: false if the timeout expired or the wait was cancelled.
    static func getStatusChange(
        _ context: SCARDCONTEXT, timeout: Duration?, states: inout [ReaderState]
    ) throws(PCSCError) -> Bool {
        let milliseconds = timeout.map { DWORD(clamping: $0.wholeMilliseconds) } ?? DWORD(INFINITE)
        // All names in one buffer: a pointer into it per reader, instead of one nested closure per reader.
        var offsets: [Int] = []
        var names: [CChar] = []
        for state in states {
            offsets.append(names.count)
            names += state.name.bytes + [0]
        }
        var entries = unsafe states.map { state in
            var entry = unsafe SCARD_READERSTATE()
            unsafe entry.dwCurrentState = DWORD(state.known.rawValue)
            return unsafe entry
        }
        let code = unsafe names.withUnsafeBufferPointer { buffer in
            for (index, offset) in offsets.enumerated() {
                unsafe entries[index].szReader = buffer.baseAddress.map { unsafe $0 + offset }
            }
            return PCSCCode(unsafe SCardGetStatusChange(context, milliseconds, &entries, DWORD(entries.count)))
        }
        if code == .timeout || code == .cancelled { return false }
        try check("SCardGetStatusChange", code)
        for index in states.indices { unsafe states[index].update(from: entries[index]) }
        return true
    }

    /// SCardConnect: to the card, shared with T=0 or T=1, or to the reader itself without any protocol.
    static func connect(
        _ context: SCARDCONTEXT, _ reader: ReaderName, _ access: Access
    ) throws(PCSCError) -> (card: SCARDHANDLE, protocol: DWORD) {
        var card: SCARDHANDLE = 0
        var active: DWORD = 0
        try check(
            "SCardConnect",
            unsafe SCardConnect(
                context, reader.bytes + [0], access.shareMode, access.protocols, &card, &active))
        return (card, active)
    }

    /// SCardReconnect, shared, with the same handle; returns the protocol.
    static func reconnect(_ card: SCARDHANDLE, _ disposition: Disposition) throws(PCSCError) -> DWORD {
        var active: DWORD = 0
        let access = Access.card
        try check(
            "SCardReconnect",
            unsafe SCardReconnect(card, access.shareMode, access.protocols, disposition.dword, &active))
        return active
    }

    /// SCardControl: sends a command to the reader or its driver and returns the answer.
    static func control(
        _ card: SCARDHANDLE, code: UInt32, _ command: [UInt8], longestAnswer: Int
    ) throws(PCSCError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: longestAnswer)
        var length: DWORD = 0
        try check(
            "SCardControl",
            unsafe SCardControl(
                card, DWORD(code), command, DWORD(command.count), &buffer, DWORD(buffer.count), &length))
        return Array(buffer.prefix(Int(clamping: length)))
    }

    /// SCardGetAttrib.
    static func attribute(_ card: SCARDHANDLE, _ id: UInt32, longestAnswer: Int) throws(PCSCError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: longestAnswer)
        var length = DWORD(buffer.count)
        try check("SCardGetAttrib", unsafe SCardGetAttrib(card, DWORD(id), &buffer, &length))
        return Array(buffer.prefix(Int(clamping: length)))
    }

    /// SCardDisconnect.
    static func disconnect(_ card: SCARDHANDLE, _ disposition: Disposition) throws(PCSCError) {
        try check("SCardDisconnect", SCardDisconnect(card, disposition.dword))
    }

    /// SCardBeginTransaction: blocks while another program holds one.
    static func beginTransaction(_ card: SCARDHANDLE) throws(PCSCError) {
        try check("SCardBeginTransaction", SCardBeginTransaction(card))
    }

    /// SCardEndTransaction.
    static func endTransaction(_ card: SCARDHANDLE, _ disposition: Disposition) throws(PCSCError) {
        try check("SCardEndTransaction", SCardEndTransaction(card, disposition.dword))
    }

    /// SCardStatus: the answer to reset of the connected card.
    static func answerToReset(_ card: SCARDHANDLE) throws(PCSCError) -> [UInt8] {
        var atr = [UInt8](repeating: 0, count: Int(MAX_ATR_SIZE))
        var length = DWORD(atr.count)
        var name = [CChar](repeating: 0, count: Int(MAX_READERNAME))
        var nameLength = DWORD(name.count)
        var state: DWORD = 0
        var active: DWORD = 0
        try check("SCardStatus", unsafe SCardStatus(card, &name, &nameLength, &state, &active, &atr, &length))
        return Array(atr.prefix(Int(length)))
    }

    /// SCardTransmit: sends one command APDU and returns the whole response with its status word.
    static func transmit(
        _ card: SCARDHANDLE, protocol active: DWORD, _ command: [UInt8], into buffer: inout [UInt8]
    ) throws(PCSCError) -> [UInt8] {
        var request = SCARD_IO_REQUEST(
            dwProtocol: UInt(active), cbPciLength: UInt(MemoryLayout<SCARD_IO_REQUEST>.size))
        var length = DWORD(buffer.count)
        try check(
            "SCardTransmit",
            unsafe SCardTransmit(card, &request, command, DWORD(command.count), nil, &buffer, &length))
        return Array(buffer.prefix(Int(length)))
    }

    private static func check(_ operation: StaticString, _ result: LONG) throws(PCSCError) {
        try check(operation, PCSCCode(result))
    }

    private static func check(_ operation: StaticString, _ code: PCSCCode) throws(PCSCError) {
        guard code == .success else { throw PCSCError(code: code, operation: "\(operation)") }
    }
}

extension SCard {
    /// The other end of a connection.
    enum Access {
        /// The card, shared with other programs.
        case card
        /// The reader, with or without a card; not exclusive with pcsc-lite.
        case reader

        fileprivate var shareMode: DWORD { DWORD(self == .card ? SCARD_SHARE_SHARED : SCARD_SHARE_DIRECT) }
        fileprivate var protocols: DWORD { self == .card ? DWORD(CPCSC_PROTOCOL_ANY) : 0 }
    }
}

extension PCSCCode {
    fileprivate init(_ result: LONG) {
        self.init(rawValue: UInt32(truncatingIfNeeded: result))
    }
}

extension Disposition {
    fileprivate var dword: DWORD { DWORD(rawValue) }
}

extension ReaderState {
    fileprivate mutating func update(from entry: SCARD_READERSTATE) {
        event = StateFlags(rawValue: UInt32(truncatingIfNeeded: unsafe entry.dwEventState))
        let length = min(Int(unsafe entry.cbAtr), Int(MAX_ATR_SIZE))
        answerToReset = unsafe withUnsafeBytes(of: entry.rgbAtr) { unsafe Array($0.prefix(length)) }
    }
}

extension Duration {
    /// Rounded down and clamped to the range of a timeout; a negative duration is 0.
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, seconds < Int64(UInt32.max) / 1000 else { return seconds < 0 ? 0 : Int64(UInt32.max) - 1 }
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
