import NFCTags
import Testing
import TestSupport
import VirtualTags

@testable import NFCSessions

/// Generated sequences of raw commands for each technology: what changed lock or one-time bits, keys, the configuration
/// or a foreign application was refused to a client without the capability.
@Suite(.timeLimit(.minutes(30))) struct `Raw commands without the capability to lock` {
    @Test func `set no lock bit, key or configuration of a Type 2 tag`() async throws {
        try await RawCommandOracle(makeTag: { try OracleType2($0) }, makeCommands: Self.type2).check(seed: 2)
    }

    @Test func `set no lock bit of an NTAG I2C in any sector`() async throws {
        try await RawCommandOracle(makeTag: { try OracleNTAGI2C($0) }, makeCommands: Self.type2).check(seed: 3)
    }

    @Test func `change no sector trailer of a MIFARE Classic`() async throws {
        try await RawCommandOracle(makeTag: { try OracleClassic($0) }, makeCommands: Self.classic).check(seed: 4)
    }

    @Test func `change no configuration or key of a FeliCa card`() async throws {
        try await RawCommandOracle(makeTag: { try OracleFeliCa($0) }, makeCommands: Self.feliCa).check(seed: 5)
    }

    @Test func `lock no block of an ISO 15693 tag`() async throws {
        try await RawCommandOracle(makeTag: { try OracleISO15693($0) }, makeCommands: Self.iso15693).check(seed: 6)
    }

    @Test func `change no capability container of a Type 4 card`() async throws {
        try await RawCommandOracle(makeTag: { try OracleType4($0) }, makeCommands: Self.card).check(seed: 7)
    }

    @Test func `reach no application of a DESFire card that is not granted`() async throws {
        let oracle = RawCommandOracle(
            makeTag: { try OracleDESFire($0) }, makeCommands: Self.card, isDESFire: true, secret: OracleDESFire.secret)
        let open = try await oracle.run(RawCommandOracle.grant([.raw, .read, .write]), sequences: 500, seed: 8)
        #expect(!open.leaks.isEmpty && !open.protectedChanges.isEmpty, "no sequence reaches the foreign application")
        let own = RawCommandOracle.grant([.raw, .read, .write], names: .some([OracleDESFire.own]))
        let bound = try await oracle.run(own, seed: 8)
        #expect(bound.leaks.isEmpty, "\(bound.leaks.first ?? [])")
        #expect(bound.protectedChanges.isEmpty, "\(bound.protectedChanges.first ?? [])")
        #expect(bound.changes > 0)
    }

    @Test func `poll no FeliCa system that is not granted, and reach none`() async throws {
        let oracle = RawCommandOracle(makeTag: { try OracleFeliCa($0) }, makeCommands: Self.feliCa)
        let outcome = try await oracle.run(
            RawCommandOracle.grant([.raw, .read, .write], systems: .some([0x0003])), seed: 9)
        #expect(outcome.changes == 0 && outcome.protectedChanges.isEmpty)
    }

    // MARK: Generated commands

    private static func type2(_ number: Int, _ random: inout SplitMix) -> [RawCommand] {
        let pages: [UInt8] = [
            0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 47, 129, 130, 131, 132, 133,
            134,
            223, 224, 225, 226, 227, 228, 229, 230, 255,
        ]
        var frames: [[UInt8]] = random.once(in: 2) ? [[0x60]] : []
        while frames.count < 8 {
            let page = random.once(in: 8) ? UInt8.random(in: 0...255, using: &random) : random.pick(pages)
            switch Int.random(in: 0..<14, using: &random) {
            case 0: frames.append([0x60])
            case 1: frames.append([0x30, page])
            case 2: frames.append([0x3A, page, page &+ 2])
            case 3, 4, 5, 6: frames.append([0xA2, page] + random.data(count: 4))
            case 7, 8:
                frames.append([0xA0, page])
                frames.append(random.once(in: 6) ? [0xA2, 2, 0, 0, 0xFF, 0xFF] : random.data(count: 16))
            case 9:
                frames.append([0xC2, 0xFF])
                frames.append([random.pick([0, 1, 1, 1, 2, 3]), 0, 0, 0])
            case 10: frames.append([0x1B] + (random.once(in: 2) ? [0xFF, 0xFF, 0xFF, 0xFF] : random.bytes(count: 4)))
            case 11: frames.append([0xA5, random.pick([0, 1, 2, 3])] + random.bytes(count: 4))
            case 12:
                frames.append([0x1A, 0x00])
                frames.append([0xAF] + random.bytes(count: 16))
            default: frames.append(random.bytes(count: Int.random(in: 0...8, using: &random)))
            }
        }
        return frames.map { .miFare(random.spoiled($0)) }
    }

    private static func classic(_ number: Int, _ random: inout SplitMix) -> [RawCommand] {
        let keys: [[UInt8]] = [
            [UInt8](repeating: 0xFF, count: 6), [0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7],
            [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5],
        ]
        let sector = Int.random(in: 0..<20, using: &random)
        let first = UInt8(truncatingIfNeeded: random.once(in: 6) ? 128 + 16 * (sector % 8) : 4 * sector)
        let length: UInt8 = first >= 128 ? 16 : 4
        let open = [random.pick([0x60, 0x61]), first] + random.pick(keys)
        var frames: [[UInt8]] = []
        while frames.count < 10 {
            if frames.count % 3 == 0 { frames.append(open) }
            let block = first &+ UInt8.random(in: 0..<length, using: &random)
            let place = random.once(in: 3) ? first &+ length &- 1 : block
            switch Int.random(in: 0..<8, using: &random) {
            case 0: frames.append([0x30, place])
            case 1, 2: frames.append([0xA0, place] + random.data(count: 16))
            case 3, 4: frames += [[0xA0, place], random.data(count: 16)]
            case 5: frames += [[random.pick([0xC0, 0xC1, 0xC2]), place], [1, 0, 0, 0], [0xB0, place]]
            case 6: frames.append([0xB0, place])
            default: frames.append(random.bytes(count: Int.random(in: 0...18, using: &random)))
            }
        }
        return frames.map { .miFare(random.spoiled($0, onceIn: 20)) }
    }

    private static func feliCa(_ number: Int, _ random: inout SplitMix) -> [RawCommand] {
        guard let identifier = try? OracleFeliCa(number).identity.identifier else { return [] }
        let blocks: [UInt8] = [
            0, 1, 5, 0x0D, 0x0E, 0x0F, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x90, 0x91, 0x92,
        ]
        return (0..<8).map { _ -> RawCommand in
            let block = random.pick(blocks)
            let address = random.once(in: 10) ? random.bytes(count: 8) : identifier
            let element: [UInt8] = random.once(in: 3) ? [0x00, block, 0x00] : [0x80, block]
            let services: [[UInt8]] = [[0x09, 0x00], [0x09, 0x00], [0x0B, 0x00], [0x49, 0x00], [0x0D, 0x00]]
            let systems: [[UInt8]] = [[0x12, 0xFC], [0x88, 0xB4], [0xFF, 0xFF], [0x00, 0x03]]
            let service = random.pick(services)
            let parts: [[UInt8]] =
                switch Int.random(in: 0..<9, using: &random) {
                case 0: [[0x00], random.pick(systems), [0x00, 0x00]]
                case 1: [[0x06], address, [0x01], service, [0x01], element]
                case 2: [[0x02], address, [0x01], service]
                case 3: [[0x0C], address]
                case 4: [[0x08], address, [0x01], service, [0x02, 0x80, 0x00], element, random.data(count: 32)]
                case 5:
                    [
                        [0x08], address, [0x01, 0x09, 0x00, 0x01, 0x80, 0x00],
                        hex("1004010008000000000000000000001D"),
                    ]
                default: [[0x08], address, [0x01], service, [0x01], element, random.data(count: 16)]
                }
            let packet = parts.flatMap { $0 }
            return .feliCa(random.spoiled(packet))
        }
    }

    private static func iso15693(_ number: Int, _ random: inout SplitMix) -> [RawCommand] {
        guard let tag = try? OracleISO15693(number) else { return [] }
        let size = tag.tag.product.blockSize
        return (0..<8).map { _ -> RawCommand in
            let block = random.pick([0, 0, 1, 2, 27, 79] as [UInt8])
            let data: [UInt8] =
                random.once(in: 3)
                ? [0xE1, random.pick([0x40, 0x43])] + random.data(count: size - 2) : random.data(count: size)
            let body: [UInt8] =
                switch Int.random(in: 0..<14, using: &random) {
                case 0: [0x20, block]
                case 1: [0x23, block, 0x01]
                case 2, 3, 4: [0x21, block] + data
                case 5: [0x24, block, 0x00] + data
                case 6: [0x22, block]
                case 7: [random.pick([0x27, 0x29]), block]
                case 8: [random.pick([0x28, 0x2A, 0x2B, 0x26])]
                case 9: [0x31, block, 0x00] + data
                case 10: [0x32, block, 0x00]
                case 11: [UInt8.random(in: 0xA0...0xDF, using: &random), 0x04] + random.bytes(count: 2)
                case 12: [0x34, block, 0x00, 0x00, 0x00] + data
                default: random.bytes(count: 3)
                }
            let isAddressed = random.once(in: 2) && !body.isEmpty
            let flags = random.pick([0x02, 0x02, 0x42, 0x12, 0x0A, 0x06] as [UInt8]) | (isAddressed ? 0x20 : 0)
            let address: [UInt8] = isAddressed ? Array(tag.identity.identifier.reversed()) : []
            let frame: [UInt8] = [flags, body[0]] + address + Array(body.dropFirst())
            return .iso15693(random.spoiled(frame))
        }
    }

    private static func card(_ number: Int, _ random: inout SplitMix) -> [RawCommand] {
        let ndef: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
        let files: [[UInt8]] = [
            [0xE1, 0x03], [0xE1, 0x04], [0xE1, 0x10], [0xE1, 0x11], [0xFF, 0xFE], [0x3F, 0x00],
        ]
        var commands: [[UInt8]] = []
        if random.once(in: 3) {
            commands = [
                [0x00, 0xA4, 0x04, 0x00, 0x07] + ndef, [0x00, 0xA4, 0x02, 0x0C, 0x02, 0xE1, random.pick([3, 4])],
            ]
        }
        while commands.count < 10 {
            let name = random.once(in: 2) ? ndef : OracleDESFire.own
            let file = random.pick(files)
            let data = random.data(count: random.pick([1, 2, 15, 17]))
            let offset = random.pick([0, 2, 14] as [UInt8])
            switch Int.random(in: 0..<13, using: &random) {
            case 0, 1: commands.append([0x00, 0xA4, 0x04, 0x00, UInt8(truncatingIfNeeded: name.count)] + name)
            case 2, 3: commands.append([0x00, 0xA4, random.pick([0x00, 0x02]), 0x0C, 0x02] + file)
            case 4: commands.append([0x00, 0xB0, random.pick([0x00, 0x81, 0x82]), offset, 0x10])
            case 5: commands.append([0x00, 0xD6, 0x00, 0x0E, 0x01, 0xFF])
            case 6: commands.append([0x00, 0xD6, 0x00, offset, UInt8(truncatingIfNeeded: data.count)] + data)
            case 7: commands.append([0x90, 0x5A, 0, 0, 3, random.pick([0, 1, 2]), 0, 0, 0])
            case 8: commands.append([0x90, 0xBD, 0, 0, 7, random.pick([1, 2]), 0, 0, 0, 0x10, 0, 0, 0])
            case 9:
                let size = UInt8(truncatingIfNeeded: data.count)
                let body: [UInt8] = [random.pick([1, 2]), 0, 0, 0, size, 0, 0] + data
                commands.append([0x90, 0x3D, 0, 0, UInt8(truncatingIfNeeded: body.count)] + body + [0])
            case 10: commands.append([0x90, 0xAF, 0, 0, 0])
            case 11: commands.append([0x00, 0xA4, 0x01, 0x00, 0x02] + file)
            default: commands.append([random.pick([0x00, 0x10, 0x0C, 0x80, 0x90, 0xFF])] + random.bytes(count: 5))
            }
        }
        return commands.map { .apdu(random.spoiled($0)) }
    }
}
