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

    /// The first step of AUTHENTICATE (MF0ICU2 data sheet): AF and the enciphered random number B.
    ///
    /// The cipher is not modelled. The number is made up, and whatever the second step brings is refused.
    mutating func challenge() -> TagAnswer {
        isChallengeOpen = true
        return .data([0xAF] + identifier + [0x5A])
    }
}
