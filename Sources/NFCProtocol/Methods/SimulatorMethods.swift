// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
import NFCTypes

/// Puts a virtual tag on a simulated reader.
///
/// It stays until `simulator.remove`, or until the client disconnects.
public enum SimulatorPresent: Method {
    public static let name = "simulator.present"
    public static let requirement = Requirement.capability(.simulate)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The simulated reader; the default is the first empty one.
        public var reader: String?
        /// The product, e.g. `ntag215`; required unless `dump`, `recording` or `profile` is given.
        public var model: String?
        /// The UID, in the length that the product has.
        public var identifier: HexBytes?
        /// A raw NDEF message; empty for a formatted tag without a message. By default the tag is as it leaves the factory.
        public var ndef: HexBytes?
        /// A dump file instead of a product: the text of a Flipper or JSON file, or the bytes of another in hexadecimal.
        public var dump: String?
        /// The lines of a recording (`nfcctl record`) instead of a product: its first tag, which answers only what was recorded.
        public var recording: String?
        /// A profile of nfcd's key file instead of a product: the tag has the keys of the profile, which stay in nfcd.
        public var profile: String?
        /// Whether the tag of the profile is a copy: with the same UID and message, and without the keys.
        public var copy: Bool?
        /// The APDU, counted from 1, at which the tag is taken away: it executes the command, and its answer is lost.
        public var removedAtCommand: Int?

        public init(
            reader: String? = nil, model: String? = nil, identifier: HexBytes? = nil, ndef: HexBytes? = nil,
            dump: String? = nil, recording: String? = nil, profile: String? = nil, copy: Bool? = nil,
            removedAtCommand: Int? = nil
        ) {
            self.reader = reader
            self.model = model
            self.identifier = identifier
            self.ndef = ndef
            self.dump = dump
            self.recording = recording
            self.profile = profile
            self.copy = copy
            self.removedAtCommand = removedAtCommand
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The name of the presentation, for `simulator.remove`.
        public var presentation: String
        /// The id of the simulated reader.
        public var reader: String
        /// The UID of the virtual tag.
        public var identifier: HexBytes
    }
}

extension SimulatorPresent.Parameters: SizedParameters {
    package static let sizes = ["dump": ParameterSize.unlimited, "recording": .unlimited]
}

/// Takes a virtual tag of the caller off its reader.
public enum SimulatorRemove: Method {
    public static let name = "simulator.remove"
    public static let requirement = Requirement.capability(.simulate)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The name of the presentation, from `simulator.present`.
        public var presentation: String
    }
}

/// Lists the virtual tags on simulated readers, in the order of the readers.
public enum SimulatorList: Method {
    public static let name = "simulator.list"
    public static let requirement = Requirement.capability(.simulate)
    public typealias Parameters = Empty
    public typealias Result = [Presentation]

    public struct Presentation: Codable, Sendable, Hashable {
        /// The name of the presentation, from `simulator.present`.
        public var presentation: String
        /// The id of the simulated reader.
        public var reader: String
    }
}

/// Unplugs a simulated reader, or plugs it in again.
///
/// A virtual tag on it is removed. A reader that is unplugged stays so until it is plugged in.
public enum SimulatorPlug: Method {
    public static let name = "simulator.plug"
    public static let requirement = Requirement.capability(.simulate)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The id of the simulated reader.
        public var reader: String
        /// Whether it is plugged in from now on.
        public var connected: Bool
    }
}
