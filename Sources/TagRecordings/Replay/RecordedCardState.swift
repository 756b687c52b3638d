/// What earlier commands have made of a card, as far as it decides what a command is answered: the selected application and file, the
/// last authentication, the selected sector. A reset or a new connection ends it.
///
/// Commands are kept in the form of the recording, so that a masked one is the same state for every secret.
public struct RecordedCardState: Sendable, Hashable {
    private var application: MaskedBytes?
    private var file: MaskedBytes?
    private var authentication: MaskedBytes?
    private var sector: MaskedBytes?

    /// The state of a card that was just powered.
    public init() {}

    /// Takes a command and its response.
    public mutating func take(_ command: MaskedBytes, _ answer: [UInt8]) {
        guard Self.isSuccess(answer), command.bytes.count >= 2 else { return }
        switch Effect(of: command, isAuthenticating: authentication != nil) {
        case .application:
            (application, file, authentication) = (command, nil, nil)
        case .file: file = command
        case .authentication: authentication = command
        case .sector: sector = command
        case nil: break
        }
    }

    /// What of the state decides the answer to a command: a file is selected in an application, whatever file was selected before.
    func relevant(to command: MaskedBytes) -> RecordedCardState {
        let bytes = command.filled
        // GET DATA of a reader.
        if bytes.starts(with: [0xFF, 0xCA]) { return RecordedCardState() }
        guard bytes.count >= 2 else { return self }
        var state = self
        switch Effect(of: command, isAuthenticating: authentication != nil) {
        case .application: return RecordedCardState()
        case .file: (state.file, state.authentication) = (nil, nil)
        case .authentication where bytes[1] != 0xAF: state.authentication = nil
        case .sector: state.sector = nil
        case .authentication, nil: break
        }
        return state
    }

    private enum Effect {
        case application
        case file
        case authentication
        case sector

        init?(of command: MaskedBytes, isAuthenticating: Bool) {
            guard let known = Self.known(command.filled, isAuthenticating: isAuthenticating) else { return nil }
            self = known
        }

        private static func known(_ bytes: [UInt8], isAuthenticating: Bool) -> Effect? {
            switch (bytes[0], bytes[1]) {
            // GENERAL AUTHENTICATE of a reader, and its obsolete form.
            case (0xFF, 0x86), (0xFF, 0x88): .authentication
            case (0xFF, _): frame(of: bytes)
            // SELECT APPLICATION and authentications of DESFire; AF continues one.
            case (0x90, 0x5A): .application
            case (0x90, 0x0A), (0x90, 0x1A), (0x90, 0xAA), (0x90, 0x71), (0x90, 0x77): .authentication
            case (0x90, 0xAF): isAuthenticating ? .authentication : nil
            case (0x90, _): nil
            case (_, 0xA4): bytes.count > 2 && bytes[2] == 0x04 ? .application : .file
            case (_, 0x20), (_, 0x82), (_, 0x86), (_, 0x88): .authentication
            default: nil
            }
        }

        /// PWD_AUTH and the second frame of other authentications, or a SECTOR_SELECT, inside a pass-through command.
        private static func frame(of bytes: [UInt8]) -> Effect? {
            guard let frame = PassThroughFrame.frame(in: bytes), let code = frame.first else { return nil }
            switch (code, frame.count) {
            case (0x1B, 5), (0xAF, 9), (0xAF, 17): return .authentication
            case (0x60, 8...), (0x61, 8...): return .authentication
            // The packet with the number of the sector has three bytes of zero.
            case (_, 4) where frame.dropFirst().allSatisfy({ $0 == 0 }) && code < 4: return .sector
            default: return nil
            }
        }
    }

    private static func isSuccess(_ answer: [UInt8]) -> Bool {
        guard answer.count >= 2 else { return false }
        let (high, low) = (answer[answer.count - 2], answer[answer.count - 1])
        return high == 0x61 || high == 0x90 && low == 0 || high == 0x91 && (low == 0 || low == 0xAF)
    }
}

extension RecordedCardState: CustomStringConvertible {
    /// The commands that led to the state.
    public var description: String {
        let commands = [application, file, authentication, sector].compactMap { $0 }
        return commands.isEmpty
            ? "before any selection or authentication" : "after \(commands.map(\.description).joined(separator: ", "))"
    }
}

/// Frames to a tag inside the pseudo-APDUs of readers.
enum PassThroughFrame {
    /// The frame of a command; nil for one that has none.
    static func frame(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard let apdu = APDULayout(bytes), apdu.instructionClass == 0xFF, !apdu.data.isEmpty else { return nil }
        let data = bytes[apdu.data]
        switch apdu.instruction {
        case 0x00 where apdu.parameter == 0:
            if data.starts(with: [0xD4, 0x42]) { return data.dropFirst(2) }
            if data.starts(with: [0xD4, 0x40]) { return data.dropFirst(3) }
            return data.first == 0xD4 ? nil : data
        case 0xA0 where apdu.parameter >> 8 == 0: return data.dropFirst(3)
        case 0xFD: return data
        case 0xC2: return BasicTLV.objects(bytes, in: apdu.data)?.first { $0.tag == 0x95 }.map { bytes[$0.value] }
        default: return nil
        }
    }
}
