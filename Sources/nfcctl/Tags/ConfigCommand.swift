import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl config`: the counter and the mirror of a tag.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Set the counter and the mirror of the next NTAG21x.",
        discussion: """
            The counter of NTAG213, 215 and 216 counts the times the tag is read, once each time it comes to a reader. \
            The mirror shows the UID, the counter or both as text instead of a part of the memory, so that a link \
            carries them. Write a message with room for it first: 14 zeros for uid, 6 for counter, \
            00000000000000x000000 for uid-counter. The mirror begins where the tag holds these, or where --mirror-page and \
            --mirror-byte give. What is not given stays unchanged; --mirror off shows the memory again, which has to be \
            done before another message is written.

            Examples:
              nfcctl config --counter on
              nfcctl write --uri 'https://example.com/?t=00000000000000x000000'
              nfcctl config --counter on --mirror uid-counter
              nfcctl config --mirror off --counter off
            """)

    @Option(
        help: ArgumentHelp("Count reads, or not; with password, only the password shows the counter.", valueName: "on"))
    var counter: CounterOption?

    @Option(help: ArgumentHelp("What the tag shows instead of its memory.", valueName: "what"))
    var mirror: MirrorOption?

    @Option(
        help: ArgumentHelp(
            "The page in which the mirror begins, if not at the zeros of the message.", valueName: "page"))
    var mirrorPage: Int?

    @Option(help: ArgumentHelp("The byte of that page, 0 to 3; 0 by default.", valueName: "byte"))
    var mirrorByte: Int?

    @OptionGroup var options: TagOptions

    func validate() throws {
        if counter == nil, mirror == nil { throw ValidationError("nothing to set; give --counter or --mirror") }
        let hasMirror = (mirror ?? .off) != .off
        if !hasMirror, mirrorPage != nil { throw ValidationError("--mirror-page requires --mirror") }
        if mirrorPage == nil, mirrorByte != nil { throw ValidationError("--mirror-byte requires --mirror-page") }
        if let mirrorByte, !(0...3 ~= mirrorByte) {
            throw ValidationError("--mirror-byte requires a number from 0 to 3")
        }
    }

    func run() async throws {
        let json = options.json
        let wanted = TagSettingChanges(
            counter: counter?.use, mirror: mirror?.content, mirrorPage: mirrorPage, mirrorByte: mirrorByte)
        let zeros = mirrorPage == nil ? mirror?.zeros : nil
        let operation = TagOperation(
            options: options, requires: TagConfigure.requirement, zeros == nil ? .nothing : TagDumpMemory.requirement,
            options.password.isGiven ? TagAuthenticate.requirement : .nothing)
        try await operation.run { tag in
            var arguments = wanted
            if let zeros {
                let place = try await Self.place(of: zeros, on: tag)
                (arguments.mirrorPage, arguments.mirrorByte) = (place.page, place.byte)
            }
            let result = try await tag.configure(
                counter: arguments.counter, mirror: arguments.mirror, mirrorPage: arguments.mirrorPage,
                mirrorByte: arguments.mirrorByte)
            if json {
                Terminal.print(json: TagEvent(event: "configured", tag: tag.facts, extra: result))
            } else {
                Terminal.print("Configured \(tag.summary); \(result.summary)")
            }
        }
    }
}

extension ConfigCommand {
    /// Where a tag holds zeros for a mirror.
    ///
    /// - Throws: `ExitCode`, after printing the reason, if it does not, or in two places.
    private static func place(of zeros: String, on tag: RemoteTag) async throws -> (page: Int, byte: Int) {
        let dump = try await tag.showingProgress("Reading") { try await tag.dump(progress: $0) }
        var memory: [UInt8] = []
        for block in dump.sections.flatMap({ $0.blocks }) where block.number >= 4 {
            // A page that cannot be read ends the search.
            guard let bytes = block.bytes?.bytes, bytes.count == 4 else { break }
            memory += bytes
        }
        let found = memory.ranges(of: Array(zeros.utf8))
        guard let start = found.first?.lowerBound, found.count == 1 else {
            Terminal.error(
                found.isEmpty
                    ? "nfcctl: \(tag.summary) does not hold \(zeros). Turn a mirror that is on off, write a message with it, and run the command again."
                    : "nfcctl: \(tag.summary) holds \(zeros) more than once. Give the place with --mirror-page and --mirror-byte."
            )
            throw ExitCode.badData
        }
        return (4 + start / 4, start % 4)
    }
}

/// The values of `--counter`.
enum CounterOption: String, CaseIterable, ExpressibleByArgument {
    case on, off, password

    var use: CounterUse {
        switch self {
        case .on: .on
        case .off: .off
        case .password: .password
        }
    }
}

/// The values of `--mirror`.
enum MirrorOption: String, CaseIterable, ExpressibleByArgument {
    case uid
    case counter
    case both = "uid-counter"
    case off

    var content: MirrorContent {
        switch self {
        case .uid: .uid
        case .counter: .counter
        case .both: .uidAndCounter
        case .off: .off
        }
    }

    /// What a message holds in the place of the mirror.
    var zeros: String? {
        let (uid, counter) = (String(repeating: "0", count: 14), String(repeating: "0", count: 6))
        return switch self {
        case .uid: uid
        case .counter: counter
        case .both: "\(uid)x\(counter)"
        case .off: nil
        }
    }
}

extension TagSettings {
    fileprivate var summary: String {
        [counter.map(Self.words), mirrorWords].compactMap { $0 }.joined(separator: ", ")
    }

    private static func words(_ counter: CounterUse) -> String {
        switch counter {
        case .off: "counter off"
        case .on: "counter on"
        case .password: "counter on, read with the password"
        }
    }

    private var mirrorWords: String {
        let place = "from page \(mirrorPage ?? 0), byte \(mirrorByte ?? 0) on"
        return switch mirror {
        case .off: "no mirror"
        case .uid: "UID \(place)"
        case .counter: "counter \(place)"
        case .uidAndCounter: "UID and counter \(place)"
        }
    }
}
