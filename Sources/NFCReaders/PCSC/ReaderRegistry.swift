import NFCTags
import Synchronization

/// Stands between the monitor and those who follow the readers: adds to each reader what is known of it, and has it asked
/// what it is.
final class ReaderRegistry: Sendable {
    private struct State {
        var knowledge: ReaderKnowledge
        var report: @Sendable (ReaderEvent) -> Void = { _ in }
    }

    private let state: Mutex<State>
    private let discovery: ReaderDiscovery
    private let inquire: @Sendable (ReaderID) -> Result<ReaderFacts, CardChannelError>

    /// `inquire` asks a reader; it may block.
    init(
        settings: [ReaderSetting], clock: any Clock<Duration>,
        inquire: @escaping @Sendable (ReaderID) -> Result<ReaderFacts, CardChannelError>
    ) {
        state = Mutex(State(knowledge: ReaderKnowledge(settings: settings)))
        discovery = ReaderDiscovery(clock: clock)
        self.inquire = inquire
    }

    /// From now on tells of everything that happens.
    func report(to report: @escaping @Sendable (ReaderEvent) -> Void) {
        state.withLock { $0.report = report }
    }

    /// Takes in what a monitor or a worker tells, and passes it on.
    func take(_ event: ReaderEvent) {
        // Reported under the lock, so that the order stays.
        state.withLock { $0.report($0.knowledge.apply(event)) }
        switch event {
        case .attached(let reader): ask(reader.id)
        case .detached(let id): discovery.detached(id)
        case .tagLeft(let id): discovery.tagLeft(id)
        case .serviceUnavailable: discovery.allDetached()
        default: break
        }
    }

    /// Remembers what probing has shown.
    func learn(_ profile: ReaderProfile, of id: ReaderID) {
        tell { $0.learn(profile, of: id) }
    }

    /// The control code for escape commands to a reader; nil where its driver lets none pass, or was not asked yet.
    func escapeCode(of id: ReaderID) -> UInt32? { state.withLock { $0.knowledge.escapeCode(of: id) } }

    /// The configuration says something else about readers.
    func replace(settings: [ReaderSetting]) {
        state.withLock { state in
            for reader in state.knowledge.replace(settings: settings) { state.report(.described(reader)) }
        }
    }

    private func ask(_ id: ReaderID) {
        discovery.attached(id) { [inquire] in
            inquire(id)
        } found: { [weak self] facts in
            self?.tell { $0.take(facts, of: id) }
        }
    }

    private func tell(_ change: (inout ReaderKnowledge) -> ReaderDescription?) {
        state.withLock { state in
            if let description = change(&state.knowledge) { state.report(.described(description)) }
        }
    }
}

/// What is known of readers beyond their names: what they say of themselves, what probing has shown, what the
/// configuration settles. A value: no I/O.
struct ReaderKnowledge {
    /// What a finding holds for: a model with its firmware, or a name where the model is not known.
    private enum Model: Hashable {
        case numbers(vendor: UInt16, product: UInt16, firmware: String?)
        case name(String)
    }

    private struct Known {
        let name: String
        let serial: String?
        var facts = ReaderFacts()

        var model: Model {
            guard let vendor = facts.vendorID, let product = facts.productID else { return .name(name) }
            return .numbers(vendor: vendor, product: product, firmware: facts.firmware)
        }
    }

    private var settings: [ReaderSetting]
    private var readers: [ReaderID: Known] = [:]
    /// Kept when a reader is unplugged: it may come back.
    private var findings: [Model: ReaderProfile] = [:]

    /// Nothing known but the configuration.
    init(settings: [ReaderSetting] = []) {
        self.settings = settings
    }

    /// Takes in what happened to readers; returns the event with all that is known.
    mutating func apply(_ event: ReaderEvent) -> ReaderEvent {
        switch event {
        case .attached(let reader):
            let known = Known(name: reader.name, serial: reader.serial)
            readers[reader.id] = known
            return .attached(describe(reader.id, known))
        case .detached(let id): readers[id] = nil
        case .serviceUnavailable: readers = [:]
        default: break
        }
        return event
    }

    /// A reader has told what it is; returns how to describe it now, nil where that is as before or the reader is gone.
    mutating func take(_ facts: ReaderFacts, of id: ReaderID) -> ReaderDescription? {
        change(id) { knowledge, known in
            known.facts = facts
            // What was found out while only the name was known.
            guard let finding = knowledge.findings[.name(known.name)], knowledge.findings[known.model] == nil
            else { return }
            knowledge.findings[known.model] = finding
        }
    }

    /// A reader was probed; returns how to describe it now, nil where that is as before or the reader is gone.
    mutating func learn(_ profile: ReaderProfile, of id: ReaderID) -> ReaderDescription? {
        change(id) { knowledge, known in knowledge.findings[known.model] = profile }
    }

    /// The control code for escape commands to a reader; nil where its driver lets none pass.
    func escapeCode(of id: ReaderID) -> UInt32? { readers[id]?.facts.escapeCode }

    /// The configuration says something else; returns how to describe the readers that are not as before.
    mutating func replace(settings: [ReaderSetting]) -> [ReaderDescription] {
        let before = Set(readers.map { describe($0.key, $0.value) })
        self.settings = settings
        return readers.map { describe($0.key, $0.value) }.filter { !before.contains($0) }
    }

    private mutating func change(
        _ id: ReaderID, _ change: (inout ReaderKnowledge, inout Known) -> Void
    ) -> ReaderDescription? {
        guard var known = readers[id] else { return nil }
        let before = describe(id, known)
        change(&self, &known)
        readers[id] = known
        let after = describe(id, known)
        return after == before ? nil : after
    }

    private func describe(_ id: ReaderID, _ known: Known) -> ReaderDescription {
        let profile = profile(of: known)
        return ReaderDescription(
            id: id, name: known.name, profile: profile ?? .generic, isProfileKnown: profile != nil,
            serial: known.serial ?? known.facts.serial,
            givesFeedback: settings.lazy.filter { $0.isMeant(known.name) }.compactMap(\.givesFeedback).first ?? false)
    }

    /// The configuration first, then USB numbers, the name, and what was found; nil where nobody knows.
    private func profile(of known: Known) -> ReaderProfile? {
        if let fixed = settings.first(where: { $0.profile != nil && $0.isMeant(known.name) })?.profile { return fixed }
        let profile = ReaderProfile.profile(
            reader: known.name, vendorID: known.facts.vendorID, productID: known.facts.productID)
        return profile == .generic ? findings[known.model] : profile
    }
}

/// What a configuration says about readers of some name.
public struct ReaderSetting: Sendable, Hashable {
    /// The readers meant: those whose name has this in it; letter case does not matter.
    public let match: String
    /// What they let through, in place of what nfcd finds out.
    let profile: ReaderProfile?
    /// Whether they show or sound how an operation ended; nil where this setting does not say.
    let givesFeedback: Bool?

    /// A setting; nil where there is no profile of that name.
    ///
    /// - Parameters:
    ///   - match: a part of the reader's name.
    ///   - profile: one of ``profileNames``; nil leaves it to nfcd.
    ///   - givesFeedback: whether they show or sound how an operation ended; nil says nothing about it.
    public init?(match: String, profile: String? = nil, givesFeedback: Bool? = nil) {
        self.match = match
        self.givesFeedback = givesFeedback
        self.profile = profile.flatMap { ReaderProfile.named($0) }
        if profile != nil, self.profile == nil { return nil }
    }

    /// The names of the profiles there are.
    public static var profileNames: [String] { ReaderProfile.all.map(\.slug) }

    func isMeant(_ reader: String) -> Bool {
        reader.lowercased().contains(match.lowercased())
    }
}
