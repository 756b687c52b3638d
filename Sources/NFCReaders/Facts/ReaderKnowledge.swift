import NFCTags

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
