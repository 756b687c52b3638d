import NFCTypes

/// What the raw commands to a Type 2 tag do: NTAG and the MIFARE Ultralight family, after their data sheets.
///
/// Which pages hold data depends on the product. It is known once the client has sent GET_VERSION; until then only pages 4 to
/// 15 are data, as on every product.
struct Type2Screen: Sendable, Hashable {
    /// The command whose second frame is due.
    private enum Pending: Sendable, Hashable {
        case write(page: Int), sector, challenge
    }

    private var product: Type2Product?
    /// The ACCESS byte of the configuration, where the client has read it.
    private var access: UInt8?
    /// Whether another sector may be selected: then a page has to hold data in both.
    private var leftSector0 = false
    private var pending: Pending?

    /// What a frame does.
    func judge(_ frame: [UInt8]) -> CommandJudgement {
        if let second = secondFrame(frame) { return second }
        let judged = frame.judged(by: Self.rules, frame.first, knowing: self)
        return CommandJudgement(judged.effect, judged.words)
    }

    /// Records the effect of a frame that was sent, and its answer; nil: there was none.
    mutating func record(_ frame: [UInt8], answer: [UInt8]?) {
        pending =
            switch (frame.first, frame.count) {
            case (0xA0, 2) where pending == nil: .write(page: Int(frame[1]))
            case (0xC2, 2) where pending == nil: .sector
            case (0x1A, 2) where pending == nil: .challenge
            default: nil
            }
        if frame.first == 0xC2 { leftSector0 = true }
        guard let answer else { return }
        switch (frame.first, frame.count) {
        case (0x60, 1): product = Type2Version(answer)?.product ?? product
        // Only the first page of an answer is certain: READ starts over where protected pages begin.
        case (0x30, 2) where answer.count == 16: learnAccess(Int(frame[1])...Int(frame[1]), answer)
        case (0x3A, 3) where frame[1] <= frame[2]: learnAccess(Int(frame[1])...Int(frame[2]), answer)
        default: break
        }
    }

    private mutating func learnAccess(_ pages: ClosedRange<Int>, _ answer: [UInt8]) {
        guard !leftSector0, let page = product?.configurationPage.map({ $0 + 1 }), pages.contains(page) else { return }
        let offset = (page - pages.lowerBound) * Type2Pages.size
        guard answer.count >= pages.count * Type2Pages.size else { return }
        access = answer[offset]
    }

    private func secondFrame(_ frame: [UInt8]) -> CommandJudgement? {
        switch pending {
        case .write(let page) where frame.count == 16:
            let (effect, what) = write(to: page)
            return CommandJudgement(effect, "COMPATIBILITY_WRITE, which \(what),")
        case .sector where frame.count == 4 && frame.dropFirst().allSatisfy { $0 == 0 } && frame[0] <= 1:
            return CommandJudgement(.read, "SECTOR_SELECT")
        case .challenge where frame.count == 17 && frame[0] == 0xAF && product != .ultralightAES:
            return CommandJudgement(.read, "AUTHENTICATE")
        case .challenge where frame.count == 33 && frame[0] == 0xAF:
            return CommandJudgement(
                .lock, "AUTHENTICATE with an AES key, which may permanently exhaust the tag's limit of wrong keys,")
        default: return nil
        }
    }

    private func write(to page: Int) -> (CommandEffect, String) {
        switch page {
        case 0...2: (.lock, "sets lock bits in page \(page)")
        case 3: (.lock, "sets one-time bits in page 3, the capability container")
        case 4...15: (.write, "changes page \(page)")
        default: writeBehindPage15(page)
        }
    }

    private func writeBehindPage15(_ page: Int) -> (CommandEffect, String) {
        guard let product else {
            return (.lock, "may set lock bits or change keys: what page \(page) is for is known after GET_VERSION (60)")
        }
        guard page <= product.lastUserPage, !leftSector0 || page < Self.lockPageOfSector1 else {
            return (
                .lock, "sets lock bits, or changes the configuration or keys, in page \(page) of the \(product.name)"
            )
        }
        return (.write, "changes page \(page)")
    }

    private var passwordAttempt: (CommandEffect, String) {
        guard let access, access & 0x07 == 0 else {
            return (
                .lock,
                "may permanently exhaust the tag's limit of wrong passwords, unless its ACCESS byte shows no limit: send GET_VERSION"
                    + " and READ of the page of that byte first"
            )
        }
        return (.read, "")
    }

    /// The page of the dynamic lock bytes in sector 1 of NTAG I2C 2K.
    private static let lockPageOfSector1 = 224
}

extension Type2Screen {
    private static let pageCases: CommandRule<Type2Screen>.Cases = [
        (.write, "pages with data: 4 to 15; after GET_VERSION up to the last of the product"),
        (
            .lock,
            "pages 0 to 3, dynamic lock, configuration, password and key pages; pages that are not known to hold data"
        ),
    ]

    /// The commands.
    static let rules: [CommandRule<Type2Screen>] = [
        .always(0x60, "60", "GET_VERSION", 1...1, .read),
        .always(0x30, "30 page", "READ", 2...2, .read),
        .always(0x3A, "3A first last", "FAST_READ", 3...3, .read),
        .always(0x39, "39 counter", "READ_CNT", 2...2, .read),
        .always(0x3C, "3C 00", "READ_SIG", 2...2, .read),
        .always(0x3E, "3E counter", "CHECK_TEARING_EVENT", 2...2, .read),
        .always(0x4B, "4B installation", "VCSL", 21...21, .read),
        .always(0x50, "50 00", "HALT", 2...2, .read),
        .depending(
            0x1A, "1A 00, AF data", "AUTHENTICATE", 2...2,
            [
                (.read, "Ultralight C; the first frame of Ultralight AES"),
                (.lock, "AF and 32 bytes, the second frame of Ultralight AES: attempts may be limited"),
            ]
        ) { _, _ in (.read, "") },
        .always(0xC2, "C2 FF, sector 00 00 00", "SECTOR_SELECT of sector 0 or 1", 2...2, .read),
        .depending(
            0x1B, "1B password", "PWD_AUTH", 5...5,
            [
                (.read, "the ACCESS byte, which the client has read, sets no limit of attempts"),
                (.lock, "otherwise: attempts may be limited"),
            ]
        ) { _, tag in tag.passwordAttempt },
        .depending(0xA2, "A2 page data", "WRITE", 6...6, pageCases) { frame, tag in tag.write(to: Int(frame[1])) },
        .depending(0xA0, "A0 page, 16 bytes", "COMPATIBILITY_WRITE", 2...2, pageCases) { frame, tag in
            tag.write(to: Int(frame[1]))
        },
        .always(0xA5, "A5 counter data", "INCR_CNT", 6...6, .lock, "counts up a one-way counter"),
    ]
}
