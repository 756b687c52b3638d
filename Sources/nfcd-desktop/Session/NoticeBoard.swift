/// The notifications that are shown, by their numbers, and what each is about.
struct NoticeBoard: Sendable {
    /// A notification.
    struct Entry: Sendable, Hashable {
        let notice: TapNotice
        let reader: String
        /// From the click that comes next.
        var token: String?
    }

    /// The most that are remembered; a click on an older one does nothing.
    private static let most = 32

    private var entries: [UInt32: Entry] = [:]
    private var order: [UInt32] = []

    init() {}

    /// The number of the notification of a reader, which the next one replaces; 0 if it has none.
    func number(ofReader reader: String) -> UInt32 { order.last { entries[$0]?.reader == reader } ?? 0 }

    /// Notes that a notification is shown.
    mutating func add(_ number: UInt32, _ notice: TapNotice, reader: String) {
        remove(number)
        entries[number] = Entry(notice: notice, reader: reader)
        order.append(number)
        while order.count > Self.most { remove(order[0]) }
    }

    /// Notes what a click brings along.
    mutating func note(_ token: String, of number: UInt32) { entries[number]?.token = token }

    /// The notification of a click, and its token, which counts once; nil where it is not one of these.
    mutating func take(_ number: UInt32) -> Entry? {
        let entry = entries[number]
        entries[number]?.token = nil
        return entry
    }

    /// Notes that a notification is gone.
    mutating func remove(_ number: UInt32) {
        entries[number] = nil
        order.removeAll { $0 == number }
    }
}
