/// `tag.authenticate`: gives a tag its password, for as long as it stays in the field. Commands as they are (`iso7816`,
/// `miFare` and so on) make nfcd forget that it was given.
public enum TagAuthenticate: Method {
    /// The name on the wire.
    public static let name = "tag.authenticate"

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The password; 4 bytes for Type 2.
        public var password: HexBytes

        /// All fields.
        public init(session: String, tag: String, password: HexBytes) {
            self.session = session
            self.tag = tag
            self.password = password
        }
    }

    /// What the tag answered.
    public struct Result: Codable, Sendable, Hashable {
        /// What the tag proves with that it knows the password too: PACK of Type 2. May be empty.
        public var acknowledge: HexBytes

        /// All fields.
        public init(acknowledge: HexBytes) {
            self.acknowledge = acknowledge
        }
    }
}
