import NFCProtocol
import ServiceClient

/// Shows people that a program waits for a card, in `nfcctl monitor`.
struct CardNotices: Sendable {
    private let link: DaemonLink
    private let text: String
    private let wishes: AsyncStream<Bool>
    private let wish: AsyncStream<Bool>.Continuation

    init(_ link: DaemonLink, reader: String) {
        self.link = link
        text = "A program waits for the security key: put it on \(reader)."
        (wishes, wish) = AsyncStream.makeStream()
    }

    /// Shows or hides the notice.
    func ask(_ asks: Bool) { wish.yield(asks) }

    /// Carries out what was asked, until the task is cancelled. Where nfcd cannot be reached, nothing is shown.
    func run() async {
        var shown: String?
        for await asks in wishes {
            if let notice = shown { _ = try? await link.call(NoticesHide.self, .init(notice: notice)) }
            shown = asks ? try? await link.call(NoticesShow.self, .init(text: text)).notice : nil
        }
    }
}
