/// The users and groups of /etc/passwd and /etc/group.
struct Accounts: Sendable {
    /// A group and the users that it names.
    struct Group: Sendable {
        let name: String
        let number: UInt32
        let members: [String]
    }

    /// A user and its own group.
    struct User: Sendable {
        let name: String
        let number: UInt32
        let group: UInt32
    }

    let users: [User]
    let groups: [Group]

    /// Lines that are not of the form are passed over (passwd(5), group(5)).
    init(_ tree: any SystemTree) {
        users = tree.lines("/etc/passwd").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 4, let number = UInt32(fields[2]), let group = UInt32(fields[3]) else { return nil }
            return User(name: String(fields[0]), number: number, group: group)
        }
        groups = tree.lines("/etc/group").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 4, let number = UInt32(fields[2]) else { return nil }
            return Group(
                name: String(fields[0]), number: number, members: fields[3].split(separator: ",").map(String.init))
        }
    }

    /// The user of a number.
    func user(_ number: UInt32) -> User? { users.first { $0.number == number } }

    /// The group of a number.
    func group(_ number: UInt32) -> Group? { groups.first { $0.number == number } }

    /// The group of a name.
    func group(named name: String) -> Group? { groups.first { $0.name == name } }

    /// Whether an account is in a group, whatever groups a login that is older has.
    func isMember(_ user: UInt32, of group: UInt32) -> Bool {
        guard let account = self.user(user) else { return false }
        return account.group == group || groups.contains { $0.number == group && $0.members.contains(account.name) }
    }
}
