/// An authenticated session with a card: a value that protects commands and opens their answers, and does no I/O.
///
/// Protect a command, send it, open its answer; only then the next. After an error, and after any status that is not OK, the
/// session is unusable: authenticate again.
package protocol SecureMessaging: Sendable {
    /// Whether a command can be protected.
    var isUsable: Bool { get }

    /// The data field of a protected command: header, data, code.
    mutating func protect(_ command: SecureCommand) throws(SecureTagError) -> [UInt8]

    /// The data field of a protected ChangeKey.
    mutating func protect(_ change: KeyChange) throws(SecureTagError) -> [UInt8]

    /// The data of an answer.
    ///
    /// - Parameters:
    ///   - answer: the data of all frames of the answer, one after the other, without status words.
    ///   - status: the second byte of the last status word; `00`, or `90` of Read_Sig, is success.
    mutating func open(_ answer: [UInt8], status: UInt8) throws(SecureTagError) -> [UInt8]
}

/// An authentication: two commands, and the session that their answers give. It fits one attempt.
package protocol CardAuthentication: Sendable {
    associatedtype Session: Sendable

    /// The code of the first command. The second one is `AF`.
    var instruction: UInt8 { get }
    /// The data field of the first command.
    var parameters: [UInt8] { get }

    /// The data field of the second command, for the data of the first answer.
    mutating func token(for challenge: [UInt8]) throws(SecureTagError) -> [UInt8]

    /// The session, for the data of the second answer.
    ///
    /// - Throws: ``SecureTagError/wrongProof`` if the card does not know the key.
    func session(for answer: [UInt8]) throws(SecureTagError) -> Session
}
