import NFCClient

/// The tags of a session as its program knows them. A value.
struct SessionTags: Sendable {
    private struct Entry: Sendable {
        let tag: LiveTag
        /// A command has shown that it left, before nfcd reported it.
        var isLost = false
    }

    /// The tags of this polling that are in the field, by their names.
    private var entries: [String: Entry] = [:]
    /// The tag that takes commands.
    private(set) var connected: LiveTag?
    /// How many times polling was restarted.
    private(set) var polling = 0
    /// The polling whose tags have been delivered.
    private var deliveredPolling: Int?

    /// Tags came into the field. Those of an earlier polling were on their way when the program restarted it.
    ///
    /// - Returns: those of this polling.
    mutating func found(_ remotes: [RemoteTag], by engine: SessionEngine) -> [LiveTag] {
        let current = remotes.filter { $0.facts.polling ?? polling == polling }
        let tags = current.map { LiveTag.make($0, polling: polling, engine: engine) }
        for tag in tags { entries[tag.name] = Entry(tag: tag) }
        return tags
    }

    /// A tag has left the field.
    ///
    /// - Returns: the tag, if it is of this polling.
    mutating func removed(_ name: String) -> LiveTag? {
        let tag = entries.removeValue(forKey: name)?.tag
        if let tag { disconnect(tag) }
        return tag
    }

    /// A command has shown that a tag is no longer in the field.
    mutating func lose(_ tag: LiveTag) {
        guard isCurrent(tag) else { return }
        entries[tag.name]?.isLost = true
        disconnect(tag)
    }

    /// A tag takes commands from now on, instead of another.
    mutating func connect(_ tag: LiveTag) {
        if objection(to: tag) == nil { connected = tag }
    }

    /// Polling is restarted: no tag found so far can be used any more.
    mutating func restart() {
        (entries, connected) = ([:], nil)
        polling += 1
    }

    /// The session is over.
    mutating func clear() {
        (entries, connected) = ([:], nil)
    }

    /// Whether a detection is the first of this polling: an iPhone delivers no more until polling is restarted.
    mutating func takeDetection(of tags: [LiveTag]) -> Bool {
        guard deliveredPolling != polling, tags.contains(where: { $0.polling == polling }) else { return false }
        deliveredPolling = polling
        return true
    }

    /// Why a tag takes no commands; nil where it does.
    func objection(to tag: LiveTag) -> NFCReaderError? {
        guard tag.polling == polling else {
            return .init(
                .readerTransceiveErrorTagNotConnected,
                reason: "the tag was found before polling was restarted; use the one that is found after it")
        }
        guard isCurrent(tag), entries[tag.name]?.isLost == false else {
            return .init(
                .readerTransceiveErrorTagConnectionLost,
                reason: "the tag left the field; restart polling and hold it to the reader again")
        }
        return nil
    }

    private func isCurrent(_ tag: LiveTag) -> Bool { entries[tag.name]?.tag === tag }

    private mutating func disconnect(_ tag: LiveTag) {
        if connected === tag { connected = nil }
    }
}

/// The commands of a session that have no answer yet. A value.
struct UnansweredCommands: Sendable {
    /// What fails each of them, by its number.
    private var failures: [UInt64: @Sendable (NFCReaderError) -> Void] = [:]
    private var next: UInt64 = 0

    /// Adds a command.
    ///
    /// - Parameter fail: calls its handler with an error.
    /// - Returns: its number.
    mutating func add(_ fail: @escaping @Sendable (NFCReaderError) -> Void) -> UInt64 {
        defer { next += 1 }
        failures[next] = fail
        return next
    }

    /// A command is answered.
    ///
    /// - Returns: whether it was not answered before.
    mutating func answer(_ number: UInt64) -> Bool {
        failures.removeValue(forKey: number) != nil
    }

    /// Fails all of them, in their order.
    mutating func fail(with error: NFCReaderError) {
        for number in failures.keys.sorted() { failures[number]?(error) }
        failures = [:]
    }
}
