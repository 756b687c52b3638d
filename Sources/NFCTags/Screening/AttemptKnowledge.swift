import ISO7816

/// What is known of the attempts that a card counts: how many tries its PINs have left, and what the next authentication proves.
///
/// A card blocks a PIN or key after some wrong attempts, often permanently. Where the card has answered how many are left, an attempt
/// that leaves one more can be made; the last one cannot.
struct AttemptKnowledge: Sendable, Hashable {
    /// A PIN as VERIFY names it.
    private struct Reference: Sendable, Hashable {
        let channel: UInt8
        let number: UInt8
    }

    /// What MANAGE SECURITY ENVIRONMENT has set for GENERAL AUTHENTICATE.
    private enum Environment: Sendable, Hashable {
        /// PACE with what is printed on the document, or a key of the card: no attempts are counted.
        case uncounted
        /// PACE with a PIN or PUK, or not known.
        case counted
    }

    private var tries: [Reference: Int] = [:]
    /// By channel; a card may have one for all of them.
    private var environments: [UInt8: Environment] = [:]

    /// Whether VERIFY with data leaves a further try if it is wrong.
    func leavesTry(after command: InterindustryCommand) -> Bool {
        command.p1 == 0 && tries[Reference(channel: command.channel, number: command.p2)] ?? 0 >= 2
    }

    /// Whether GENERAL AUTHENTICATE counts no attempts.
    func isUncounted(on channel: UInt8) -> Bool {
        environments[channel] == .uncounted && environments.values.allSatisfy { $0 == .uncounted }
    }

    /// Records the effect of a command that was sent, and its answer.
    mutating func record(_ command: InterindustryCommand, answer: [UInt8]?) {
        let status = Array((answer ?? []).suffix(2))
        // A warning 63Cx has the tries that are left.
        let left = status.first == 0x63 && status[1] & 0xF0 == 0xC0 ? Int(status[1] & 0x0F) : nil
        let channel = command.channel
        switch command.ins {
        case 0x20:
            let isQuery = command.data.isEmpty && !command.isSecured && !command.isChained
            // Other numbers may be of the same PIN.
            if !isQuery { tries = [:] }
            guard !command.isSecured, !command.isChained, command.p1 == 0 else { return }
            tries[Reference(channel: channel, number: command.p2)] = left
        case 0x22:
            // The number 00 of a PIN is the one of the environment.
            tries = [:]
            let isSet = status == [0x90, 0x00] || left != nil
            let new: Environment = Self.isUncounted(command) ? .uncounted : .counted
            if isSet || new == .counted { environments[channel] = new }
        case 0xA4:
            tries = [:]
            environments[channel] = nil
        case 0x24, 0x2C, 0x26, 0x28, 0x70: tries = [:]
        default: break
        }
    }

    /// SET AT for PACE with the MRZ or the CAN of a document (BSI TR-03110-3, B.11.1), or for its chip authentication.
    private static func isUncounted(_ command: InterindustryCommand) -> Bool {
        guard !command.isSecured, !command.isChained, let objects = objects(command.data) else { return false }
        switch (command.p1, command.p2) {
        case (0xC1, 0xA4):
            let passwords = objects.filter { $0.tag == 0x83 }
            return passwords.count == 1 && [[0x01], [0x02]].contains(passwords.first?.value)
        case (0x41, 0xA4), (0x41, 0xA6): return true
        default: return false
        }
    }

    /// The data objects with one byte each of tag and length; nil for others.
    private static func objects(_ data: [UInt8]) -> [DataObject]? {
        var rest = data[...]
        var objects: [DataObject] = []
        while !rest.isEmpty {
            guard rest.count >= 2, let length = rest.dropFirst().first, length < 0x80 else { return nil }
            guard let object = DataObject(bytes: Array(rest.prefix(2 + Int(length)))) else { return nil }
            objects.append(object)
            rest = rest.dropFirst(2 + Int(length))
        }
        return objects
    }
}
