import SecureTags

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
        /// The versions of the key that the tag may have by now; nil if that is not known, as in records of an earlier nfcd.
        package var possible: Set<UInt8>?
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
    /// How the keys follow from those of the key ring; nil in records of an earlier nfcd.
    package var derivation: KeyDerivation?
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

// MARK: - Which keys the tag may have

extension SetUpRecord {
    /// The versions of a key that the tag may have; nil if that is not known.
    func possible(_ number: UInt8) -> Set<UInt8>? {
        keys.first { $0.number == number }.flatMap { isDone ? [$0.new] : $0.possible }
    }

    /// The versions that all keys surely have, by number; nil if one of them is not sure.
    var sureVersions: [UInt8]? {
        let sure = keys.compactMap { key in possible(key.number).flatMap { $0.count == 1 ? $0.first : nil } }
        return sure.count == keys.count ? sure : nil
    }

    /// Whether the tag cannot have one of the keys as delivered that another one with its UID shows.
    func excludes(_ versions: [UInt8]) -> Bool {
        zip(keys, versions).contains { key, version in
            version == 0 && possible(key.number)?.contains(0) == false
        }
    }

    /// Notes that keys are about to get other versions: the tag may have the ones before and after.
    mutating func begin(_ versions: [UInt8: UInt8]) {
        for (index, key) in keys.enumerated() {
            if let version = versions[key.number] { keys[index].possible?.insert(version) }
        }
    }

    /// Notes that keys surely have versions.
    mutating func prove(_ versions: [UInt8: UInt8]) {
        for (index, key) in keys.enumerated() {
            if let version = versions[key.number] { keys[index].possible = [version] }
        }
    }
}

extension SetUpRecord {
    /// Notes a key of messages that the tag made.
    mutating func spend(_ key: SpentKey) { spent = (spent ?? []).union([key]) }
}

// MARK: - Storage

/// Where records are kept, by UID.
package protocol SetUpRecords: Sendable {
    /// The record of a tag; nil if there is none.
    func load(_ uid: [UInt8]) async throws -> SetUpRecord?
    /// Replaces the record of the tag, if it has one. It returns once the record survives the loss of power.
    func save(_ record: SetUpRecord) async throws
    /// Removes the record of a tag.
    func remove(_ uid: [UInt8]) async throws
}
