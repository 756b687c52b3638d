import NFCTags
import NFCTypes
import Testing
import TestSupport

@testable import VirtualTags

/// What a driver does for a method that needs a capability, sent as raw commands by a client without it.
///
/// Each driver makes its change on a virtual tag. The frames that the tag received are sent to another one like it, in every
/// form that the tag takes, alone, in pairs and all together, as far as the screen lets them through with `raw` and `write`. The
/// model decides what they did.
@Suite(.timeLimit(.minutes(20))) struct `A change that needs a capability, by another path` {
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let technology: TagTechnology
        var isDESFire = false
        let reader: @Sendable () throws -> VirtualReader
        let make: @Sendable (VirtualReader) async throws -> Void
    }

    static func traced(_ tag: any VirtualTag) -> VirtualReader {
        VirtualReader(tag: tag, settings: .init(traceLimit: 5_000))
    }

    static let type2: [Change] = Type2Setup.models.flatMap { model -> [Change] in
        let setup = Type2Setup(model: model, reader: "acr1252u")
        func change(
            _ name: String, _ message: [UInt8]? = [1, 2, 3],
            _ make: @escaping @Sendable (NFCTags.Type2Tag) async throws -> Void
        ) -> Change {
            Change(
                testDescription: "\(model): \(name)", technology: .type2, reader: { try setup.card(message) },
                make: { card in try await make(setup.tag(card)) })
        }
        return [
            change("lock") { try await $0.makeReadOnly() },
            change("password") { _ = try await $0.setPassword(TagPassword(password: [1, 2, 3, 4], pack: [5, 6])) },
            change("configure") {
                _ = try await $0.configure(TagSettingChanges(counter: .on))
            },
            change("format", nil) { try await $0.formatNDEF() },
        ]
    }

    static let vicinity: [Change] = Type5Cards.all.flatMap { card -> [Change] in
        let product = card.product
        return [
            Change(
                testDescription: "\(product.name): lock", technology: .iso15693,
                reader: { try Type5Cards.reader(product, [1, 2, 3]) },
                make: { try await Type5Cards.native($0).makeReadOnly() }),
            Change(
                testDescription: "\(product.name): format", technology: .iso15693,
                reader: { try Type5Cards.reader(product, nil) },
                make: { try await Type5Cards.native($0).formatNDEF() }),
        ]
    }

    static let feliCaCards: [Change] = VirtualFeliCaProduct.all.flatMap { product -> [Change] in
        [
            Change(
                testDescription: "\(product): lock", technology: .feliCa,
                reader: { traced(try VirtualFeliCaTag(product: product, ndefMessage: [1, 2, 3])) },
                make: { try await Type3Bench.tag($0).makeReadOnly() }),
            Change(
                testDescription: "\(product): format", technology: .feliCa,
                reader: { traced(try VirtualFeliCaTag(product: product, ndefMessage: nil)) },
                make: { try await Type3Bench.tag($0).formatNDEF() }),
        ]
    }

    static let classic: [Change] = ClassicCards.all.flatMap { card -> [Change] in
        let (product, size) = (card.product, card.size)
        return [
            Change(
                testDescription: "\(product): lock", technology: .mifareClassic,
                reader: { traced(try VirtualMIFAREClassicTag(product: product, ndefMessage: [1, 2, 3])) },
                make: { try await ClassicCards.tag($0, size).makeReadOnly() }),
            Change(
                testDescription: "\(product): format", technology: .mifareClassic,
                reader: { traced(try VirtualMIFAREClassicTag(product: product, ndefMessage: nil)) },
                make: { try await ClassicCards.tag($0, size).formatNDEF() }),
        ]
    }

    static let type4: [Change] = Type4Case.all.filter(\.isLockable).map { row in
        Change(
            testDescription: "\(row.name): lock", technology: .iso14443Part4(.a),
            reader: { traced(try row.make([1, 2, 3])) }, make: { try await row.tag($0).makeReadOnly() })
    }

    /// The driver has no key for it: where the container can be written freely, another program locks the card.
    static let desfire = Change(
        testDescription: "desfire-ev1: lock", technology: .iso14443Part4(.a), isDESFire: true,
        reader: {
            let product = VirtualDESFireProduct.desfireEV1
            var application = try product.application(message: [1, 2, 3], isWritable: true)
            var container = try application.file(1)
            container.rights = .free
            application.store(container)
            return traced(try VirtualDESFireCard(product: product, applications: [application]))
        },
        make: { reader in
            reader.powerOn()
            for apdu in ["905A00000301000000", "903D000008010E0000010000FF00"] { _ = reader.transmit(hex(apdu)) }
        })

    static let all: [Change] = type2 + vicinity + feliCaCards + classic + type4 + [desfire]

    @Test(arguments: all) func `is refused`(change: Change) async throws {
        let reader = try change.reader()
        let fresh = reader.tag
        do {
            try await change.make(reader)
        } catch let error as TagError where [.unsupportedFeature, .tagNotWritable].contains(error.code) {
            return  // The product has no such setting.
        }
        guard Harm.of(fresh, reader.tag) != nil else {
            // A tag that its maker has formatted holds no more than data after formatting.
            #expect(
                change.testDescription.hasSuffix("format"), "the driver has changed nothing that a capability is for")
            return
        }
        let frames = reader.trace.compactMap { Self.sent($0, change.technology) }
        let changing = Self.changing(frames, fresh)
        let paths = Array(Set(changing.flatMap { Self.paths($0, fresh, change.technology) }))
        var tried = 0
        func attempt(_ sequence: [[UInt8]], _ what: String) {
            tried += 1
            let after = Self.replay(sequence, on: fresh, change)
            let harm = Harm.of(fresh, after)
            #expect(harm == nil, "\(what): \(harm ?? "") by \(sequence.map { Hexadecimal.string($0) })")
        }
        attempt(frames, "all together")
        for path in paths { attempt(path, "alone") }
        // The first are those of the places that were changed first.
        let some = paths.sorted { $0.lexicographicallyPrecedes($1) { $0.lexicographicallyPrecedes($1) } }.prefix(12)
        for one in some { for other in some { attempt(one + other, "a pair") } }
        print("\(change.testDescription): \(tried) paths")
    }

    // MARK: Paths

    /// What a client would send for a step of the trace.
    private static func sent(_ entry: TraceEntry, _ technology: TagTechnology) -> [UInt8]? {
        switch (entry, technology) {
        case (.apdu(let command, _), .iso14443Part4): command
        case (.frame(let command, _), .type2), (.frame(let command, _), .mifareClassic): command
        case (.frame(let command, _), .feliCa), (.frame(let command, _), .iso15693): command
        default: nil
        }
    }

    /// The frames that change a tag, each with those that it needs before: an authentication, a selection.
    private static func changing(_ frames: [[UInt8]], _ fresh: any VirtualTag) -> [[[UInt8]]] {
        var tag = fresh
        tag.activate()
        var found: [[[UInt8]]] = []
        for (index, frame) in frames.enumerated() {
            let before = Harm.memory(of: tag)
            if case .nak = tag.exchange(frame) { tag.activate() }
            guard Harm.memory(of: tag) != before else { continue }
            found.append(Array(frames[max(0, index - 4)...index]))
        }
        // Of thousands, some from the first to the last.
        let step = max(1, found.count / 12)
        return found.indices.filter { $0 % step == 0 || $0 == found.count - 1 }.map { found[$0] }
    }

    /// The same change in every form, and behind commands whose effect the screen records.
    private static func paths(_ steps: [[UInt8]], _ fresh: any VirtualTag, _ technology: TagTechnology) -> [[[UInt8]]] {
        guard let last = steps.last else { return [] }
        switch technology {
        case .type2 where last.count == 6:
            let whole = Array(last.dropFirst(2)) + [UInt8](repeating: 0, count: 12)
            let forms: [[[UInt8]]] = [[last], [[0xA0, last[1]], whole]]
            let known: [[[UInt8]]] = forms.map { [[0x60]] + $0 }
            let read: [[UInt8]] = [[0x60], [0x30, last[1]], last]
            return forms + known + [read, steps]
        case .mifareClassic: return [[last], steps]
        case .feliCa: return feliCa(last)
        case .iso15693: return vicinity(last, fresh)
        case .iso14443Part4: return [[last], steps] + cards(last)
        default: return [[last], steps]
        }
    }

    private static func feliCa(_ frame: [UInt8]) -> [[[UInt8]]] {
        guard frame.count >= 16 + 15, frame[1] == 0x08, frame[10] == 1 else { return [[frame]] }
        let identifier = frame[2..<10]
        let data = Array(frame.suffix(16))
        let block = frame[frame.count - 17]
        func write(_ elements: [[UInt8]], _ blocks: [UInt8]) -> [UInt8] {
            let head: [UInt8] = [0x08] + identifier + [0x01, 0x09, 0x00, UInt8(elements.count)]
            let body = head + elements.flatMap { $0 } + blocks
            return [UInt8(body.count + 1)] + body
        }
        func read(_ number: UInt8, service: UInt8 = 0x0B) -> [UInt8] {
            var body: [UInt8] = [0x06]
            body += identifier
            body += [0x01, service, 0x00, 0x01, 0x80, number]
            return [UInt8(body.count + 1)] + body
        }
        let zeros = [UInt8](repeating: 0, count: 16)
        let forms: [[UInt8]] = [
            frame, write([[0x80, block]], data), write([[0x00, block, 0x00]], data),
            write([[0x80, 0x01], [0x80, block]], zeros + data), write([[0x80, block], [0x80, 0x01]], data + zeros),
            write([[0x80, block], [0x80, block]], zeros + data), write([[0x80, block], [0x80, block]], data + data),
        ]
        return forms.map { [$0] } + forms.map { [read(block), $0] } + forms.map { [read(0, service: 0x09), $0] }
    }

    private static func vicinity(_ request: [UInt8], _ fresh: any VirtualTag) -> [[[UInt8]]] {
        let isAddressed = request[0] & 0x20 != 0
        let body = Array(request.dropFirst(isAddressed ? 10 : 2))
        guard let block = body.first else { return [[request]] }
        let data = Array(body.dropFirst())
        let heads: [[UInt8]] = [[0x21, block], [0x31, block, 0], [0x24, block, 0], [0x34, block, 0, 0, 0]]
        let bodies: [[UInt8]] = request[1] == 0x22 ? [[0x22, block], [0x32, block, 0]] : heads.map { $0 + data }
        let address: [UInt8] = Array(fresh.identifier.reversed())
        var forms: [[UInt8]] = []
        for body in bodies {
            for flags: UInt8 in [0x02, 0x42] {
                let rest = Array(body.dropFirst())
                let (plain, addressed): ([UInt8], [UInt8]) = ([flags, body[0]], [flags | 0x20, body[0]])
                forms += [plain + rest, addressed + address + rest]
            }
        }
        let reads: [[UInt8]] = [
            [0x02, 0x20, block], [0x42, 0x20, block], [0x02, 0x23, block, 0], [0x02, 0x30, block, 0],
        ]
        return forms.map { [$0] } + reads.flatMap { read in forms.map { [read, $0] } }
    }

    /// The container written by file id, short id, on another channel and in native commands.
    private static func cards(_ last: [UInt8]) -> [[[UInt8]]] {
        let select = hex("00A4040007D2760000850101")
        let writes = ["00D6000E01FF", "00D6830E01FF", "00D6030E01FF", "00D700000654010E5301FF"]
        let contexts: [[[UInt8]]] = [
            [], [select], [select, hex("00A4000C02E103")], [select, hex("00A4020C02E103")],
            [select, hex("00A4000C02E104"), hex("00A4000C02E103")], [select, hex("00A4000C02E104"), hex("00B083000F")],
        ]
        let native = [
            "903D000008010E0000010000FF00", "908D000008010E0000010000FF00",
            "903D00000F01070000080000" + "0406E104080000FF" + "00",
        ]
        let selections: [[[UInt8]]] = [
            [], [hex("905A00000301000000")], [select], [hex("905A00000301000000"), hex("90BD0000070100000000000000")],
        ]
        let interindustry: [[[UInt8]]] = contexts.flatMap { context in writes.map { context + [hex($0)] } }
        return interindustry + selections.flatMap { selection in native.map { selection + [hex($0)] } }
    }

    // MARK: Replay

    /// The tag after a client with `raw` and `write` has sent the commands that the screen lets through.
    private static func replay(_ sequence: [[UInt8]], on fresh: any VirtualTag, _ change: Change) -> any VirtualTag {
        var tag = fresh
        tag.activate()
        var screen = CommandScreen(
            TagIdentity(technology: change.technology, identifier: tag.identifier, atr: []), isDESFire: change.isDESFire
        )
        for frame in sequence {
            let command = command(frame, change.technology)
            guard screen.judge(command).effect <= .write else { continue }
            var answer: [UInt8]?
            switch tag.exchange(frame) {
            case .data(let bytes): answer = change.technology == .feliCa ? Array(bytes.dropFirst()) : bytes
            case .ack: answer = [0x0A]
            case .nak: tag.activate()
            case .silence: break
            }
            screen.record(command, answer: answer)
        }
        return tag
    }

    private static func command(_ frame: [UInt8], _ technology: TagTechnology) -> RawCommand {
        switch technology {
        case .feliCa: .feliCa(Array(frame.dropFirst()))
        case .iso15693: .iso15693(frame)
        case .iso14443Part4: .apdu(frame)
        default: .miFare(frame)
        }
    }
}

/// What only a capability may do to a tag, read from its model.
private enum Harm {
    /// What was done; nil: data was changed at most.
    static func of(_ before: any VirtualTag, _ after: any VirtualTag) -> String? {
        switch (before, after) {
        case (let before as VirtualType2Tag, let after as VirtualType2Tag):
            let end = before.product.dynamicLock?.page ?? before.product.configurationPage ?? before.product.pageCount
            let guarded = { (tag: VirtualType2Tag) in tag.memory.prefix(16) + tag.memory.dropFirst(4 * end) }
            return guarded(before) == guarded(after) ? nil : "header, locks, configuration or keys"
        case (let before as VirtualMIFAREClassicTag, let after as VirtualMIFAREClassicTag):
            let blocks = (0..<before.memory.count / 16).filter { $0 < 128 ? $0 % 4 == 3 : $0 % 16 == 15 }
            return blocks.contains { before.memory[16 * $0..<16 * $0 + 16] != after.memory[16 * $0..<16 * $0 + 16] }
                ? "a sector trailer" : nil
        case (let before as VirtualFeliCaTag, let after as VirtualFeliCaTag): return feliCa(before, after)
        case (let before as VirtualISO15693Tag, let after as VirtualISO15693Tag): return vicinity(before, after)
        case (let before as VirtualType4Card, let after as VirtualType4Card):
            return before.contents[0xE103] == after.contents[0xE103] ? nil : "the capability container"
        case (let before as VirtualDESFireCard, let after as VirtualDESFireCard):
            return before.contents[0xE103] == after.contents[0xE103] ? nil : "the capability container"
        default: return "another tag"
        }
    }

    private static func feliCa(_ before: VirtualFeliCaTag, _ after: VirtualFeliCaTag) -> String? {
        let guarded = { (tag: VirtualFeliCaTag) in
            tag.blocks.filter { $0.key > 0x0D && ![0x80, 0x81, 0x90, 0x91].contains($0.key) }
        }
        if before.product.family != .plain, guarded(before) != guarded(after) { return "configuration or keys" }
        let (old, new) = (attribute(before), attribute(after))
        guard let new else { return nil }
        if old == nil { return "the card was formatted" }
        return new != 0x01 && old == 0x01 ? "RWFlag" : nil
    }

    /// RWFlag of a valid attribute information block.
    private static func attribute(_ tag: VirtualFeliCaTag) -> UInt8? {
        guard let block = tag.blocks[0], block[0] != 0,
            block.prefix(14).reduce(0, { $0 + Int($1) }) == Int(block[14]) << 8 | Int(block[15])
        else { return nil }
        return block[10]
    }

    private static func vicinity(_ before: VirtualISO15693Tag, _ after: VirtualISO15693Tag) -> String? {
        if before.lockedBlocks != after.lockedBlocks { return "a lock" }
        let isContainer = { (tag: VirtualISO15693Tag) in [0xE1, 0xE2].contains(tag.memory[0]) }
        guard isContainer(after) else { return nil }
        if !isContainer(before) { return "the tag was formatted" }
        return after.memory[1] & 0x0F != before.memory[1] & 0x0F ? "the access bits" : nil
    }

    /// Everything that is stored.
    static func memory(of tag: any VirtualTag) -> [UInt8] {
        switch tag {
        case let tag as VirtualType2Tag: tag.memory
        case let tag as VirtualMIFAREClassicTag: tag.memory
        case let tag as VirtualFeliCaTag: tag.blocks.sorted { $0.key < $1.key }.flatMap(\.value)
        case let tag as VirtualISO15693Tag: tag.memory + tag.lockedBlocks.sorted().map { UInt8(truncatingIfNeeded: $0) }
        case let tag as VirtualType4Card: tag.contents.sorted { $0.key < $1.key }.flatMap(\.value)
        case let tag as VirtualDESFireCard: tag.contents.sorted { $0.key < $1.key }.flatMap(\.value)
        default: []
        }
    }
}
