import NDEF
import NFCProtocol

/// Who may open the socket.
enum SocketCheck: Check {
    static let name = "socket"

    static func findings(in scene: Scene) -> [Finding] {
        let socket = scene.socket
        guard let facts = socket.facts else { return [] }
        let words = "\(socket.path.escaped): \(socket.modeWords.escaped)"
        if facts.mode & 0o002 != 0 {
            return [
                finding(
                    .warning, "\(words): everybody on this machine may open it.", "0660 lets in the group alone.",
                    mend: [scene.root("chmod 0660 \(socket.path.shellWord)")])
            ]
        }
        // Where the daemon could not be opened, that finding has said what to do.
        if case .notPermitted = scene.daemon { return [] }
        if facts.group == 0, socket.path == SocketPath.system {
            return [
                finding(
                    .note, "\(words): only root may open it.",
                    "nfcd gives it to the group \(SocketAccess.wanted) where there is one.",
                    mend: socket.makeGroup.map(scene.root))
            ]
        }
        guard let advice = socket.advice else { return [ok("\(words); you may open it.")] }
        return [finding(.warning, "\(words). \(advice.sentence)", mend: advice.mend, code: .notPermitted)]
    }
}
