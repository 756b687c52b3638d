#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The users and groups of the system, by number or by name.
enum Accounts {
    /// What an entry may take, with the members of a group.
    private static let largestEntry = 4 * 1024 * 1024

    /// The number of a user; nil where there is no such name. A number need not belong to anybody.
    static func userID(_ word: String) -> UInt32? {
        number(word) ?? find(word, passwd()) { getpwnam_r($0, $1, $2, $3, $4) }?.pw_uid
    }

    /// The number of a group; nil where there is no such name. A number need not belong to anybody.
    static func groupID(_ word: String) -> UInt32? {
        number(word) ?? find(word, group()) { getgrnam_r($0, $1, $2, $3, $4) }?.gr_gid
    }

    /// The greatest number means nobody (chown(2)).
    private static func number(_ word: String) -> UInt32? {
        UInt32(word).flatMap { $0 == .max ? nil : $0 }
    }

    /// An entry without its texts, which lie in memory that is gone.
    private static func find<Entry>(
        _ name: String, _ empty: Entry,
        _ ask: (
            UnsafePointer<CChar>, UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
        ) -> Int32
    ) -> Entry? {
        var room = 16 * 1024
        while room <= largestEntry {
            var buffer = [CChar](repeating: 0, count: room)
            var entry = empty
            var found: UnsafeMutablePointer<Entry>?
            let code = ask(name, &entry, &buffer, room, &found)
            guard code == ERANGE else { return code == 0 && found != nil ? entry : nil }
            room *= 4
        }
        return nil
    }
}
