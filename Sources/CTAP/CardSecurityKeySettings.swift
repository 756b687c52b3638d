extension CardSecurityKey {
    /// When there is a HID device, and for how long.
    public struct Settings: Sendable, Hashable {
        /// Whether the device exists without a card, too.
        public var isPermanent: Bool
        /// Whether the device is hidden after one operation, until the card is put down again.
        public var isStrict: Bool
        /// How long the device stays after the card has left, if no program has it open.
        public var linger: Duration
        /// The same, if a program has it open.
        public var openLinger: Duration

        /// Creates settings.
        public init(
            isPermanent: Bool = false, isStrict: Bool = false, linger: Duration = .seconds(30),
            openLinger: Duration = .seconds(60)
        ) {
            self.isPermanent = isPermanent
            self.isStrict = isStrict
            self.linger = linger
            self.openLinger = openLinger
        }
    }

    /// A card whose FIDO application is selected.
    public struct Card: Sendable, Hashable {
        /// What it reports of itself; nil for a card that takes U2F only.
        public var info: CardInfo?
        /// Whether it takes U2F commands.
        public var hasU2F: Bool

        /// Creates a card.
        public init(info: CardInfo?, hasU2F: Bool) {
            self.info = info
            self.hasU2F = hasU2F
        }

        func mayBe(_ other: Card) -> Bool {
            guard let mine = info, let theirs = other.info else { return info == nil && other.info == nil }
            return mine.mayBeSameCard(as: theirs)
        }
    }
}
