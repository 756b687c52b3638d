import FoundationEssentials

/// What web pages need to use NFC in a browser: nfcd-web, a host manifest by which the browser starts it, and the extension.
struct WebSupport: Sendable {
    /// The configuration file.
    static let configuration = "/etc/nfcd/web.toml"

    /// The path of nfcd-web, if it is installed.
    let program: String?
    /// The result of `nfcd-web --check`; nil if it was not run.
    let checkResult: CommandResult?
    /// The browsers that are installed, or for which there is a host manifest.
    let browsers: [WebBrowser]
    /// The browsers in sandboxes, which cannot start host programs by themselves.
    let sandboxed: [SandboxedBrowser]

    init(_ files: any SystemFiles, _ host: Host) {
        program = SystemPrograms.find("nfcd-web", files, host)
        checkResult =
            files.exists(Self.configuration)
            ? program.flatMap { host.run([$0, "--check", "--config", Self.configuration]) } : nil
        browsers = WebBrowser.Kind.allCases.compactMap { WebBrowser($0, files, host) }
        sandboxed = SandboxedBrowser.installed(files, host)
    }

    /// Whether anything of nfcd-web is installed.
    var isInstalled: Bool { program != nil || browsers.contains { $0.manifest != nil || $0.hasExtension } }
}

/// A browser, and what exists of nfcd-web for it.
struct WebBrowser: Sendable {
    /// The browsers that can run the extension.
    enum Kind: CaseIterable, Sendable {
        case chromium, chrome, firefox
    }

    /// The extension's id in Chromium and Chrome; it follows from `key` in its manifest.
    static let chromiumExtension = "lnpchfbnbpebodealjjcimoekolinkho"
    /// The extension's id in Firefox.
    static let firefoxExtension = "web-nfc@nfcd"
    /// The name of the native-messaging host.
    static let host = "org.nfcd.web"

    let kind: Kind
    /// Whether the browser's program was found.
    let isInstalled: Bool
    /// The host manifest; nil if there is none.
    let manifest: HostManifest?
    /// Whether a file shows that the extension is installed.
    let hasExtension: Bool

    /// Nil if neither the browser nor a host manifest for it exists.
    init?(_ kind: Kind, _ files: any SystemFiles, _ host: Host) {
        let home = host.environment["HOME"] ?? "/root"
        self.kind = kind
        isInstalled = kind.programs.contains { SystemPrograms.find($0, files, host) != nil }
        manifest = kind.manifestFolders(home).map { "\($0)/\(Self.host).json" }.first { files.exists($0) }.map {
            HostManifest($0, for: kind, files)
        }
        guard isInstalled || manifest != nil else { return nil }
        hasExtension = kind.hasExtension(home, files)
    }
}

extension WebBrowser.Kind {
    /// The name of the browser.
    var name: String {
        switch self {
        case .chromium: "Chromium"
        case .chrome: "Google Chrome"
        case .firefox: "Firefox"
        }
    }

    /// The extension as the host manifest names it.
    var allowed: String {
        self == .firefox ? WebBrowser.firefoxExtension : "chrome-extension://\(WebBrowser.chromiumExtension)/"
    }

    /// The folder where the distribution's browser finds the extension; nil for a browser that has none.
    var systemExtension: String? {
        switch self {
        case .chromium: "/usr/share/chromium/extensions/nfcd"
        case .chrome: nil
        case .firefox:
            "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/\(WebBrowser.firefoxExtension)"
        }
    }

    /// The folder for host manifests of the whole machine.
    var systemManifests: String {
        switch self {
        case .chromium: "/etc/chromium/native-messaging-hosts"
        case .chrome: "/etc/opt/chrome/native-messaging-hosts"
        case .firefox: "/usr/lib/mozilla/native-messaging-hosts"
        }
    }

    fileprivate var programs: [String] {
        switch self {
        case .chromium: ["chromium", "chromium-browser"]
        case .chrome: ["google-chrome", "google-chrome-stable"]
        case .firefox: ["firefox", "firefox-esr"]
        }
    }

    /// The folders of host manifests; the user's takes precedence.
    fileprivate func manifestFolders(_ home: String) -> [String] {
        switch self {
        case .chromium, .chrome: ["\(profiles(home)[0])/NativeMessagingHosts", systemManifests]
        case .firefox:
            ["\(home)/.mozilla/native-messaging-hosts", systemManifests]
                + ["/usr/lib64", "/usr/share"].map { "\($0)/mozilla/native-messaging-hosts" }
        }
    }

    /// The folders that hold the profiles of a user.
    private func profiles(_ home: String) -> [String] {
        switch self {
        case .chromium: ["\(home)/.config/chromium"]
        case .chrome: ["\(home)/.config/google-chrome"]
        case .firefox: ["\(home)/.mozilla/firefox", "\(home)/.config/mozilla/firefox"]
        }
    }

    private var policies: [String] {
        switch self {
        case .chromium: ["/etc/chromium/policies/managed"]
        case .chrome: ["/etc/opt/chrome/policies/managed"]
        case .firefox: ["/etc/firefox/policies", "/etc/firefox-esr/policies"]
        }
    }

    /// Whether the system, a policy or a profile of the user has the extension.
    fileprivate func hasExtension(_ home: String, _ files: any SystemFiles) -> Bool {
        let id = self == .firefox ? WebBrowser.firefoxExtension : WebBrowser.chromiumExtension
        if let system = systemExtension {
            if files.exists("\(system)/manifest.json") || files.exists("\(system).xpi") { return true }
        }
        if policies.contains(where: { folder in
            files.names(in: folder).contains { $0.hasSuffix(".json") && files.contains(id, in: "\(folder)/\($0)") }
        }) {
            return true
        }
        // An unpacked extension is only in the profile's list.
        let traces =
            self == .firefox
            ? ["extensions/\(id)", "extensions/\(id).xpi"] : ["Extensions/\(id)", "Local Extension Settings/\(id)"]
        let lists = self == .firefox ? ["extensions.json"] : ["Preferences", "Secure Preferences"]
        return profiles(home).flatMap { folder in files.names(in: folder).map { "\(folder)/\($0)" } }.contains {
            profile in
            traces.contains { files.exists("\(profile)/\($0)") }
                || lists.contains { files.contains(id, in: "\(profile)/\($0)") }
        }
    }
}

/// The file by which a browser finds nfcd-web.
struct HostManifest: Sendable {
    /// Why the browser cannot start nfcd-web by it.
    enum Fault: Sendable, Equatable {
        /// The user may not read it.
        case closed
        /// It is not a JSON object, or lacks a member.
        case invalid
        /// It describes another host.
        case wrongName(String)
        /// The program does not exist, or may not be executed.
        case noProgram(String)
        /// It does not allow nfcd's extension.
        case notAllowed
    }

    let path: String
    let fault: Fault?

    fileprivate init(_ path: String, for kind: WebBrowser.Kind, _ files: any SystemFiles) {
        self.path = path
        fault = Self.fault(path, kind, files)
    }

    private static func fault(_ path: String, _ kind: WebBrowser.Kind, _ files: any SystemFiles) -> Fault? {
        guard let bytes = files.bytes(path, limit: 65_536) else { return .closed }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.type == "stdio" else {
            return .invalid
        }
        guard content.name == WebBrowser.host else { return .wrongName(content.name) }
        guard content.path.hasPrefix("/"), files.canRun(content.path) else { return .noProgram(content.path) }
        let allowed = kind == .firefox ? content.allowedExtensions : content.allowedOrigins
        return allowed?.contains(kind.allowed) == true ? nil : .notAllowed
    }

    private struct Content: Decodable {
        let name: String
        let path: String
        let type: String
        let allowedOrigins: [String]?
        let allowedExtensions: [String]?

        private enum CodingKeys: String, CodingKey {
            case name, path, type
            case allowedOrigins = "allowed_origins"
            case allowedExtensions = "allowed_extensions"
        }
    }
}
