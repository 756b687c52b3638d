import NFCTags

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
