import CLinux
import KeyStore
import NFCReaders
import NFCSessions
import SecureTags
import ServiceSupport
import TagProofs
import VirtualTags

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The keys and profiles with which tags prove themselves. They stay in nfcd.
struct TagKeys: Sendable {
    /// The name of the credential that the unit passes, and of the file.
    private static let name = "keys.toml"

    private let file: KeyFile?
    /// The path of the file; nil if nothing was read.
    let path: String?

    /// Reads the file that the configuration names, or the credential, or the file of the instance if it exists.
    ///
    /// - Parameter clock: the clock of the limits of calls to tokens.
    /// - Throws: `ConfigurationError`, also for a profile that needs a journal which is not enabled.
    init(
        _ configuration: Configuration, _ instance: Instance, _ environment: [String: String],
        clock: any Clock<Duration>
    ) async throws(ConfigurationError) {
        let credentials = environment["CREDENTIALS_DIRECTORY"]
        guard let place = Self.place(configuration.keyFile, instance, environment, credentials) else {
            (file, path) = (nil, nil)
            return
        }
        let file = try await KeyFile(
            file: place.path, isCredential: place.isCredential, credentials: credentials, clock: clock)
        // The unit passes an empty credential if there is no file.
        guard !place.isCredential || !file.ring.entries.isEmpty || !file.profiles.isEmpty else {
            (self.file, path) = (nil, nil)
            return
        }
        (self.file, path) = (file, place.path)
        guard !configuration.journal.isEnabled, let profile = file.profiles.first(where: { $0.method == .sun }) else {
            return
        }
        throw ConfigurationError(
            file: place.path,
            "profile \(profile.name): method = \"sun\" needs the journal, which stores the counters; set enabled = true in [journal] of"
                + " nfcd.toml, or use method = \"mutual\"")
    }

    private static func place(
        _ configured: String?, _ instance: Instance, _ environment: [String: String], _ credentials: String?
    ) -> (path: String, isCredential: Bool)? {
        if let configured { return (configured, false) }
        if let path = credentials.map({ "\($0)/\(name)" }), access(path, F_OK) == 0 { return (path, true) }
        guard let file = instance.configurationFile(environment), let slash = file.lastIndex(of: "/") else {
            return nil
        }
        let usual = "\(file[..<slash])/\(name)"
        return access(usual, F_OK) == 0 ? (usual, false) : nil
    }

    /// Asks tags to prove themselves; nil without profiles.
    var prover: (any TagProver)? {
        file.flatMap { $0.profiles.isEmpty ? nil : ProfileProver(profiles: $0.profiles, keys: $0.ring) }
    }

    /// Sets up tags of the profiles, with its records in a folder; nil without profiles.
    func personaliser(recordsIn folder: String?) -> (any TagPersonaliser)? {
        file.flatMap { file in
            file.profiles.isEmpty
                ? nil
                : ProfilePersonaliser(profiles: file.profiles, keys: file.ring, records: SetUpRecordFolder(folder))
        }
    }

    /// Makes virtual tags of the profiles; nil without profiles.
    var siteTag: (@Sendable (SiteTagRequest) async throws -> any VirtualTag)? {
        guard let file, !file.profiles.isEmpty else { return nil }
        let tags = SiteTags(profiles: file.profiles, keys: file.ring)
        return { try await tags.tag($0.profile, identifier: $0.identifier, message: $0.message, isCopy: $0.isCopy) }
    }

    /// What was read, for a person; nil if nothing was.
    var summary: String? {
        guard let file, let path else { return nil }
        let (keys, profiles) = (Set(file.ring.entries.map(\.name)).count, file.profiles.count)
        return "\(path): \(keys) \(keys == 1 ? "key" : "keys"), \(profiles) \(profiles == 1 ? "profile" : "profiles")"
    }

    /// What a person may not expect; it is valid nevertheless.
    var warnings: [String] {
        (file?.ring.entries ?? []).filter(\.master.isPublished).map { entry in
            "key \(entry.name) version \(entry.version) is published: no tag is proven by it. Replace it with nfcctl keys rotate"
        }
    }

    /// Keeps keys out of core dumps, and other processes of the same user out of the memory of this one.
    func protectProcess() {
        guard file != nil else { return }
        cprocess_forbid_dumps()
    }
}
