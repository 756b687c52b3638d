/// `simulator.present`: puts a virtual tag on a simulated reader. It leaves with `simulator.remove`, or with its client.
public enum SimulatorPresent: Method {
    public static let name = "simulator.present"

    public struct Parameters: Codable, Sendable, Hashable {
        /// The simulated reader; the first empty one, if absent.
        public var reader: String?
        /// The product, e.g. `ntag215`.
        public var model: String
        /// The UID, in the product's length.
        public var identifier: HexBytes?
        /// A raw NDEF message; empty for a formatted tag without content; absent for a tag as it leaves the factory.
        public var ndef: HexBytes?

        public init(reader: String? = nil, model: String, identifier: HexBytes? = nil, ndef: HexBytes? = nil) {
            self.reader = reader
            self.model = model
            self.identifier = identifier
            self.ndef = ndef
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The name of the virtual tag as long as it lies there.
        public var presentation: String
        public var reader: String
        public var identifier: HexBytes

        public init(presentation: String, reader: String, identifier: HexBytes) {
            self.presentation = presentation
            self.reader = reader
            self.identifier = identifier
        }
    }
}

/// `simulator.remove`: takes a virtual tag of the caller's away.
public enum SimulatorRemove: Method {
    public static let name = "simulator.remove"
    public typealias Result = Empty

    public struct Parameters: Codable, Sendable, Hashable {
        public var presentation: String

        public init(presentation: String) {
            self.presentation = presentation
        }
    }
}

/// `simulator.list`: the virtual tags that lie on simulated readers.
public enum SimulatorList: Method {
    public static let name = "simulator.list"
    public typealias Parameters = Empty
    public typealias Result = [Presentation]

    public struct Presentation: Codable, Sendable, Hashable {
        public var presentation: String
        public var reader: String

        public init(presentation: String, reader: String) {
            self.presentation = presentation
            self.reader = reader
        }
    }
}
