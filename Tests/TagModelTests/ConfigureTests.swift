import NFCTags
import NFCTypes
import TestSupport
import Testing

@testable import VirtualTags

/// Every setting on every product that has settings, and a change of several settings that is torn.
@Suite struct `The settings of a tag` {
    typealias Bench = `A message stays in the memory for data`.Bench

    /// A change of one setting, and the products that have it; ICODE SLIX2 is `slix2`.
    struct Row: Sendable {
        let name: String
        let change: TagSettingChanges
        let products: Set<String>
    }

    private static let counting: Set = ["ntag213", "ntag215", "ntag216"]
    private static let mirroring = counting.union(["ntag210", "ntag212"])

    static let rows = [
        Row(name: "counter on", change: .init(counter: .on), products: counting.union(["slix2"])),
        Row(name: "counter off", change: .init(counter: .off), products: counting),
        Row(name: "counter password", change: .init(counter: .password), products: counting.union(["slix2"])),
        Row(name: "mirror uid", change: .init(mirror: .uid, mirrorPage: 5), products: mirroring),
        Row(name: "mirror off", change: .init(mirror: .off), products: mirroring),
        Row(name: "mirror page alone", change: .init(mirrorPage: 5), products: []),
        Row(name: "mirror byte alone", change: .init(mirrorByte: 1), products: []),
        Row(name: "counter value", change: .init(counterValue: 7), products: ["slix2"]),
        Row(name: "AFI", change: .init(afi: [7]), products: ["slix2"]),
        Row(name: "EAS on", change: .init(eas: true), products: ["slix2"]),
        Row(name: "EAS off", change: .init(eas: false), products: ["slix2"]),
        Row(name: "lock of the AFI", change: .init(locks: [.afi]), products: ["slix2"]),
        Row(name: "lock of a password", change: .init(locks: [.readPassword]), products: ["slix2"]),
        Row(name: "privacy off", change: .init(privacy: false), products: []),
    ]

    /// Every product of Type 2 and ISO/IEC 15693, by the name of its model.
    private static func tag(_ name: String) throws -> any VirtualTag {
        try VirtualTagModel.named(name).makeTag(ndefMessage: nil)
    }

    static let products = VirtualTagModel.all.map(\.name)

    private static func memory(_ tag: any VirtualTag) -> [UInt8] {
        switch tag {
        case let tag as VirtualType2Tag: tag.memory
        case let tag as VirtualISO15693Tag: tag.memory + [tag.afi]
        default: []
        }
    }

    private static func bench(_ product: String) throws -> Bench? {
        let tag = try tag(product)
        for reader in ["acr1552u", "acr122u"] where VirtualReaderModel.named(reader)?.card(tag) != nil {
            return try Bench(tag, on: reader)
        }
        return nil
    }

    @Test(arguments: rows.indices)
    func `are those that its product has; every other one is refused, and changes nothing`(
        index: Int
    ) async throws {
        let row = Self.rows[index]
        var (accepted, refused): (Set<String>, Int) = ([], 0)
        for product in Self.products {
            guard let bench = try Self.bench(product), let tag = try? await bench.driver() as? any SettableTag else {
                continue
            }
            let before = Self.memory(bench.card.tag)
            do {
                _ = try await tag.configure(row.change)
                accepted.insert(product)
            } catch {
                refused += 1
                #expect(error.code == .unsupportedFeature, "\(row.name) on \(product): \(error)")
                #expect(Self.memory(bench.card.tag) == before, "\(row.name) on \(product)")
            }
        }
        #expect(accepted == row.products, "\(row.name)")
        #expect(refused > 10)
    }

    /// One setting that a tag has, with one that it does not have.
    @Test(arguments: [
        ("ntag213", TagSettingChanges(counter: .on, counterValue: 7), "counter whose value can be set"),
        ("ntag213", .init(counter: .on, eas: true), "EAS"), ("ntag213", .init(counter: .on, afi: [7]), "AFI"),
        ("ntag213", .init(counter: .on, locks: [.afi]), "locks"),
        ("ntag213", .init(counter: .on, privacy: true), "privacy"),
        ("ultralight-ev1-11", .init(mirror: .off), "no mirror"),
        ("slix2", .init(mirror: .uid, mirrorPage: 5, afi: [7]), "no mirror"),
        ("slix2", .init(counter: .off, afi: [7]), "cannot be turned off"),
    ])
    func `are refused together where the tag has a part of them`(
        product: String, change: TagSettingChanges, word: String
    ) async throws {
        let bench = try #require(try Self.bench(product))
        let before = Self.memory(bench.card.tag)
        let tag = try #require(try await bench.driver() as? any SettableTag)
        let error = await failure { _ = try await tag.configure(change) }
        #expect(
            error?.code == .unsupportedFeature && error?.detail.contains(word) == true, "\(String(describing: error))")
        #expect(Self.memory(bench.card.tag) == before)
    }

    @Test(arguments: [TagPassword(password: [1, 2, 3, 4], endPage: 10), .init(password: [1, 2, 3, 4], kind: .read)])
    func `of a password of ICODE are refused by an NTAG213`(password: TagPassword) async throws {
        let bench = try #require(try Self.bench("ntag213"))
        let before = Self.memory(bench.card.tag)
        let tag = try #require(try await bench.driver() as? any SettableTag)
        let error = await failure { try await tag.setPassword(password) }
        #expect(error?.code == .unsupportedFeature)
        #expect(Self.memory(bench.card.tag) == before)
    }
}

@Suite struct `A change of several settings` {
    /// Runs a change torn before, during and after every exchange.
    ///
    /// - Parameter check: receives the tag afterwards, the error, and whether the change was torn.
    private static func tear(
        _ make: () throws -> VirtualReader, _ change: (any VirtualCard) async throws -> Void,
        _ check: (VirtualReader, TagError?) throws -> Void
    ) async throws -> Int {
        var (cases, exchange) = (0, 1)
        while true {
            var hasHappened = false
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let reader = try make()
                let torn = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
                let error = await failure { try await change(torn) }
                if torn.isPresent { continue }
                hasHappened = true
                cases += 1
                try check(reader, error)
            }
            guard hasHappened else { return cases }
            exchange += 1
        }
    }

    /// What an error says was done.
    private static func done(_ error: TagError?) -> [String] {
        guard let text = error?.detail.firstRange(of: "done before: ") else { return [] }
        return error?.detail[text.upperBound...].split(separator: ",").map { $0.trimmingPrefix(" ") }.map(String.init)
            ?? []
    }

    /// That what is named as done is a prefix of what was changed, and that at most the next one was changed, too.
    private static func expectHonest(_ steps: [(name: String, isChanged: Bool)], _ error: TagError?) {
        let changed = steps.prefix(while: \.isChanged).map(\.name)
        guard let error else {
            #expect(changed.count == steps.count)
            return
        }
        let named = done(error)
        #expect(steps.map(\.name).starts(with: named), "\(error)")
        #expect(changed.starts(with: named) && changed.count <= named.count + 1, "\(changed) after \(error)")
        if !named.isEmpty { #expect(error.code == .tagConnectionLost || error.code == .tagUpdateFailure, "\(error)") }
        // No later step before an earlier one.
        #expect(steps.dropFirst(changed.count).allSatisfy { !$0.isChanged }, "\(error)")
    }

    @Test(arguments: ICODECards.readers) func `of an ICODE torn at every exchange says what was done`(
        model: String
    ) async throws {
        let change = TagSettingChanges(
            counter: .password, counterValue: 1, afi: [0x07], eas: true, locks: [.afi, .eas, .easPassword, .protection])
        var reached: Set<Int> = []
        let cases = try await Self.tear {
            try ICODECards.reader(model)
        } _: { card in
            _ = try await ICODECards.tag(card, model).configure(change)
        } _: { reader, error in
            let tag = try #require(Type5Cards.model(reader))
            let chip = try ICODECards.chip(reader)
            let counter = Array(tag.memory.suffix(4))
            Self.expectHonest(
                [
                    ("the AFI", tag.afi == 0x07), ("EAS", chip.hasEAS), ("the counter", counter == [1, 0, 0, 1]),
                    ("the lock of the AFI", tag.isAFILocked), ("the lock of EAS", chip.isEASLocked),
                    ("the lock of the password protection of EAS", chip.isEASProtected),
                    ("the lock of the protection of the pages", chip.isProtectionLocked),
                ], error)
            reached.insert(Self.done(error).count)
        }
        #expect(cases > 40)
        #expect(reached.isSuperset(of: 0...6))
    }

    @Test(arguments: Type2Setup.readers) func `of a Type 2 tag torn at every exchange says what was done`(
        model: String
    ) async throws {
        let setup = Type2Setup(model: "ntag213", reader: model)
        let change = TagSettingChanges(counter: .on, mirror: .uidAndCounter, mirrorPage: 5, mirrorByte: 2)
        var reached: Set<Int> = []
        let cases = try await Self.tear {
            try setup.card(Type2Setup.message(20))
        } _: { card in
            _ = try await setup.tag(card).configure(change)
        } _: { reader, error in
            let page = try #require(reader.tag as? VirtualType2Tag).memory.suffix(16)
            let start = page.startIndex
            Self.expectHonest(
                [("the counter", page[start + 4] & 0x10 != 0), ("the mirror", page[start + 2] == 5)], error)
            reached.insert(Self.done(error).count)
        }
        #expect(cases > 15)
        #expect(reached == [0, 1])
    }
}
