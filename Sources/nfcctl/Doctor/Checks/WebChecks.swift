import NDEF
import NFCProtocol
import NFCTypes

/// Checks nfcd-web, with which web pages use NFC in Chromium, Google Chrome and Firefox.
enum WebCheck: Check {
    static let name = "web"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let web = snapshot.web
        guard !web.browsers.isEmpty || !web.sandboxed.isEmpty || web.program != nil else { return [] }
        guard web.isInstalled else {
            return [
                ok(
                    "nfcd-web is not installed: web pages cannot use NFC.",
                    "To let pages use NDEFReader, install the package nfcd-web.")
            ]
        }
        let faults = program(snapshot) + configuration(snapshot) + web.browsers.flatMap { browser($0, snapshot) }
        let found = faults + user(snapshot) + lock(snapshot) + web.sandboxed.map(sandboxed)
        guard faults.isEmpty, !web.browsers.isEmpty else { return found }
        let names = web.browsers.filter { $0.isInstalled && $0.hasExtension }.map(\.kind.name)
        guard !names.isEmpty else { return found }
        return [ok("Web pages can use NFC in \(names.joined(separator: " and ")).")] + found
    }

    private static func program(_ snapshot: SystemSnapshot) -> [Finding] {
        guard snapshot.web.program == nil else { return [] }
        return [
            finding(
                .warning, "nfcd-web is not installed, but browsers are set up for it.", fix: [reinstall(snapshot)])
        ]
    }

    private static func configuration(_ snapshot: SystemSnapshot) -> [Finding] {
        guard let result = snapshot.web.checkResult, result.status == 78 else { return [] }
        let line = String(result.output.prefix { !$0.isNewline })
        let path = WebSupport.configuration
        return [
            finding(
                .warning, "\(path) is invalid; nfcd-web does not start with it.",
                (line.hasPrefix("nfcd-web: ") ? String(line.dropFirst(10)) : line).printable,
                fix: [snapshot.asRoot("${EDITOR:-nano} \(path)"), "nfcd-web --check"], code: .configuration)
        ]
    }

    private static func reinstall(_ snapshot: SystemSnapshot) -> String {
        snapshot.asRoot("apt-get install --reinstall -o Dpkg::Options::=--force-confmiss nfcd-web")
    }

    // MARK: Browsers

    private static func browser(_ browser: WebBrowser, _ snapshot: SystemSnapshot) -> [Finding] {
        guard snapshot.web.program != nil, browser.isInstalled else { return [] }
        return [manifest(browser, snapshot), installation(browser)].compactMap(\.self)
    }

    private static func manifest(_ browser: WebBrowser, _ snapshot: SystemSnapshot) -> Finding? {
        guard let manifest = browser.manifest else {
            return finding(
                .warning,
                "\(browser.kind.name) has no host manifest \(WebBrowser.host).json: it cannot start nfcd-web.",
                "The package installs it in \(browser.kind.systemManifests).", fix: [reinstall(snapshot)])
        }
        guard let fault = manifest.fault else { return nil }
        let path = manifest.path.printable
        // A file of the user takes precedence over the package's.
        let isSystem = path.hasPrefix("/etc/") || path.hasPrefix("/usr/")
        let fix =
            isSystem ? [snapshot.asRoot("rm \(path.shellQuoted)"), reinstall(snapshot)] : ["rm \(path.shellQuoted)"]
        let summary = "\(browser.kind.name) cannot start nfcd-web by \(path):"
        switch fault {
        case .closed:
            return finding(
                .warning, "\(summary) you may not read it.", fix: [snapshot.asRoot("chmod 0644 \(path.shellQuoted)")])
        case .invalid:
            return finding(
                .warning, "\(summary) it is not a valid host manifest.",
                "It is a JSON object with name, description, path, type and the extensions that it allows.", fix: fix)
        case .wrongName(let name):
            return finding(
                .warning, "\(summary) its name is \"\(name.printable)\".", "It has to be \(WebBrowser.host).", fix: fix)
        case .noProgram(let program):
            return finding(
                .warning, "\(summary) \(program.printable) is not a program that you may execute.",
                "The path has to be absolute: \(snapshot.web.program?.printable ?? "").", fix: fix)
        case .notAllowed:
            return finding(
                .warning, "\(summary) it does not allow nfcd's extension.",
                "\(browser.kind == .firefox ? "allowed_extensions" : "allowed_origins") has to contain "
                    + "\(browser.kind.allowed).", fix: fix)
        }
    }

    private static func installation(_ browser: WebBrowser) -> Finding? {
        guard !browser.hasExtension else { return nil }
        let summary = "\(browser.kind.name) does not have nfcd's extension, as far as its files show."
        guard let folder = browser.kind.systemExtension else {
            return finding(
                .note, summary,
                "Open chrome://extensions, switch on developer mode, and load /usr/share/webext/nfcd/chromium; or install "
                    + "it by a policy (Docs/guides/web-kiosk.md).", fix: [])
        }
        return finding(
            .note, summary,
            "The browsers of Debian find it in \(folder), which the package nfcd-web installs. Start the browser again after "
                + "that. For others, Docs/guides/web-kiosk.md has policies.", fix: [])
    }

    private static func sandboxed(_ browser: SandboxedBrowser) -> Finding {
        let advice =
            switch (browser.sandbox, browser.name) {
            case (.snap, "firefox"):
                "Ubuntu's desktop portal can start it, and asks you once. Where it does not ask, install Firefox as a package "
                    + "of the distribution or of Mozilla."
            default: "Install the browser as a package of the distribution or of its maker."
            }
        return finding(
            .note,
            "\(browser.name) is a \(browser.sandbox == .snap ? "snap" : "flatpak"): it cannot start nfcd-web itself.",
            advice, fix: [])
    }

    // MARK: The user

    /// The user who called sudo(8): that user runs the browser. The check of the socket examines the caller.
    private static func user(_ snapshot: SystemSnapshot) -> [Finding] {
        if let advice = snapshot.socket.advice, snapshot.socket.attributes != nil {
            return [
                finding(
                    .warning,
                    "Browsers that you start may not use nfcd, so pages get NotReadableError. \(advice.reason)",
                    fix: advice.fix)
            ]
        }
        guard snapshot.host.isRoot, let socket = snapshot.socket.attributes, socket.mode & 0o006 != 0o006,
            let user = snapshot.host.environment["SUDO_UID"].flatMap({ UInt32($0) }), user != 0, user != socket.user,
            let account = snapshot.accounts.user(user), !snapshot.accounts.isMember(user, of: socket.group)
        else { return [] }
        let group = snapshot.accounts.group(socket.group)?.name ?? SocketAccess.expectedGroup
        return [
            finding(
                .warning, "\(account.name.printable) is not a member of the group \(group.printable).",
                "Browsers of this user may not use nfcd. After the command, log in again.",
                fix: ["usermod -aG \(group.shellQuoted) \(account.name.shellQuoted)"])
        ]
    }

    /// Root may do everything, and runs no browser.
    private static func lock(_ snapshot: SystemSnapshot) -> [Finding] {
        guard !snapshot.host.isRoot, let capabilities = snapshot.daemon.state?.info.entitlements.capabilities,
            !capabilities.contains("lock")
        else { return [] }
        return [
            finding(
                .note, "Pages cannot make tags read-only: you are not granted the capability lock.",
                "That is the default. makeReadOnly() is refused with NotReadableError. If pages need it, add lock to a "
                    + "[[grant]] in /etc/nfcd/nfcd.toml.", fix: [])
        ]
    }
}
