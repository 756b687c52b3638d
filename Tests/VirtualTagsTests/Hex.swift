import Testing
import TestSupport

@testable import VirtualTags

extension VirtualTag {
    /// Sends a command given in hexadecimal and names the answer: bytes, ACK, NAK n or silence.
    mutating func send(_ command: String) -> String {
        switch exchange(hex(command)) {
        case .data(let bytes): hex(bytes)
        case .ack: "ACK"
        case .nak(let code): "NAK \(code)"
        case .silence: "silence"
        }
    }

    /// Selects the tag, then sends the command.
    mutating func sendSelected(_ command: String) -> String {
        activate()
        return send(command)
    }
}

extension VirtualType2Product {
    /// The products that know GET_VERSION and what came with it.
    static let answeringVersion = all.filter { !$0.version.isEmpty }
    /// The products with PWD_AUTH.
    static let withPassword = all.filter { $0.features.contains(.password) }
}

extension VirtualType2Tag {
    /// A tag with the identifier the tables of these tests use, selected.
    static func selected(_ product: VirtualType2Product, message: [UInt8]? = nil) throws -> VirtualType2Tag {
        var tag = try VirtualType2Tag(product: product, identifier: hex("04 11 22 33 44 55 80"), ndefMessage: message)
        tag.activate()
        return tag
    }

    /// Drops the field and selects the tag again.
    mutating func repower() {
        fieldDropped()
        activate()
    }
}

/// One command and the answer it must have; a table of them is a conversation.
struct Turn: Sendable {
    let command: String
    let answer: String

    init(_ command: String, _ answer: String) {
        self.command = command
        self.answer = answer
    }
}

extension VirtualType2Product {
    /// CFG0 of products that have it.
    var firstConfigurationPage: Int { configurationPage ?? pageCount }
}
