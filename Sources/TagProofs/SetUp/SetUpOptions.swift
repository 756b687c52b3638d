package import SecureTags

/// How a tag is set up.
package struct SetUpOptions: Sendable {
    /// What a tag never forgets again.
    package enum Irreversible: String, Sendable, Codable, CaseIterable {
        /// It hides its UID.
        case randomUID = "random-uid"
        /// It measures its tamper loop.
        case tamper
        /// It uses LRP instead of AES; only for a profile with LRP.
        case lrp
        /// A MIFARE Ultralight AES keeps its keys: only then its taps are proven.
        case lockKeys = "lock-keys"
    }

    /// What becomes of a tag without a right signature of its maker.
    package enum Originality: Sendable {
        /// It is reported.
        case reported
        /// The tag is refused.
        case required
    }

    /// Whether nothing is changed: the tag is asked, and the steps are reported.
    package var isDryRun = false
    /// What cannot be undone, and is wanted.
    package var irreversible: Set<Irreversible> = []
    /// What may be made permanent, also if a record asks for it.
    package var allowedIrreversible = Set(Irreversible.allCases)
    /// What the signature of the maker decides.
    package var originality = Originality.reported
    /// The public keys of makers; without one, the tag is not asked for its signature.
    package var makers = UIDSignature.keys
    /// Whether a message that is on the tag already may be lost.
    package var overwritesMessage = false
    /// The UID as printed or recorded, for a tag that hides it: 7 bytes.
    package var uid: [UInt8]?
    /// What the protected file of a DESFire says of its holder: at most 23 bytes; nil for what is in it, or for the UID.
    package var credential: [UInt8]?
    /// Whether the master key of a DESFire card is left alone. That of a card with applications of others always is.
    package var keepsCardKey = false
    /// Whether a reset of a tag with keys as delivered has nfcd forget that it gave other keys to a tag with this UID. Whoever holds an
    /// imitation of that tag could then have its keys written to it: only a person who knows that the tag was reset elsewhere may ask for it.
    package var forgetsRecord = false

    /// The versions that a tag surely has by its record, by number, although it may not show them; nil if they are not sure. A key that was
    /// written is not written again to a tag which has not proven that it has it.
    var written: [UInt8]?
    /// The versions that a set-up or a rotation leads to, by number; nil for the current ones.
    var versions: [UInt8]?

    /// Nothing that cannot be undone, and nothing that loses a message.
    package init() {}
}

/// One step, as it begins.
package struct SetUpProgress: Sendable, Hashable {
    /// 1 for the first.
    package let number: Int
    /// How many there are.
    package let count: Int
    /// What is done, in words without a secret.
    package let words: String
}

/// What came of it.
package struct SetUpOutcome: Sendable, Hashable {
    /// What the signature of the maker says.
    package enum Originality: Sendable, Hashable {
        /// It is right, by the key for these products.
        case genuine(products: String)
        /// It is of another key, or of another UID.
        case wrong
        /// The tag did not give one, or hides the UID that it is of.
        case missing
    }

    /// 7 bytes.
    package var uid: [UInt8]
    /// The steps, in words.
    package var steps: [String]
    /// The signature of the maker.
    package var originality: Originality
    /// The versions of its keys at the end, by number.
    package var versions: [UInt8]
    /// The counter of the message that was read to check it: keep it as the highest seen, so that this message is spent.
    package var counter: Int?
    /// What the protected file of a DESFire says of its holder.
    package var credential: [UInt8]?
    /// Whether nothing was changed.
    package var isDryRun: Bool
    /// What else there is to know, in sentences: what stays on the tag, and what could not be known.
    package var remarks: [String] = []
}
