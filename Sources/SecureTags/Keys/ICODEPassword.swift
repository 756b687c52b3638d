/// The password of ICODE SLIX (SL2S2602, SET PASSWORD): combined with a random number of the tag. It is protection against
/// accidents, not proof: one recorded exchange discloses it.
package enum ICODEPassword {
    /// The four bytes to send.
    ///
    /// - Parameters:
    ///   - password: 4 bytes.
    ///   - random: the two bytes that the tag sent.
    package static func masked(_ password: [UInt8], random: [UInt8]) throws(SecureTagError) -> [UInt8] {
        guard password.count == 4 else { throw .wrongLength(password.count) }
        guard random.count == 2 else { throw .wrongLength(random.count) }
        return zip(password, random + random).map { $0 ^ $1 }
    }
}
