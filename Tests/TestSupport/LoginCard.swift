package import VirtualTags

/// A card of ISO/IEC 7816-4 as people log in with: applications that are selected by name, and the command 01 to each, which
/// answers with the number of the application that is selected.
package struct LoginCard: ContactlessCard {
    /// FIDO U2F.
    package static let fido: [UInt8] = [0xA0, 0x00, 0x00, 0x06, 0x47, 0x2F, 0x00, 0x01]
    /// OATH.
    package static let oath: [UInt8] = [0xA0, 0x00, 0x00, 0x05, 0x27, 0x21, 0x01]
    /// PIV (NIST SP 800-73), selected, as usual, by the first part of its name.
    package static let piv: [UInt8] = [0xA0, 0x00, 0x00, 0x03, 0x08]

    package let identifier: [UInt8] = [0x04, 0x10, 0x61, 0x6E, 0x10, 0x61, 0x6E]
    package let historicalBytes: [UInt8]
    private let applications: [[UInt8]]
    private let selectStatus: [UInt8]
    private var selected: Int?

    /// A card with these applications. It answers a SELECT that it takes with `selectStatus`.
    package init(
        _ applications: [[UInt8]], historicalBytes: [UInt8] = [0x59, 0x75], selectStatus: [UInt8] = [0x90, 0x00]
    ) {
        self.applications = applications
        self.historicalBytes = historicalBytes
        self.selectStatus = selectStatus
    }

    package mutating func activate() { selected = nil }
    package mutating func fieldDropped() { selected = nil }

    package mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard command.count >= 4 else { return .data([0x67, 0x00]) }
        switch (command[1], command[2]) {
        case (0xA4, 0x04): return .data(select(command))
        case (0x01, _): return .data(selected.map { [UInt8(truncatingIfNeeded: $0), 0x90, 0x00] } ?? [0x69, 0x85])
        default: return .data([0x6D, 0x00])
        }
    }

    private mutating func select(_ command: [UInt8]) -> [UInt8] {
        guard command.count >= 5, command.count >= 5 + Int(command[4]) else { return [0x67, 0x00] }
        let name = Array(command[5..<5 + Int(command[4])])
        guard let index = applications.firstIndex(of: name) else { return [0x6A, 0x82] }
        selected = index
        return selectStatus
    }
}
