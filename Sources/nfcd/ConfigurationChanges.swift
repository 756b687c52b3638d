import NFCSessions

/// What differs between two configurations, for people.
enum ConfigurationChanges {
    /// What a reload puts in force.
    static func atOnce(from old: Configuration, to new: Configuration) -> [String] {
        named([
            ("[[grant]]", old.grants != new.grants),
            ("[[reader]]", old.readers != new.readers),
            ("session.timeout", old.sessionLimits.timeout != new.sessionLimits.timeout),
            (
                "session.sessions-per-client",
                old.sessionLimits.sessionsPerClient != new.sessionLimits.sessionsPerClient
            ),
            ("log.level", old.logLevel != new.logLevel),
        ])
    }

    /// What waits for the next start.
    static func atNextStart(from old: Configuration, to new: Configuration) -> [String] {
        named([
            ("server.socket", old.socket != new.socket),
            ("server.outbound-limit", old.serverLimits != new.serverLimits),
            ("simulator.readers", old.simulatedReaders != new.simulatedReaders),
            ("simulator.model", old.simulatorModel != new.simulatorModel),
        ])
    }

    private static func named(_ changes: [(name: String, differs: Bool)]) -> [String] {
        changes.filter(\.differs).map(\.name)
    }
}
