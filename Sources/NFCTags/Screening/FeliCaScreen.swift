import NFCTypes

/// What the raw packets to a FeliCa card do: FeliCa Lite, Lite-S and Standard, as far as they need no keys.
struct FeliCaScreen: Sendable, Hashable {
    /// The IDm of each system that was polled by its code.
    private var systems: [[UInt8]: UInt16] = [:]
    /// Whether an attribute information block was read from block 0.
    private var hasAttribute = false

    /// - Parameter detected: the system that was polled when the card was detected, with its IDm.
    init(detected: (system: UInt16, identifier: [UInt8])? = nil) {
        if let detected { systems[detected.identifier] = detected.system }
    }

    /// What a packet does.
    func judge(_ packet: [UInt8]) -> CommandJudgement {
        let judged = packet.judged(by: Self.rules, packet.first, knowing: self)
        return CommandJudgement(judged.effect, judged.words, reach: reach(of: packet))
    }

    /// Records the effect of a packet that was sent, and its answer: `01` with IDm and PMm names the IDm of a system, `07` has blocks.
    mutating func record(_ packet: [UInt8], answer: [UInt8]?) {
        if let answer { learnAttribute(packet, answer) }
        guard case .system(let code) = reach(of: packet), let answer, answer.count >= 17, answer[0] == 0x01 else {
            return
        }
        systems[Array(answer[1..<9])] = code
    }

    /// The upper digit of an IDm selects the system of a card, so that a client can address one it has not polled.
    private func reach(of packet: [UInt8]) -> CommandJudgement.Reach {
        guard let code = packet.first else { return .none }
        if code == 0x00 {
            guard packet.count == 5, packet[1] != 0xFF, packet[2] != 0xFF else {
                return .elsewhere("a Polling packet that names no system")
            }
            return .system(UInt16(packet[1]) << 8 | UInt16(packet[2]))
        }
        guard code != 0x0C, packet.count >= 9 else { return .elsewhere("a packet to the whole card") }
        let identifier = Array(packet[1..<9])
        return systems[identifier].map { .system($0) }
            ?? .elsewhere("IDm \(Hexadecimal.string(identifier)), which belongs to no system that was polled")
    }

    /// Block 0 of service 0009 or 000B, as the only block of a read.
    private mutating func learnAttribute(_ packet: [UInt8], _ answer: [UInt8]) {
        let isRead =
            packet.first == 0x06 && [[0x01, 0x0B, 0x00], [0x01, 0x09, 0x00]].contains(packet.dropFirst(9).prefix(3))
        let isFirst = [[0x01, 0x80, 0x00], [0x01, 0x00, 0x00, 0x00]].contains(Array(packet.dropFirst(12)))
        guard isRead, isFirst, answer.count == 28, answer[0] == 0x07, answer[9...11] == [0, 0, 1] else { return }
        hasAttribute = Attribute(answer[12...]) != nil
    }

    /// An attribute information block (NFC Forum Type 3 Tag).
    private struct Attribute {
        let isWritable: Bool

        /// Nil for a block that readers do not take for one. A newer version counts: other readers may know it.
        init?(_ block: ArraySlice<UInt8>) {
            let bytes = Array(block)
            let sum = bytes.prefix(14).reduce(0) { $0 + Int($1) }
            guard bytes.count == 16, bytes[0] >> 4 != 0, Int(bytes[14]) << 8 | Int(bytes[15]) == sum else { return nil }
            isWritable = bytes[10] == 0x01
        }
    }

    // MARK: Write Without Encryption

    /// `08 IDm m services n block-list data` (JIS X 6319-4): exactly the lengths that it declares.
    private func write(_ packet: [UInt8]) -> (CommandEffect, String) {
        var rest = packet.dropFirst(9)
        guard let services = rest.popFirst(), (1...16).contains(services), rest.count >= 2 * Int(services) else {
            return (.unknown, "is malformed")
        }
        let codes = (0..<Int(services)).map { index in
            UInt16(rest[rest.startIndex + 2 * index]) | UInt16(rest[rest.startIndex + 2 * index + 1]) << 8
        }
        rest = rest.dropFirst(2 * Int(services))
        guard let count = rest.popFirst(), count > 0 else { return (.unknown, "is malformed") }
        var worst = (CommandEffect.write, "changes data")
        var isFirst: [Bool] = []
        for _ in 0..<count {
            guard let element = BlockElement(&rest), element.service < codes.count else {
                return (.unknown, "is malformed")
            }
            if let why = element.danger(codes[element.service]) { worst = (.lock, why) }
            isFirst.append(element.block == 0)
        }
        guard rest.count == 16 * Int(count) else { return (.unknown, "is malformed") }
        let blocks = isFirst.indices.filter { isFirst[$0] }.map { rest.dropFirst(16 * $0).prefix(16) }
        return blocks.compactMap(change).reduce(worst) { $0.0 < $1.0 ? $1 : $0 }
    }

    /// What writing block 0 does, if this is an attribute information block.
    private func change(_ block: ArraySlice<UInt8>) -> (CommandEffect, String)? {
        guard let attribute = Attribute(block) else { return nil }
        if !attribute.isWritable { return (.lock, "makes the message read-only, in block 0") }
        return hasAttribute
            ? nil
            : (.format, "may format the card, in block 0: whether it is formatted is known after reading that block")
    }

    /// An element of a block list, 2 or 3 bytes.
    private struct BlockElement {
        let mode: UInt8
        let service: Int
        let block: Int

        init?(_ bytes: inout ArraySlice<UInt8>) {
            guard let head = bytes.popFirst(), let low = bytes.popFirst() else { return nil }
            mode = head >> 4 & 7
            service = Int(head & 0x0F)
            guard head & 0x80 == 0 else {
                block = Int(low)
                return
            }
            guard let high = bytes.popFirst() else { return nil }
            block = Int(high) << 8 | Int(low)
        }

        /// Why writing the block is more than changing data; nil where it is not. Service 0009 is the only one of FeliCa Lite,
        /// whose blocks from 0E on are one-time, for keys and for the configuration; a card does not say what it is.
        func danger(_ service: UInt16) -> String? {
            guard mode == 0, [0x09, 0x0D].contains(service & 0x3F) else {
                return "writes to service \(Hexadecimal.string(service)), which is not for plain data"
            }
            guard service == 0x0009, block > 0x0D, ![0x80, 0x81, 0x91].contains(block) else { return nil }
            return
                "changes block \(Hexadecimal.string(UInt16(block))): on FeliCa Lite one-time data, keys or the configuration"
        }
    }
}

extension FeliCaScreen {
    /// The commands.
    static let rules: [CommandRule<FeliCaScreen>] = [
        .always(0x00, "00 system request slots", "Polling", 5...5, .read),
        .always(0x02, "02 IDm nodes", "Request Service", 10...254, .read),
        .always(0x04, "04 IDm", "Request Response", 9...9, .read),
        .always(0x06, "06 IDm services blocks", "Read Without Encryption", 12...254, .read),
        .always(0x0A, "0A IDm index", "Search Service Code", 11...11, .read),
        .always(0x0C, "0C IDm", "Request System Code", 9...9, .read),
        .depending(
            0x08, "08 IDm services blocks data", "Write Without Encryption", 12...254,
            [
                (.write, "plain data; of service 0009, which FeliCa Lite has, blocks 00 to 0D, 80, 81 and 91"),
                (.format, "block 0 with attribute information, unless some was read from it"),
                (
                    .lock,
                    "block 0 with attribute information that says read-only; other blocks of service 0009 (REG, ID, SYS_C, CKV, CK, MC, STATE), other kinds of service"
                ),
            ]
        ) { packet, card in card.write(packet) },
    ]
}
