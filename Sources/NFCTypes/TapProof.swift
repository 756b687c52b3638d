/// Which taps a receiver asks for.
public enum ProofRequirement: String, Choice {
    /// Only those whose tag has proven itself.
    case proven
}

/// What a tag has proven about itself on a tap. Without a profile that fits the tag there is no proof, not even a failed one.
public struct TapProof: Codable, Sendable, Hashable {
    /// Whether the tag proved that it knows its key, and that the proof is new.
    public enum Status: String, Choice {
        /// It did: the code or the answer is right, and the counter is new.
        case proven
        /// The message is right, but its counter is not above the highest that was seen: it was recorded earlier, or copied.
        case replayed
        /// The tag or its key is known, and the code or the answer is wrong.
        case failed
        /// No key fits: the tag is not one of the profile's, or still has the keys of its maker.
        case unknownKey
        /// It did, but its tamper loop is or was open, or is not enabled though the profile expects it.
        case tamperOpen
        /// It answered correctly, but tags of this kind can be copied or their keys extracted: `reason` names the weakness.
        case weak
        /// The tag offered no proof.
        case notProven
        /// The tag delays or refuses authentications after too many failures.
        case delayed
        /// The tag left the field during the proof.
        case incomplete
    }

    /// How it was proven.
    public enum Method: String, Choice {
        /// The tag answered a random challenge: it is at the reader now.
        case mutual
        /// The tag wrote a code into its message (SUN): it made this message after the one with the counter before.
        case sun
    }

    /// How far the counter is known to be new.
    public enum Scope: String, Choice {
        /// A challenge shows that the answer is new, on every machine.
        case everywhere
        /// Counters are compared with those that this machine has seen; another machine may have seen the same message.
        case thisMachine
        /// The counters of this machine were lost or restored: only those seen since are compared.
        case limited
    }

    /// The tamper loop of an NTAG 424 DNA TagTamper.
    public struct Tamper: Codable, Sendable, Hashable {
        /// `C` closed so far, `O` opened at least once, `I` not enabled.
        public var permanent: String
        /// `C` closed, `O` open, `I` not enabled.
        public var current: String

        /// A state.
        public init(permanent: String, current: String) {
            self.permanent = permanent
            self.current = current
        }
    }

    /// Whether the tag is proven; programs decide by `proven` alone.
    public var status: Status
    /// How; absent if nothing was tried.
    public var method: Method?
    /// The profile that fits the tag.
    public var profile: String
    /// The name of the key in nfcd's key store.
    public var key: String?
    /// The version of the key.
    public var keyVersion: Int?
    /// The UID that the tag has proven, which may differ from the one that the reader saw.
    public var identifier: HexBytes?
    /// The counter of the message, for the method `sun`.
    public var counter: Int?
    /// The highest counter before, if there was one.
    public var previousCounter: Int?
    /// The number or text in the tag's own protected file, as the profile describes it.
    public var credential: HexBytes?
    /// The tamper loop, of a tag that has one.
    public var tamper: Tamper?
    /// How far the proof is known to be new; absent unless proven.
    public var scope: Scope?
    /// Why the tag is not proven, in words.
    public var reason: String?

    /// A proof.
    public init(
        _ status: Status, _ method: Method? = nil, profile: String, key: String? = nil, keyVersion: Int? = nil,
        identifier: HexBytes? = nil, counter: Int? = nil, previousCounter: Int? = nil, credential: HexBytes? = nil,
        tamper: Tamper? = nil, scope: Scope? = nil, reason: String? = nil
    ) {
        self.status = status
        self.method = method
        self.profile = profile
        self.key = key
        self.keyVersion = keyVersion
        self.identifier = identifier
        self.counter = counter
        self.previousCounter = previousCounter
        self.credential = credential
        self.tamper = tamper
        self.scope = scope
        self.reason = reason
    }

    /// Whether the tag is proven.
    public var isProven: Bool { status == .proven }
}
