import ArgumentParser
import KeyStore
import NFCTypes
import SecureTags
import ServiceSupport

/// `nfcctl keys`: the keys of tags, by name and version. No key is ever shown.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Manage the keys with which tags prove themselves.",
        discussion: """
            The keys and profiles are in a file that only its owner can read, /etc/nfcd/keys.toml; nfcd reads it when it \
            starts. The commands work on the file, without nfcd, and never show a key.

            Examples:
              nfcctl keys generate door
              nfcctl keys list
              nfcctl keys rotate door
              nfcctl keys check
            """,
        subcommands: [
            KeysListCommand.self, KeysCheckCommand.self, KeysGenerateCommand.self, KeysRotateCommand.self,
        ])
}

/// The key file of a command.
struct KeyFileOptions: ParsableArguments {
    static let usual = "/etc/nfcd/keys.toml"

    @Option(help: ArgumentHelp("The key file (default: \(Self.usual)).", valueName: "file"))
    var keys: String?

    var path: String { keys ?? Self.usual }

    /// Reads the file; what is wrong with it is printed.
    ///
    /// - Parameter extent: what is read beside it.
    /// - Throws: `ExitCode` 66 if it cannot be read, 78 if it has an error.
    func read(_ extent: KeyFile.Extent = .everything) async throws -> KeyFile {
        try await Self.reporting { () async throws(ConfigurationError) in try await KeyFile(file: path, extent) }
    }

    /// - Parameter makesFolder: whether the usual folder is made if it is missing.
    func edit(makesFolder: Bool = false) async throws -> KeyFileEditor {
        try await Self.reporting { () async throws(ConfigurationError) in
            try await KeyFileEditor(file: path, makesFolder: makesFolder && keys == nil)
        }
    }

    static func reporting<Value>(_ body: () async throws(ConfigurationError) -> Value) async throws -> Value {
        do throws(ConfigurationError) {
            return try await body()
        } catch {
            Terminal.error("nfcctl: \(error.description.printable)")
            throw error.description.contains("cannot be read") ? ExitCode.noInput : ExitCode.configuration
        }
    }
}

/// `nfcctl keys list`.
struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List keys and profiles by name.",
        discussion: """
            Shows the versions of each key, what they are used for, and where they come from; then the profiles. Tokens are not \
            opened: nfcctl keys check does that. With --json, one object per line.

            Examples:
              nfcctl keys list
              nfcctl keys list --json --keys keys.toml
            """)

    @OptionGroup var file: KeyFileOptions

    @Flag(help: "Print one JSON object per line.")
    var json = false

    private struct Key: Encodable {
        let key: String
        let version: UInt8
        let state: String
        let source: String
        /// Nil if the key was not read.
        let published: Bool?
    }

    private struct Profile: Encodable {
        let profile: String
        let tag: String
        let method: String
        let keys: [String: String]
    }

    func run() async throws {
        let file = try await file.read(.references)
        let keys = zip(file.ring.entries, file.origins).map { entry, origin in
            Key(
                key: entry.name, version: entry.version, state: entry.state.rawValue, source: origin.place,
                published: origin.unreadReason == nil ? entry.master.isPublished : nil)
        }
        let profiles = file.profiles.map { profile in
            Profile(
                profile: profile.name, tag: profile.product.rawValue, method: profile.method.rawValue,
                keys: Dictionary(uniqueKeysWithValues: profile.keys.map { ($0.key.rawValue, $0.value) }))
        }
        guard !json else {
            for key in keys { Terminal.print(json: key) }
            for profile in profiles { Terminal.print(json: profile) }
            return
        }
        for key in keys {
            let note = key.published == true ? "  published: it proves nothing" : ""
            Terminal.print(
                "key      \(key.key)  version \(key.version)  \(key.state)  from \(key.source.printable)\(note)")
        }
        for profile in profiles {
            let list = profile.keys.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
            Terminal.print("profile  \(profile.profile)  \(profile.tag)  \(profile.method)  keys: \(list)")
        }
        if keys.isEmpty { Terminal.print("There is no key; nfcctl keys generate NAME makes one.") }
    }
}

/// `nfcctl keys check`.
struct KeysCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the key file.",
        discussion: """
            Checks the permissions of the file, every key and every profile. Keys in tokens are opened: with a wrong PIN, this counts \
            as one attempt. Credentials are passed to nfcd alone, so that they are named and not checked. Exits with 78 if nfcd \
            would not start with the file, and with 65 if it has a key that proves nothing.

            Examples:
              nfcctl keys check
              nfcctl keys check --keys keys.toml
            """)

    @OptionGroup var file: KeyFileOptions

    func run() async throws {
        let found = try await file.read(.attended)
        for origin in found.origins {
            guard let reason = origin.unreadReason else { continue }
            Terminal.print("key \(origin.name) version \(origin.version) was not checked: \(reason.printable)")
        }
        let published = found.ring.entries.filter(\.master.isPublished)
        for entry in published {
            Terminal.error(
                "nfcctl: key \(entry.name) version \(entry.version) is published: no tag is proven by it; replace it with "
                    + "nfcctl keys rotate \(entry.name)")
        }
        if !published.isEmpty { throw ExitCode.badData }
        Terminal.print(
            "\(file.path.printable): ok, keys: \(found.ring.entries.count), profiles: \(found.profiles.count)")
    }
}

/// `nfcctl keys generate`.
struct KeysGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Add a random key to the key file.",
        discussion: """
            Makes the file where it is missing, readable by its owner only, and /etc/nfcd for it. Make a copy of the file and keep it in a safe \
            place: a tag whose key is lost can never be changed again. nfcd uses the key after a restart. A key in a token \
            (PKCS#11) is made with the tools of the token; keys.toml(5) has an example.

            Examples:
              nfcctl keys generate door
              nfcctl keys generate door --keys keys.toml
            """)

    @Argument(help: "The name of the key, for profiles and taps.")
    var name: String

    @OptionGroup var file: KeyFileOptions

    func run() async throws {
        var editor = try await file.edit(makesFolder: true)
        try await KeyFileOptions.reporting { () async throws(ConfigurationError) in try await editor.generate(name) }
        Terminal.print(
            "Key \(name.printable) version 1 was added to \(file.path.printable). Make a copy of the file, and restart nfcd; a reload does not read keys."
        )
    }
}

/// `nfcctl keys rotate`.
struct KeysRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Give a key a new version.",
        discussion: """
            Tags that have the version before are proven as long as it is in the file. With several machines, run it with \
            --prepare first and copy the file to all of them; then run it again without. A new version of a key in a token is made \
            there first, and added to the file as the next one.

            Examples:
              nfcctl keys rotate door
              nfcctl keys rotate door --prepare
            """)

    @Argument(help: "The name of the key.")
    var name: String

    @Flag(help: "Add the new version without using it for tags yet.")
    var prepare = false

    @OptionGroup var file: KeyFileOptions

    func run() async throws {
        var editor = try await file.edit()
        let (old, new) = try await KeyFileOptions.reporting { () async throws(ConfigurationError) in
            try await editor.rotate(name, isPreparing: prepare)
        }
        Terminal.print(
            prepare
                ? "Key \(name.printable): version \(new) is prepared beside version \(old). Copy the file to all machines and restart nfcd there; a reload does not read keys."
                : "Key \(name.printable): version \(new) is used from now on, version \(old) is still accepted. Restart nfcd; a reload does not read keys."
        )
    }
}
