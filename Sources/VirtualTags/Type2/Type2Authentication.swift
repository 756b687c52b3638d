extension Type2Tag {
    /// PWD_AUTH: answers PACK to the right password (NTAG213/215/216 data sheet, §10.7).
    ///
    /// With AUTHLIM set, wrong passwords are counted; at the limit every further attempt fails, a right one too (§8.8).
    mutating func authenticate(password: [UInt8]) -> TagAnswer {
        let limit = configuration.attemptLimit
        guard limit == 0 || failedAttempts < limit else { return Self.limitReached }
        guard password == configuration.password else {
            if limit != 0 { failedAttempts += 1 }
            return Self.refusal
        }
        failedAttempts = 0
        state = .authenticated
        return .data(configuration.passwordAcknowledge)
    }
}
