import CoreNFCTesting
import Foundation
import Testing

@Suite struct TransitCardReaderTests {
    @Test func `several services and systems of a card are read and written`() async throws {
        try await withVirtualTag(TestTag(TransitCard())) { tag in
            let content = try await TransitCardReader().read(adding: 5)
            #expect(content == .init(balance: 1200, stations: [0x0102, 0x0304], points: 12, versions: [1, 1, 0xFFFF]))
            #expect(tag.state(of: TransitCard.self)?.points == 12)
        }
    }

    @Test func `a card without the shops' system keeps its points`() async throws {
        try await withVirtualTag(TestTag(TransitCard(hasShops: false))) { tag in
            await #expect(throws: NFCReaderError.self) { try await TransitCardReader().read(adding: 5) }
            #expect(tag.state(of: TransitCard.self)?.points == 7)
        }
    }
}

/// A FeliCa card with two systems. The system of a command is that of its IDm, whose first digit differs.
nonisolated private struct TransitCard: VirtualTag {
    let identifier: [UInt8] = [0x01, 0x2E, 1, 2, 3, 4, 5, 6]
    private let hasShops: Bool
    private var services: [UInt16: [[UInt8]]]
    private var hasField = false

    init(hasShops: Bool = true) {
        self.hasShops = hasShops
        services = [
            0x008B: [Self.block(1200)], 0x090F: [Self.block(0x0102), Self.block(0x0304)], 0x1009: [Self.block(7)],
        ]
    }

    /// The points that the card holds.
    var points: Int { services[0x1009]?.first.map { Int($0[0]) | Int($0[1]) << 8 } ?? 0 }

    mutating func activate() { hasField = true }
    mutating func fieldDropped() { hasField = false }

    mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard hasField, command.count >= 6, Int(command[0]) == command.count else { return .silence }
        let body = Array(command.dropFirst(2))
        guard let answer = command[1] == 0x00 ? poll(body) : perform(command[1], body) else { return .silence }
        return .data([UInt8(answer.count + 2), command[1] + 1] + answer)
    }

    private func poll(_ body: [UInt8]) -> [UInt8]? {
        let systems: [(code: [UInt8], number: UInt8)] = [([0x00, 0x03], 0), ([0xFE, 0x00], 1)]
        let wanted = body.prefix(2)
        guard
            let system = systems.prefix(hasShops ? 2 : 1).first(where: {
                zip(wanted, $0.code).allSatisfy { $0 == 0xFF || $0 == $1 }
            })
        else { return nil }
        let answer = identifier(of: system.number) + [UInt8](repeating: 0x10, count: 8)
        return body[2] == 1 ? answer + system.code : answer
    }

    private func identifier(of system: UInt8) -> [UInt8] { [system << 4 | identifier[0]] + identifier.dropFirst() }

    private mutating func perform(_ code: UInt8, _ body: [UInt8]) -> [UInt8]? {
        guard body.count > 9, let system = [0, 1].first(where: { identifier(of: $0) == Array(body.prefix(8)) }) else {
            return nil
        }
        let count = Int(body[8])
        let nodes = (0..<count).map { UInt16(body[9 + 2 * $0]) | UInt16(body[10 + 2 * $0]) << 8 }
        let rest = Array(body.dropFirst(9 + 2 * count))
        let answer: [UInt8]?
        switch code {
        case 0x02:
            answer = [body[8]] + nodes.flatMap { isService($0, of: system) ? [0x01, 0x00] : [0xFF, 0xFF] as [UInt8] }
        case 0x06: answer = read(nodes, rest, system)
        case 0x08: answer = write(nodes, rest, system)
        default: answer = nil
        }
        return answer.map { body.prefix(8) + $0 }
    }

    private func isService(_ code: UInt16, of system: UInt8) -> Bool {
        services[code] != nil && (code == 0x1009) == (system == 1)
    }

    /// Elements of two bytes: 80 with the number of the service, and the block.
    private func read(_ nodes: [UInt16], _ list: [UInt8], _ system: UInt8) -> [UInt8] {
        let elements = (0..<Int(list[0])).map { (node: Int(list[1 + 2 * $0] & 0x0F), block: Int(list[2 + 2 * $0])) }
        var blocks: [UInt8] = []
        for element in elements {
            guard element.node < nodes.count, isService(nodes[element.node], of: system),
                let service = services[nodes[element.node]], element.block < service.count
            else { return [0x01, 0xA8] }
            blocks += service[element.block]
        }
        return [0x00, 0x00, list[0]] + blocks
    }

    private mutating func write(_ nodes: [UInt16], _ list: [UInt8], _ system: UInt8) -> [UInt8] {
        guard list.count == 19, nodes == [0x1009], isService(0x1009, of: system), list[2] == 0 else {
            return [0x01, 0xA8]
        }
        services[0x1009] = [Array(list.suffix(16))]
        return [0x00, 0x00]
    }

    private static func block(_ number: Int) -> [UInt8] {
        [UInt8(number & 0xFF), UInt8(number >> 8)] + [UInt8](repeating: 0, count: 14)
    }
}
