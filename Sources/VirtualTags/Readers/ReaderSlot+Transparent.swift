extension ReaderSlot {
    /// `FF C2 00 …`: P2 00 manages the session, 02 chooses the protocol, 01 exchanges a frame (PC/SC part 3).
    mutating func transparent(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0, let data = apdu.body?.data, let objects = DataObjects(data) else {
            return StatusWord.wrongLength
        }
        switch apdu.p2 {
        case 0x00: return manage(objects)
        case 0x01 where isSessionOpen: return exchangeFrame(objects)
        case 0x02 where isSessionOpen: return chooseProtocol(objects)
        case 0x01, 0x02: return StatusWord.notAllowed
        default: return StatusWord.functionNotSupported
        }
    }

    /// Objects 81 to 84: session start and end, field off and on.
    private mutating func manage(_ objects: DataObjects) -> [UInt8] {
        for (index, object) in objects.list.enumerated() {
            switch object.tag {
            case 0x80: break
            case 0x81: isSessionOpen = true
            case 0x82: isSessionOpen = false
            case 0x83: tag.fieldDropped()
            case 0x84: activate()
            default: return Self.failure(index, [0x6A, 0x81])
            }
        }
        return Self.success([])
    }

    /// Object 8F: technology and layer, which have to be those of the tag. It is selected then; the answer carries the SAK.
    private mutating func chooseProtocol(_ objects: DataObjects) -> [UInt8] {
        guard let object = objects.list.first, object.tag == 0x8F, object.value == protocolBytes else {
            return Self.failure(0, [0x64, 0x01])
        }
        activate()
        return Self.success([0x8F, 0x01, (tag as? MIFAREClassicTag)?.product.selectAcknowledge ?? 0x00])
    }

    /// 00 type A, 02 ISO/IEC 15693, 03 FeliCa; part 3 of the standard, where it has parts. Topaz is not known to work.
    private var protocolBytes: [UInt8] {
        switch kind {
        case .type2, .mifareClassic, .iso14443Part4: [0x00, 0x03]
        case .iso15693: [0x02, 0x03]
        case .feliCa: [0x03, 0x00]
        case .topaz: []
        }
    }

    /// Object 95 is sent, whatever the timer in 5F46 says.
    private mutating func exchangeFrame(_ objects: DataObjects) -> [UInt8] {
        guard let index = objects.list.firstIndex(where: { $0.tag == 0x95 }) else {
            return Self.failure(0, [0x6A, 0x80])
        }
        switch exchange(objects.list[index].value, isNative: true) {
        case .data(let bytes): return Self.success(Self.received(bytes, bits: 0))
        case .ack: return Self.success(Self.received([0x0A], bits: 4))
        case .nak(let code): return Self.success(Self.received([code], bits: 4))
        case .silence: return Self.failure(index, [0x64, 0x01])
        }
    }

    private static func received(_ bytes: [UInt8], bits: UInt8) -> [UInt8] {
        let length: [UInt8] = bytes.count < 0x80 ? [] : [0x81]
        let head: [UInt8] = [0x92, 0x01, bits, 0x96, 0x02, 0x00, 0x00, 0x97]
        return head + length + [UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    private static func success(_ objects: [UInt8]) -> [UInt8] {
        let response = [0xC0, 0x03, 0x00, 0x90, 0x00] + objects
        return response.count <= 256 ? response + StatusWord.done : StatusWord.wrongLength
    }

    /// The outer status word says success even so.
    private static func failure(_ index: Int, _ status: [UInt8]) -> [UInt8] {
        [0xC0, 0x03, UInt8(truncatingIfNeeded: index + 1)] + status + StatusWord.done
    }
}

/// Data objects one behind the other: a tag of one or two bytes, a length below 80, a value.
struct DataObjects {
    let list: [(tag: UInt16, value: [UInt8])]

    /// nil where a length runs past the end.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var list: [(tag: UInt16, value: [UInt8])] = []
        while let first = rest.popFirst() {
            var tag = UInt16(first)
            if first & 0x1F == 0x1F {
                guard let second = rest.popFirst() else { return nil }
                tag = tag << 8 | UInt16(second)
            }
            guard let length = rest.popFirst(), length < 0x80, rest.count >= Int(length) else { return nil }
            list.append((tag, Array(rest.prefix(Int(length)))))
            rest = rest.dropFirst(Int(length))
        }
        self.list = list
    }
}
