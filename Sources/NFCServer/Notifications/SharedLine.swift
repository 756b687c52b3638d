package import FoundationEssentials
import Synchronization

/// Bytes that several clients are sent, and that are in memory once.
package final class SharedBytes: Sendable {
    /// The bytes.
    package let data: Data
    private let transportForm = Mutex<(any Sendable)?>(nil)

    /// Bytes to be shared.
    package init(_ data: Data) {
        self.data = data
    }

    /// The bytes as a transport sends them, made once.
    package func form<Form: Sendable>(_ make: (Data) -> Form) -> Form {
        transportForm.withLock { form in
            if let made = form as? Form { return made }
            let made = make(data)
            form = made
            return made
        }
    }
}

/// A line, with its newline, of pieces that other clients are sent too.
package struct SharedLine: Sendable {
    /// The pieces, in order.
    package let pieces: [SharedBytes]
    /// The bytes of all pieces together.
    package let count: Int

    /// A line of pieces.
    package init(_ pieces: [SharedBytes]) {
        self.pieces = pieces
        count = pieces.reduce(0) { $0 + $1.data.count }
    }

    /// The whole line.
    package var data: Data {
        pieces.reduce(into: Data(capacity: count)) { $0.append($1.data) }
    }
}
