package import NFCTypes
import SQLite

extension SQLiteJournal {
    /// Where the journal is and how large it may be.
    package struct Settings: Sendable, Hashable {
        /// The path of the file.
        package var path: String
        /// Whether the file is in nfcd's own state directory, where no other program keeps its files: one that is not a database is a
        /// damaged journal.
        package var isInOwnFolder: Bool
        /// The most taps.
        package var tapLimit: Int
        /// The largest size of the stored taps, in bytes.
        package var byteLimit: Int64
        /// How long a tap is kept, delivered or not.
        package var maxAge: Duration
        /// How long a tap that every consumer has is kept if there is room, so that it can be delivered again.
        package var replayPeriod: Duration
        /// What happens to a tap while the journal is full.
        package var whenFull: FullJournalPolicy
        /// How long storing a tap may take.
        package var commitLimit: Duration
        /// The most consumers; a quarter of them is for services.
        package var consumerLimit: Int
        /// The most consumers of a user who is not a service.
        package var consumersPerUser: Int
        /// The users of nfcd's services, and root: the journal is kept completely for their consumers.
        package var services: Set<UInt32>
        /// What the names of consumers begin with that only services may have.
        package static let reservedPrefix = "nfcd-"
        /// The size of the file that is given up when the disk is full, so that taps can be deleted, in bytes.
        package var reserve: Int64
        /// The free space of the disk below which the journal does not grow, in bytes.
        package var lowSpace: Int64
        /// A journal up to this size is checked before it takes taps, a larger one beside them, in bytes.
        package var checkedAtOpening: Int64

        /// Settings.
        package init(
            path: String, isInOwnFolder: Bool = false, tapLimit: Int = 100_000, byteLimit: Int64 = 64 << 20,
            maxAge: Duration = .seconds(30 * 86_400),
            replayPeriod: Duration = .seconds(7 * 86_400), whenFull: FullJournalPolicy = .refuse,
            commitLimit: Duration = .seconds(2), consumerLimit: Int = 64, consumersPerUser: Int = 16,
            services: Set<UInt32> = [0], reserve: Int64 = 1 << 20,
            lowSpace: Int64 = 4 << 20, checkedAtOpening: Int64 = 50 << 20
        ) {
            self.path = path
            self.isInOwnFolder = isInOwnFolder
            self.tapLimit = tapLimit
            self.byteLimit = byteLimit
            self.maxAge = maxAge
            self.replayPeriod = replayPeriod
            self.whenFull = whenFull
            self.commitLimit = commitLimit
            self.consumerLimit = consumerLimit
            self.consumersPerUser = consumersPerUser
            self.services = services
            self.reserve = reserve
            self.lowSpace = lowSpace
            self.checkedAtOpening = checkedAtOpening
        }
    }
    /// Whether the file at a path really is below a folder, whatever links and `..` the two paths have.
    package static func isFile(_ path: String, inside folder: String) -> Bool {
        DatabaseFile(path: path).isInside(folder)
    }
}
