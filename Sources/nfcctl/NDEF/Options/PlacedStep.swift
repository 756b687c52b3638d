import ArgumentParser
import NDEF
import Synchronization

/// What one option does to the message that is being put together, and its place on the command line.
///
/// The parser keeps no order between different options. But it calls their transforms in the order of the command line, and
/// so each gets a number there.
struct PlacedStep: Sendable {
    private static let count = Atomic(0)

    fileprivate let place = Self.count.add(1, ordering: .relaxed).newValue
    private let option: String
    private let change: @Sendable (inout MessageAssembler) throws -> Void

    /// The transform of an option.
    ///
    /// - Parameter change: is given the option's value, and later the message as far as the options before it made it.
    static func named(
        _ option: String, _ change: @escaping @Sendable (String, inout MessageAssembler) throws -> Void
    ) -> @Sendable (String) -> PlacedStep {
        { value in PlacedStep(option: option) { try change(value, &$0) } }
    }

    private init(option: String, _ change: @escaping @Sendable (inout MessageAssembler) throws -> Void) {
        self.option = option
        self.change = change
    }

    /// - Throws: `ValidationError` with the option's name, or `ExitCode` where a file is the trouble.
    func apply(to message: inout MessageAssembler) throws {
        do {
            try change(&message)
        } catch let error as NDEFPayloadError {
            throw ValidationError("\(option): \(error.message)")
        } catch let error as OptionMisuse {
            throw ValidationError("\(option) \(error.reason)")
        }
    }
}

extension [PlacedStep] {
    /// The steps in the order of the command line.
    var inOrder: [PlacedStep] { sorted { $0.place < $1.place } }
}

/// Why an option cannot stand where it stands, or cannot have its value: what follows the option's name in a sentence.
struct OptionMisuse: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
