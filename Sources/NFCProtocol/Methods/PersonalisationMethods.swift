// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NFCTypes

/// Makes a tag one of a profile, with keys by which it proves itself; changes or undoes that.
///
/// The profiles and keys are those of nfcd's key file. The tag has to rest on the reader. Before the first change nfcd stores a record, from which `resume` finishes a tag that left early:
/// no interruption loses a key. It is finished with any profile of the same keys. A tag with keys as delivered whose UID is that of one with
/// other keys may be an imitation, and is refused. No key is in a request or in an answer. A permanent setting needs the capability
/// `personalise-permanently` as well. Afterwards, the tag is as newly activated: select again what you need.
public enum TagPersonalise: TagMethod {
    public static let name = "tag.personalise"
    public static let requirement = Requirement.capability(.personalise)

    public struct Arguments: Codable, Sendable, Hashable, ProgressParameters {
        /// What is done.
        public var task: PersonalisationTask
        /// The name of the profile; the default is the only one for tags of this product.
        public var profile: String?
        /// Whether nothing is changed: the tag is asked, and the steps are returned. The default is false.
        public var dryRun: Bool?
        /// What the tag gets permanently; the default is nothing.
        public var permanent: [PermanentSetting]?
        /// Whether a message that is on the tag may be lost; the default is false.
        public var overwriteMessage: Bool?
        /// Whether a tag without the right signature of its maker is refused; the default is false.
        public var requireSignature: Bool?
        /// The UID, 7 bytes, of a tag that hides it.
        public var identifier: HexBytes?
        /// What the protected file of a MIFARE DESFire says of its holder, at most 23 bytes; the default is what is in it, or its UID.
        public var credential: HexBytes?
        /// Whether the master key of a MIFARE DESFire card is left alone; that of a card with other applications always is. The default is
        /// false.
        public var keepCardKey: Bool?
        /// Whether `reset` has nfcd forget which keys it gave to a tag with this UID, although this one has keys as delivered. Whoever holds
        /// an imitation of that tag could then have its keys written to it: ask a person who knows that the tag was reset elsewhere.
        /// Without it, nfcd refuses such a tag. The default is false.
        public var forgetRecord: Bool?
        /// Whether to report progress with `$/progress`; the default is false.
        public var progress: Bool?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The UID, 7 bytes; in a dry run with a tag that hides it, the one that was given.
        public var identifier: HexBytes
        /// The profile.
        public var profile: String
        /// The steps that were taken; of a dry run, those that would be.
        public var steps: [String]
        /// The signature of the maker.
        public var signature: MakerSignature
        /// The versions of the tag's keys, from key 0 on, as they are now.
        public var keyVersions: [Int]
        /// The counter of the message that nfcd read to check it: that message is spent. Absent without such a message.
        public var counter: Int?
        /// The highest counter that nfcd has seen with these keys before the tag was reset, if the tag's own is not above it: nfcd refuses
        /// its messages up to there, until `rotate` gives it other keys. Absent otherwise.
        public var refusedThrough: Int?
        /// What the protected file of a MIFARE DESFire says of its holder. Absent for other tags.
        public var credential: HexBytes?
        /// What a person should know besides, such as what cannot be undone.
        public var remarks: [String]
        /// Whether nothing was changed.
        public var dryRun: Bool
    }
}

/// Returns how far a tag is one of a profile, as it claims. Nothing on the tag changes.
///
/// No key of the profile is tried. A UID that was given for a tag that hides its own is not compared with the tag's; `tag.personalise` with
/// the task `verify` proves it.
public enum TagQueryPersonalisation: TagMethod {
    public static let name = "tag.queryPersonalisation"
    public static let requirement = Requirement.capability(.personalise)

    public struct Arguments: Codable, Sendable, Hashable {
        /// The name of the profile; the default is the only one for tags of this product.
        public var profile: String?
        /// The UID, 7 bytes, of a tag that hides it.
        public var identifier: HexBytes?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The UID, 7 bytes; of a tag that hides it, the one that was given.
        public var identifier: HexBytes
        /// Whether the identifier is the one that was given, because the tag hides its UID: nothing proves that it is the tag's. Absent
        /// otherwise.
        public var identifierGiven: Bool?
        /// The profile.
        public var profile: String
        /// How far the tag is one of the profile.
        public var state: PersonalisationState
        /// What `resume` would finish; absent unless something was interrupted.
        public var interrupted: PersonalisationTask?
        /// The signature of the maker.
        public var signature: MakerSignature
        /// The versions of the tag's keys, from key 0 on.
        public var keyVersions: [Int]
        /// The versions that a tag gets that is set up now.
        public var currentKeyVersions: [Int]
        /// What a person should know besides.
        public var remarks: [String]
    }
}
