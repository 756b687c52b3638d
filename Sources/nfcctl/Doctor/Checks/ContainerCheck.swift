import ArgumentParser
import NDEF
import NFCProtocol

/// Checks a container or sandbox: whether a client in it reaches the nfcd of the machine, and whose rights it has there.
enum ContainerCheck: Check {
    static let name = "container"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        guard let container = snapshot.container else { return [] }
        guard snapshot.isClientContainer else { return daemon(in: container, snapshot) }
        switch snapshot.daemon {
        case .noSocket, .staleSocket: return problems(snapshot.absence, .unavailable)
        case .notPermitted: return problems(snapshot.refusal, .notPermitted)
        case .answered(let state): return client(in: container, state, snapshot)
        // The finding about the daemon says it.
        case .notAnswering, .failed: return []
        }
    }

    private static func problems(_ obstacle: Container.Obstacle?, _ code: ExitCode) -> [Finding] {
        guard let obstacle else { return [] }
        let detail =
            obstacle.fix.isEmpty || obstacle.isFixedInside ? obstacle.detail : "\(obstacle.detail) \(onMachine)"
        return [finding(.problem, obstacle.summary, detail, fix: obstacle.fix, code: code)]
    }

    private static let onMachine = "Run this on the machine, not in the container:"

    private static func client(
        in container: Container, _ state: DaemonState, _ snapshot: SystemSnapshot
    ) -> [Finding] {
        let found = [fileMount(container, snapshot), superuser(container, state, snapshot), noReader(state)]
            .compactMap(\.self)
        guard found.isEmpty else { return found }
        return [ok("This is a \(container.kind.name); the nfcd of the machine answers. Readers are checked there.")]
    }

    private static func fileMount(_ container: Container, _ snapshot: SystemSnapshot) -> Finding? {
        guard container.mountsSocket(snapshot.socket.path), let obstacle = snapshot.absence else { return nil }
        return finding(
            .warning, "\(snapshot.socket.path.printable) is mounted as a file, not with its folder.",
            "When nfcd makes a new socket, this container keeps the old one, and no program listens on it any more. \(onMachine)",
            fix: obstacle.fix)
    }

    /// A separate socket has no root: then these capabilities come from a grant.
    private static func superuser(
        _ container: Container, _ state: DaemonState, _ snapshot: SystemSnapshot
    ) -> Finding? {
        let rights = state.info.entitlements.capabilities
        guard snapshot.host.isRoot, container.keepsNumbers, !state.isSimulated, rights.contains("manage"),
            rights.contains("lock")
        else {
            return nil
        }
        return finding(
            .note, "Root in this \(container.kind.name) is root of the machine for nfcd, and may do everything.",
            "Give the container a separate socket with its own grants, or run it as another user with a user namespace: "
                + "Docs/guides/containers.md.", fix: [])
    }

    private static func noReader(_ state: DaemonState) -> Finding? {
        guard !state.hasWorkingReader else { return nil }
        return finding(
            .problem, "nfcd answers, but has no working reader.",
            "The doctor of the machine knows why. \(onMachine)", fix: ["nfcctl doctor"])
    }

    /// An nfcd in a container sees the users of the container alone.
    private static func daemon(in container: Container, _ snapshot: SystemSnapshot) -> [Finding] {
        guard !container.keepsNumbers else {
            return [ok("This is a \(container.kind.name), with the users and groups of the machine.")]
        }
        return [
            finding(
                .warning, "nfcd runs in a user namespace, in a \(container.kind.name).",
                "It sees all users from outside as one, \(Container.unmapped): they have the same rights and share the limits of "
                    + "one user, and a grant for that user is for all of them. Run nfcd on the machine, and clients in containers.",
                fix: [])
        ]
    }
}
