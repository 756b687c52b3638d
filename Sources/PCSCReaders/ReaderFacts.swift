import NFCReaders
import NFCTags
import PCSC

/// What a reader and its driver report about themselves (PC/SC Part 10), as far as they do.
struct ReaderFacts: Sendable, Hashable {
    /// The USB vendor id.
    var vendorID: UInt16?
    /// The USB product id.
    var productID: UInt16?
    /// The firmware version.
    var firmware: String?
    /// The serial number.
    var serial: String?
    /// The control code for escape commands; nil if the driver does not allow them.
    var escapeCode: UInt32?
    /// The control code for the driver's properties; nil if it has none.
    private(set) var propertiesCode: UInt32?

    /// The answer to CM_IOCTL_GET_FEATURE_REQUEST (PC/SC Part 10, 2.2): tag, length 4 and a control code, most significant
    /// byte first. Entries of another length are ignored; the first of several entries counts.
    mutating func add(features answer: [UInt8]) {
        for (tag, value) in TagLengthValues(answer) where value.count == 4 {
            let code = value.reduce(0) { $0 << 8 | UInt32($1) }
            switch tag {
            case 0x12: propertiesCode = propertiesCode ?? code
            // A driver lists FEATURE_CCID_ESC_COMMAND only if it allows such commands.
            case 0x13: escapeCode = escapeCode ?? code
            default: break
            }
        }
    }

    /// The answer to FEATURE_GET_TLV_PROPERTIES (PC/SC Part 10, 2.6), numbers least significant byte first. Properties of a
    /// wrong length are ignored.
    mutating func add(properties answer: [UInt8]) {
        for (tag, value) in TagLengthValues(answer) {
            switch tag {
            case 0x08: firmware = Self.text(value)
            case 0x0B: vendorID = Self.number(value)
            case 0x0C: productID = Self.number(value)
            default: break
            }
        }
    }

    /// The attribute SCARD_ATTR_VENDOR_IFD_SERIAL_NO.
    mutating func add(serial answer: [UInt8]) {
        serial = Self.text(answer)
    }

    private static func number(_ value: [UInt8]) -> UInt16? {
        guard value.count == 2 else { return nil }
        return UInt16(value[1]) << 8 | UInt16(value[0])
    }

    /// Printable ASCII up to a NUL; nil if nothing remains.
    private static func text(_ bytes: [UInt8]) -> String? {
        let text = bytes.prefix { $0 != 0 }.filter { (0x20...0x7E).contains($0) }
        let trimmed = String(decoding: text, as: UTF8.self).split(separator: " ").joined(separator: " ")
        return trimmed.isEmpty ? nil : trimmed
    }
}

/// The entries of a driver's answer: one byte of tag, one of length, the value. A length beyond the end ends the sequence.
struct TagLengthValues: Sequence, IteratorProtocol {
    /// No driver sends more; the rest of a longer answer is ignored.
    private static let longest = 4096

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes.prefix(Self.longest)
    }

    mutating func next() -> (tag: UInt8, value: [UInt8])? {
        guard let tag = rest.popFirst(), let length = rest.popFirst(), rest.count >= Int(length) else {
            rest = []
            return nil
        }
        defer { rest = rest.dropFirst(Int(length)) }
        return (tag, Array(rest.prefix(Int(length))))
    }
}

/// Blocking calls to a reader itself, over its own connection: no tag is needed, and none is accessed.
enum ReaderInquiry {
    /// CM_IOCTL_GET_FEATURE_REQUEST: 42000000 + 3400 on Linux.
    private static let getFeatures: UInt32 = 0x4200_0D48

    /// Reads the facts. A driver that reports none, such as vpcd, is not an error.
    static func facts(of name: ReaderName) -> Result<ReaderFacts, CardChannelError> {
        onReader(name) { (reader: borrowing Card) throws(PCSCError) in
            var facts = ReaderFacts()
            facts.add(features: try optional { () throws(PCSCError) in try reader.control(getFeatures) })
            if let code = facts.propertiesCode {
                facts.add(properties: try optional { () throws(PCSCError) in try reader.control(code) })
            }
            facts.add(serial: try optional { () throws(PCSCError) in try reader.attribute(.serialNumber) })
            return facts
        }
    }

    /// Sends one escape command and returns the reader's answer.
    static func escape(_ command: [UInt8], code: UInt32, to name: ReaderName) -> Result<[UInt8], CardChannelError> {
        onReader(name) { (reader: borrowing Card) throws(PCSCError) in try reader.control(code, command) }
    }

    /// Whether the reader confirms that a card is on it; nil if its driver does not ask it.
    static func confirmsCard(on name: ReaderName) -> Result<Bool?, CardChannelError> {
        onReader(name) { (reader: borrowing Card) throws(PCSCError) in
            do throws(PCSCError) {
                // libccid reports a reader that does not answer as one without a card.
                return try reader.attribute(.cardPresence).first.map { $0 != 0 }
            } catch {
                return error.code == .notTransacted ? false : nil
            }
        }
    }

    private static func onReader<Value>(
        _ name: ReaderName, _ body: (borrowing Card) throws(PCSCError) -> Value
    ) -> Result<Value, CardChannelError> {
        do throws(PCSCError) {
            let context = try Context()
            return .success(try body(try context.connectDirectly(to: name)))
        } catch {
            return .failure(CardChannelError(error))
        }
    }

    /// The answer to a call; no bytes if the driver does not support it.
    private static func optional(_ call: () throws(PCSCError) -> [UInt8]) throws(PCSCError) -> [UInt8] {
        do throws(PCSCError) {
            return try call()
        } catch {
            guard error.code.kind == .other else { throw error }
            return []
        }
    }
}

extension CardChannelError {
    /// The meaning of a failed PC/SC call for a card connection.
    init(_ error: PCSCError) {
        self =
            switch error.code.kind {
            case .tagLost, .tagReset: .tagLost
            case .busy: .busy
            case .readerLost, .serviceLost: .readerFailed
            case .refused, .other: .transport(code: error.code.rawValue, message: "\(error)")
            }
    }
}

/// The slot of a reader of pcscd.
struct PCSCSlot: SlotProbe {
    let name: ReaderName
    /// Whether nfcd itself is connected to the reader.
    let isInquiring: @Sendable () -> Bool

    func state() -> SlotState? {
        var states = [ReaderState(name: name)]
        guard let context = try? Context(), (try? context.waitForChange(in: &states, timeout: .zero)) == true else {
            return nil
        }
        guard let flags = states.first?.event else { return nil }
        return SlotState(isInquiring() ? flags.subtracting([.inUse, .exclusive]) : flags)
    }

    func confirmsCard() -> Bool? {
        (try? ReaderInquiry.confirmsCard(on: name).get()) ?? nil
    }
}

extension SlotState {
    /// The state in the flags of PC/SC.
    fileprivate init(_ flags: StateFlags) {
        self.init()
        (hasCard, isMute) = (flags.contains(.present), flags.contains(.mute))
        (isInUse, isExclusive) = (flags.contains(.inUse), flags.contains(.exclusive))
        cardCounter = flags.cardCounter
    }
}
