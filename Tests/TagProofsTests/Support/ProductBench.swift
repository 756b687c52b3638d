import NFCTags
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

/// A way in which a tag of any product is set up.
enum ProductKind: Sendable, CustomTestStringConvertible {
    case ntag424(SetUpVariant)
    case desfire(DESFireBench.Kind)
    case ultralight(locks: Bool)

    static let all: [ProductKind] =
        SetUpVariant.allCases.filter { $0 != .everything }.map { .ntag424($0) }
        + DESFireBench.kinds.map { .desfire($0) } + [.ultralight(locks: false), .ultralight(locks: true)]
    /// One of each product.
    static let products: [ProductKind] = [.ntag424(.challenge), .desfire(DESFireBench.ev2), .ultralight(locks: false)]

    var testDescription: String {
        switch self {
        case .ntag424(let variant): "NTAG 424 DNA, \(variant)"
        case .desfire(let kind): kind.testDescription
        case .ultralight(let locks): "MIFARE Ultralight AES" + (locks ? ", locked keys" : "")
        }
    }

    /// Whether a tag of the kind can get other keys.
    var canRotate: Bool {
        if case .ultralight(locks: true) = self { false } else { true }
    }

    /// A tag with which a task is begun.
    func bench(_ task: SetUpTask) async throws -> any ProductBench {
        var bench: any ProductBench =
            switch self {
            case .ntag424(let variant): try variant.bench()
            case .desfire(let kind): try DESFireBench(kind)
            case .ultralight(let locks): try UltralightBench(locks: locks && task == .setUp)
            }
        bench.options.makers = []
        if task != .setUp { #expect(await bench.run(.setUp).error == nil) }
        if task != .setUp { bench.options.irreversible = [] }
        if task == .rotate { bench.ring = SetUpBench.rotated }
        return bench
    }
}

/// A bench of any product, on which a blank tag can take the place of another.
protocol ProductBench: SettingUp {
    var options: SetUpOptions { get set }
    var ring: KeyRing { get set }

    func takeAway() -> any VirtualTag
    func put(_ tag: any VirtualTag)
    func presentBlank()
    /// Whether the tag is as delivered, but for its content.
    var isBlank: Bool { get }
    /// Presents a tag that shows the versions of this one, and has other keys; false if it has only keys as delivered, or has key 0.
    func presentImitation() throws -> Bool
    /// Whether an imitation has only its own keys.
    var hasOnlyImitatedKeys: Bool { get }
    /// Whether the tag shows its keys.
    var showsKeys: Bool { get }
    /// Whether the tag surely has secret keys that a blank one does not show.
    func hasSecrets(_ task: SetUpTask) -> Bool
    func isFinished(_ task: SetUpTask) -> Bool
    /// Whether all keys have a version, no authentication failed and the record is that of a finished task.
    func isFinished(with version: UInt8) -> Bool
    func finish(_ task: SetUpTask, _ plan: FaultPlan) async -> SetUpVisit
}

extension ProductBench {
    static var imitatedKey: [UInt8] { [UInt8](repeating: 0x5C, count: 16) }

    var showsKeys: Bool { true }
    func presentImitation() throws -> Bool { false }
    var hasOnlyImitatedKeys: Bool { false }

    func finish(_ task: SetUpTask) async -> SetUpVisit { await finish(task, .none) }

    func status() async throws -> SetUpStatus {
        try await ask { (setUp, channel) async throws(SetUpError) in try await setUp.status(channel) }.get()
    }

    func version(_ task: SetUpTask) -> UInt8 {
        switch task {
        case .setUp: 1
        case .rotate: 2
        case .reset: 0
        }
    }

    /// Of keys that are changed one after the other, one may be on its way. A reset ends with key 0.
    func hasSecrets(_ task: SetUpTask, _ versions: [UInt8]) -> Bool {
        task == .reset ? versions.filter { $0 == 0 }.isEmpty : versions.filter { $0 != 0 }.count > 1
    }
}

extension SetUpBench: ProductBench {
    func takeAway() -> any VirtualTag { tag.state }
    func put(_ other: any VirtualTag) {
        if let card = other as? VirtualNTAG424Card { tag.replace(with: card) }
    }
    func presentBlank() {
        var setup = VirtualNTAG424Setup()
        setup.identifier = Site.uid
        if profile.usesLRP { setup.configuration = [VirtualNTAG424Setup.lrp] }
        if profile.url == nil { setup.files[2] = hex("0008D1010455046162632F") }
        if let card = try? VirtualNTAG424Card(setup) { tag.replace(with: card) }
    }
    var isBlank: Bool { hasKeys(version: 0) && isUncounted }
    func presentImitation() throws -> Bool {
        let genuine = tag.state
        guard genuine.keyVersions[0] == 0, genuine.keyVersions.contains(where: { $0 != 0 }) else { return false }
        var setup = VirtualNTAG424Setup()
        setup.identifier = Site.uid
        if profile.usesLRP { setup.configuration = [VirtualNTAG424Setup.lrp] }
        for (number, version) in genuine.keyVersions.enumerated() where version != 0 {
            setup.keys[UInt8(number)] = .init(Self.imitatedKey, version: version)
        }
        tag.replace(with: try VirtualNTAG424Card(setup))
        return true
    }
    var hasOnlyImitatedKeys: Bool {
        let card = tag.state
        return card.keyVersions.enumerated().allSatisfy { number, version in
            card.hasKey(UInt8(number), version == 0 ? [UInt8](repeating: 0, count: 16) : Self.imitatedKey)
        }
    }
    func hasSecrets(_ task: SetUpTask) -> Bool { hasSecrets(task, tag.state.keyVersions) }
    func isFinished(_ task: SetUpTask) -> Bool { isFinished(with: version(task)) }
    func isFinished(with version: UInt8) -> Bool { hasKeys(version: version) && isUncounted && hasOnlyDoneRecords }
}

extension DESFireBench: ProductBench {
    func takeAway() -> any VirtualTag { tag.state }
    func put(_ other: any VirtualTag) {
        if let card = other as? VirtualDESFireCard { tag.replace(with: card) }
    }
    func presentBlank() {
        if let card = try? VirtualDESFireCard(
            product: tag.state.product, identifier: Site.uid, level: VirtualDESFireLevel(), setups: [])
        {
            tag.replace(with: card)
        }
    }
    func presentImitation() throws -> Bool {
        let state = tag.state
        let versions = (0..<3).map { state.keyVersion(application: Self.application, number: $0) ?? 0 }
        guard hasApplication, versions[0] == 0, versions.contains(where: { $0 != 0 }) else { return false }
        let keys = versions.map {
            VirtualDESFireSetup.Key($0 == 0 ? [UInt8](repeating: 0, count: 16) : Self.imitatedKey, version: $0)
        }
        let setup = VirtualDESFireSetup(
            application: Self.application, keys: keys, content: [UInt8](repeating: 0, count: 32))
        tag.replace(
            with: try VirtualDESFireCard(
                product: state.product, identifier: Site.uid, level: VirtualDESFireLevel(), setups: [setup]))
        return true
    }
    var hasOnlyImitatedKeys: Bool {
        let card = tag.state
        return (UInt8(0)..<3).allSatisfy { number in
            let version = card.keyVersion(application: Self.application, number: number)
            return card.hasKey(
                application: Self.application, number: number,
                value: version == 0 ? [UInt8](repeating: 0, count: 16) : Self.imitatedKey)
        }
    }
    var isBlank: Bool { !hasApplication && hasKeys(version: 0) && isUncounted }
    func hasSecrets(_ task: SetUpTask) -> Bool {
        let state = tag.state
        let card = state.keyVersion(application: Self.cardLevel, number: 0) ?? 0
        // A deleted application takes its keys with it.
        guard task != .reset else { return hasApplication && card != 0 }
        return hasSecrets(
            task, (0..<3).map { state.keyVersion(application: Self.application, number: $0) ?? 0 } + [card])
    }
    func isFinished(_ task: SetUpTask) -> Bool { isFinished(with: version(task)) }
    func isFinished(with version: UInt8) -> Bool { hasKeys(version: version) && isUncounted && hasOnlyDoneRecords }
}

extension UltralightBench: ProductBench {
    func takeAway() -> any VirtualTag { tag.state }
    func put(_ other: any VirtualTag) {
        if let tag = other as? VirtualType2Tag { self.tag.replace(with: tag) }
    }
    func presentBlank() {
        if let tag = try? Self.delivered() { self.tag.replace(with: tag) }
    }
    var showsKeys: Bool { false }
    func isFinished(with version: UInt8) -> Bool { hasKeys(version: version) && isUncounted && hasOnlyDoneRecords }
    var isBlank: Bool { (try? Self.delivered().memory == tag.state.memory) ?? false }
    /// The version is noted once the tag has proven its keys. A rotation begins with keys that were proven before.
    func hasSecrets(_ task: SetUpTask) -> Bool {
        isProtected || task != .reset && tag.state.memory[4 * 42 + 1] == version(task)
    }
}
