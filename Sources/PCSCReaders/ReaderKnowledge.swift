import NFCReaders
import NFCTags

/// What nfcd knows about readers beyond their names: the configuration, what the readers report about themselves, and the
/// results of probes. A value: no I/O.
struct ReaderKnowledge {
    /// The readers that a probe's result applies to: a model with its firmware, or a name if the model is unknown.
    private enum Model: Hashable {
        case usb(vendor: UInt16, product: UInt16, firmware: String?)
        case name(String)
    }

    private struct Known {
        let name: String
        let serial: String?
        var facts = ReaderFacts()
        var inquiry: Inquiry

        var model: Model {
            guard let vendor = facts.vendorID, let product = facts.productID else { return .name(name) }
            return .usb(vendor: vendor, product: product, firmware: facts.firmware)
        }
    }

    /// The inquiry for a reader's facts.
    private struct Inquiry {
        /// Different each time a reader is plugged in.
        let number: Int
        var attempts = 0
        var isRunning = false
        var isOver = false
    }

    /// The number of inquiries for a reader that other programs hold each time.
    static let maximumInquiries = 5

    private var settings: [ReaderSetting]
    private var readers: [ReaderID: Known] = [:]
    private var attachments = 0
    /// Kept when a reader is unplugged: it may return.
    private var findings: [Model: ReaderProfile] = [:]

    /// Knows only the configuration.
    init(settings: [ReaderSetting] = []) {
        self.settings = settings
    }

    /// Takes an event and returns it with the full description of the reader.
    mutating func apply(_ event: ReaderEvent) -> ReaderEvent {
        switch event {
        case .attached(let reader):
            attachments += 1
            let known = Known(name: reader.name, serial: reader.serial, inquiry: Inquiry(number: attachments))
            readers[reader.id] = known
            return .attached(describe(reader.id, known))
        case .detached(let id): readers[id] = nil
        case .serviceUnavailable, .serviceStarting: readers = [:]
        default: break
        }
        return event
    }

    /// Starts an inquiry for a reader's facts.
    ///
    /// - Returns: the number for ``endInquiry(of:number:_:)``; nil if none is due.
    mutating func beginInquiry(of id: ReaderID) -> Int? {
        guard let inquiry = readers[id]?.inquiry, !inquiry.isRunning, !inquiry.isOver else { return nil }
        readers[id]?.inquiry.isRunning = true
        readers[id]?.inquiry.attempts += 1
        return inquiry.number
    }

    /// Ends an inquiry. Another one is due if the reader was busy.
    ///
    /// - Returns: the new description; nil if nothing changed or the reader is gone.
    mutating func endInquiry(
        of id: ReaderID, number: Int, _ result: Result<ReaderFacts, CardChannelError>
    ) -> ReaderDescription? {
        guard let inquiry = readers[id]?.inquiry, inquiry.number == number else { return nil }
        readers[id]?.inquiry.isRunning = false
        readers[id]?.inquiry.isOver = result != .failure(.busy) || inquiry.attempts >= Self.maximumInquiries
        guard case .success(let facts) = result else { return nil }
        return take(facts, of: id)
    }

    /// Whether an inquiry is running.
    func isInquiring(_ id: ReaderID) -> Bool { readers[id]?.inquiry.isRunning ?? false }

    /// Takes a reader's facts.
    ///
    /// - Returns: the new description; nil if nothing changed or the reader is gone.
    mutating func take(_ facts: ReaderFacts, of id: ReaderID) -> ReaderDescription? {
        change(id) { knowledge, known in
            known.facts = facts
            // A finding from the time when only the name was known.
            guard let finding = knowledge.findings[.name(known.name)], knowledge.findings[known.model] == nil
            else { return }
            knowledge.findings[known.model] = finding
        }
    }

    /// Takes the result of a probe.
    ///
    /// - Returns: the new description; nil if nothing changed or the reader is gone.
    mutating func take(probed profile: ReaderProfile, of id: ReaderID) -> ReaderDescription? {
        change(id) { knowledge, known in knowledge.findings[known.model] = profile }
    }

    /// The control code for escape commands to a reader; nil if its driver does not allow them.
    func escapeCode(of id: ReaderID) -> UInt32? { readers[id]?.facts.escapeCode }

    /// Replaces the configuration.
    ///
    /// - Returns: the descriptions that changed.
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
            givesFeedback: givesFeedback(known, as: profile ?? .generic))
    }

    /// Whether a reader shows results: its configuration enables it, and its driver allows the command for it.
    private func givesFeedback(_ known: Known, as profile: ReaderProfile) -> Bool {
        guard settings.lazy.filter({ $0.matches(known.name) }).compactMap(\.givesFeedback).first ?? false else {
            return false
        }
        return known.facts.escapeCode != nil || profile.feedback(.failure)?.route != .escape
    }

    /// The family by the configuration, then by USB ids, by name, and by a probe; nil if unknown.
    private func profile(of known: Known) -> ReaderProfile? {
        if let fixed = settings.first(where: { $0.profile != nil && $0.matches(known.name) })?.profile { return fixed }
        let profile = ReaderProfile.profile(
            reader: known.name, vendorID: known.facts.vendorID, productID: known.facts.productID)
        return profile == .generic ? findings[known.model] : profile
    }
}

/// The configuration of readers whose names match.
public struct ReaderSetting: Sendable, Hashable {
    /// A part of the reader's name; case does not matter.
    public let match: String
    /// The family; nil if nfcd is to detect it.
    let profile: ReaderProfile?
    /// Whether the readers show or sound the result of an operation; nil if this setting does not define it.
    let givesFeedback: Bool?

    /// Creates a setting; nil if no family has the name.
    ///
    /// - Parameters:
    ///   - match: a part of the reader's name.
    ///   - profile: one of ``profileNames``; nil if nfcd is to detect the family.
    ///   - givesFeedback: whether the readers show or sound the result of an operation; nil if not defined.
    public init?(match: String, profile: String? = nil, givesFeedback: Bool? = nil) {
        self.match = match
        self.givesFeedback = givesFeedback
        self.profile = profile.flatMap { ReaderProfile.named($0) }
        if profile != nil, self.profile == nil { return nil }
    }

    /// The names of all families.
    public static var profileNames: [String] { ReaderProfile.all.map(\.slug) }

    fileprivate func matches(_ reader: String) -> Bool {
        reader.lowercased().contains(match.lowercased())
    }
}
