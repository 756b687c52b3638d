/// Types on an X server, with `xdotool` (XTEST) and `xmodmap`.
///
/// Characters that the layout lacks are put on keys that no keyboard has, all of them before the first is typed. xdotool alone puts one
/// after another on the same key: a program that reads the layout a moment later sees the wrong one.
struct X11Keyboard: Sendable {
    private let environment: [String: String]
    private let xdotool: HelperProgram

    init(_ environment: [String: String]) throws(Keyboard.Failure) {
        guard let xdotool = HelperProgram("xdotool", environment) else {
            throw Keyboard.Failure(description: "xdotool is missing; install xdotool")
        }
        self.environment = environment
        self.xdotool = xdotool
    }

    /// Types a text.
    func type(_ text: String, timeout: Duration) async throws {
        let characters = Self.toBind(text)
        if !characters.isEmpty { try await bind(characters) }
        let isCapsLocked = try await isCapsLocked()
        // xdotool would switch it off, and not on again.
        if isCapsLocked { try await pressCapsLock() }
        do {
            // Keys that are held change no letter.
            try await xdotool.run(
                ["type", "--clearmodifiers", "--delay", "10", "--file", "-"], input: text, timeout: timeout)
        } catch {
            if isCapsLocked { try await pressCapsLock() }
            throw error
        }
        if isCapsLocked { try await pressCapsLock() }
    }

    private func pressCapsLock() async throws { try await xdotool.run(["key", "Caps_Lock"]) }

    private func isCapsLocked() async throws -> Bool {
        Self.isCapsLocked(try await program("xset").run(["q"]))
    }

    /// Whether the output of `xset q` has Caps Lock switched on.
    static func isCapsLocked(_ report: String) -> Bool {
        guard let name = report.firstRange(of: "Caps Lock:") else { return false }
        return report[name.upperBound...].drop { $0 == " " }.hasPrefix("on")
    }

    private func program(_ name: String) throws(Keyboard.Failure) -> HelperProgram {
        guard let program = HelperProgram(name, environment) else {
            throw Keyboard.Failure(description: "\(name) is missing; install x11-xserver-utils")
        }
        return program
    }

    /// The characters that a layout may lack, or have as accents only: each once, in the order of the text.
    static func toBind(_ text: String) -> [Unicode.Scalar] {
        var known: Set<Unicode.Scalar> = []
        return text.unicodeScalars.filter { scalar in
            (!scalar.isASCII || "^`~".unicodeScalars.contains(scalar)) && known.insert(scalar).inserted
        }
    }

    /// The keys without a character in a listing of `xmodmap -pke`, from the highest.
    static func spareKeys(_ listing: String) -> [Int] {
        listing.split(whereSeparator: \.isNewline).compactMap { line in
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, sides[1].allSatisfy(\.isWhitespace) else { return nil }
            return sides[0].split(separator: " ").last.flatMap { Int($0) }
        }.reversed()
    }

    /// The input of `xmodmap` that puts characters on keys, each alone on its key, so that no modifier changes it.
    static func bindings(_ characters: [Unicode.Scalar], _ keys: [Int]) -> String {
        zip(characters, keys).map { character, key in
            let digits = String(character.value, radix: 16, uppercase: true)
            let name = "U" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            return "keycode \(key) = \(name) \(name)\n"
        }.joined()
    }

    private func bind(_ characters: [Unicode.Scalar]) async throws {
        let xmodmap = try program("xmodmap")
        var keys = Self.spareKeys(try await xmodmap.run(["-pke"]))
        // What was put there for an earlier text is free again.
        keys += await X11BoundKeys.shared.keys.filter { !keys.contains($0) }
        guard characters.count <= keys.count else {
            throw Keyboard.Failure(
                description:
                    "the text has \(characters.count) different characters that a layout may lack, and this X server has \(keys.count) free keys"
            )
        }
        await X11BoundKeys.shared.note(Array(keys.prefix(characters.count)))
        try await xmodmap.run(["-"], input: Self.bindings(characters, keys))
    }
}

/// The keys that have characters of a text, until the next text needs them: a program may read the layout late.
private actor X11BoundKeys {
    static let shared = X11BoundKeys()
    private(set) var keys: [Int] = []

    func note(_ used: [Int]) { keys = used + keys.filter { !used.contains($0) } }
}
