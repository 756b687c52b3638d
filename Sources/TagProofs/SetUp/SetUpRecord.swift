/// What is done with a tag.
package enum SetUpTask: String, Sendable, Codable, CaseIterable {
    /// A tag as delivered becomes one of the profile.
    case setUp = "set-up"
    /// A tag of the profile gets the current versions of its keys.
    case rotate
    /// A tag of the profile becomes one as delivered.
    case reset
}

/// What was begun with a tag: enough to finish it after a crash, and no key.
package struct SetUpRecord: Sendable, Codable, Hashable {
    /// A change of a key, by the names and versions of the key ring.
    package struct Key: Sendable, Codable, Hashable {
        /// Its number on the tag.
        package var number: UInt8
        /// Its name in the key ring.
        package var name: String
        /// The version that the tag had at the beginning; 0 as delivered.
        package var old: UInt8
        /// The version that it gets.
        package var new: UInt8
    }

    /// A key of which the tag made messages.
    package struct SpentKey: Sendable, Codable, Hashable {
        /// Its name in the key ring.
        package var name: String
        /// Its version.
        package var version: UInt8
    }

    /// 7 bytes.
    package var uid: [UInt8]
    /// The name of the profile.
    package var profile: String
    /// What is done.
    package var task: SetUpTask
    /// All keys of the tag.
    package var keys: [Key]
    /// What cannot be undone, and was asked for.
    package var irreversible: Set<SetUpOptions.Irreversible>
    /// What the protected file of a DESFire is to say of its holder, where that was given.
    package var credential: [UInt8]?
    /// Whether the master key of a DESFire card is left alone.
    package var keepsCardKey = false
    /// The keys of earlier messages of the tag; nil if there are none. A set-up begins to count again, so that the tag must not get one of
    /// them once more.
    package var spent: Set<SpentKey>?
    /// Whether it is finished.
    package var isDone = false
}

/// Where records are kept, by UID.
package protocol SetUpRecords: Sendable {
    /// The record of a tag; nil if there is none.
    func load(_ uid: [UInt8]) async throws -> SetUpRecord?
    /// Replaces the record of the tag, if it has one. It returns once the record survives the loss of power.
    func save(_ record: SetUpRecord) async throws
    /// Removes the record of a tag.
    func remove(_ uid: [UInt8]) async throws
}
