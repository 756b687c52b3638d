/// `simulator.present`: puts a virtual tag on a simulated reader. It leaves with `simulator.remove`, or with its client.
public enum SimulatorPresent: Method {
    /// The name on the wire.
    public static let name = "simulator.present"

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The simulated reader; the first empty one, if absent.
        public var reader: String?
        /// The product, e.g. `ntag215`; either this or ``dump``.
        public var model: String?
        /// The UID, in the product's length.
        public var identifier: HexBytes?
        /// A raw NDEF message; empty for a formatted tag without content; absent for a tag as it leaves the factory.
        public var ndef: HexBytes?
        /// A dump file in place of a product: the text of a Flipper or JSON file, or the bytes of another in hexadecimal.
        public var dump: String?

        /// All fields; what may be absent is nil unless given.
        public init(
            reader: String? = nil, model: String? = nil, identifier: HexBytes? = nil, ndef: HexBytes? = nil,
            dump: String? = nil
        ) {
            self.reader = reader
            self.model = model
            self.identifier = identifier
            self.ndef = ndef
            self.dump = dump
        }
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// The name of the virtual tag as long as it lies there.
        public var presentation: String
        /// The simulated reader's id.
        public var reader: String
        /// The UID.
        public var identifier: HexBytes

        /// All fields.
        public init(presentation: String, reader: String, identifier: HexBytes) {
            self.presentation = presentation
            self.reader = reader
            self.identifier = identifier
        }
    }
}

/// `simulator.remove`: takes a virtual tag of the caller's away.
public enum SimulatorRemove: Method {
    /// The name on the wire.
    public static let name = "simulator.remove"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The virtual tag's name, from `simulator.present`.
        public var presentation: String

        /// All fields.
        public init(presentation: String) {
            self.presentation = presentation
        }
    }
}

/// `simulator.list`: the virtual tags that lie on simulated readers.
public enum SimulatorList: Method {
    /// The name on the wire.
    public static let name = "simulator.list"
    /// No parameters.
    public typealias Parameters = Empty
    /// In the order of the readers.
    public typealias Result = [Presentation]

    /// A virtual tag and where it lies.
    public struct Presentation: Codable, Sendable, Hashable {
        /// The virtual tag's name, from `simulator.present`.
        public var presentation: String
        /// The simulated reader's id.
        public var reader: String

        /// All fields.
        public init(presentation: String, reader: String) {
            self.presentation = presentation
            self.reader = reader
        }
    }
}
