import NFCProtocol
import Testing

@testable import nfcctl

extension DoctorScenario {
    static let web = webBrowsers + webManifests + webUsers

    private static let check = "web"

    private static let webBrowsers = [
        DoctorScenario("a browser without nfcd-web", check, .ok, "nfcd-web is not installed", fix: nil) {
            $0.programs.insert("/usr/bin/chromium")
        },
        DoctorScenario("a snap without nfcd-web", check, .ok, "nfcd-web is not installed", fix: nil) {
            $0.files["/snap/firefox/current/meta/snap.yaml"] = "name: firefox\n"
        },
        DoctorScenario("browsers with nfcd-web", check, .ok, "in Chromium and Firefox", fix: nil) { $0.installWeb() },
        DoctorScenario("a Chrome without the extension", check, .note, "Google Chrome does not have", fix: nil) {
            $0.installWeb()
            $0.programs.insert("/usr/bin/google-chrome-stable")
        },
        DoctorScenario("a Firefox without the extension", check, .note, "Firefox does not have", fix: nil) {
            $0.installWeb()
            $0.files["\(FakeSystem.firefoxExtension)/manifest.json"] = nil
        },
        DoctorScenario("an invalid web.toml", check, .warning, "web.toml is invalid", fix: "nfcd-web --check") {
            $0.installWeb()
            $0.files["/etc/nfcd/web.toml"] = ""
            $0.answers["nfcd-web"] = CommandResult(
                status: 78, output: "nfcd-web: /etc/nfcd/web.toml:3: browser.extension: unknown key\n")
        },
        DoctorScenario("Firefox in a snap", check, .note, "firefox is a snap", fix: nil) {
            $0.installWeb()
            $0.files["/snap/firefox/current/meta/snap.yaml"] = "name: firefox\n"
        },
        DoctorScenario("Chromium in a flatpak", check, .note, "org.chromium.Chromium is a flatpak", fix: nil) {
            $0.installWeb()
            $0.files["/var/lib/flatpak/app/org.chromium.Chromium/current/active/metadata"] = "[Context]\ndevices=all;\n"
        },
    ]

    private static let webManifests = [
        DoctorScenario("a browser without a manifest", check, .warning, "has no host manifest", fix: "--reinstall") {
            $0.installWeb()
            $0.files[FakeSystem.chromiumManifest] = nil
        },
        DoctorScenario("a manifest without nfcd-web", check, .warning, "nfcd-web is not installed", fix: "--reinstall")
        {
            $0.installWeb()
            $0.programs.remove("/usr/bin/nfcd-web")
        },
        DoctorScenario("a manifest that is not JSON", check, .warning, "not a valid host manifest", fix: "sudo rm /etc")
        {
            $0.installWeb()
            $0.files[FakeSystem.chromiumManifest] = "{\"name\": \"org.nfcd.web\""
        },
        DoctorScenario("a manifest of another host", check, .warning, "its name is \"org.nfcd\"", fix: "--reinstall") {
            $0.installWeb()
            $0.files[FakeSystem.chromiumManifest] = FakeSystem.manifest(name: "org.nfcd")
        },
        DoctorScenario(
            "a user's manifest of an old program", check, .warning, "not a program that you", fix: "rm /srv/ada"
        ) {
            $0.installWeb()
            $0.files["/srv/ada/.config/chromium/NativeMessagingHosts/org.nfcd.web.json"] = FakeSystem.manifest(
                path: "/usr/local/bin/nfcd-web")
        },
        DoctorScenario("a manifest for another extension", check, .warning, "does not allow", fix: "--reinstall") {
            $0.installWeb()
            $0.files[FakeSystem.firefoxManifest] = FakeSystem.manifest()
        },
        DoctorScenario("a manifest that is closed", check, .warning, "you may not read it", fix: "chmod 0644") {
            $0.installWeb()
            $0.closed = [FakeSystem.chromiumManifest]
        },
    ]

    private static let webUsers = [
        DoctorScenario(
            "a user without the group, and a browser", check, .warning, "may not use nfcd", fix: nil
        ) {
            $0.installWeb()
            ($0.groups, $0.files["/etc/group"]) = ([71_234], "nfc:x:\(FakeSystem.nfc):\n")
        },
        DoctorScenario(
            "a user without the group, with sudo", check, .warning, "ada is not a member", fix: "usermod -aG"
        ) {
            $0.installWeb()
            ($0.user, $0.environment["SUDO_UID"]) = (0, "71234")
            $0.files["/etc/group"] = "nfc:x:\(FakeSystem.nfc):\n"
        },
        DoctorScenario("a user without the grant lock", check, .note, "cannot make tags read-only", fix: nil) {
            $0.installWeb()
        },
    ]
}

extension FakeSystem {
    fileprivate static let chromiumManifest = "/etc/chromium/native-messaging-hosts/org.nfcd.web.json"
    fileprivate static let firefoxManifest = "/usr/lib/mozilla/native-messaging-hosts/org.nfcd.web.json"
    fileprivate static let chromeManifest = "/etc/opt/chrome/native-messaging-hosts/org.nfcd.web.json"
    fileprivate static let firefoxExtension =
        "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/web-nfc@nfcd"

    /// A host manifest for Chromium.
    fileprivate static func manifest(
        name: String = "org.nfcd.web", path: String = "/usr/bin/nfcd-web",
        allowed: String = #""allowed_origins": ["chrome-extension://lnpchfbnbpebodealjjcimoekolinkho/"]"#
    ) -> String {
        #"{"name": "\#(name)", "description": "d", "path": "\#(path)", "type": "stdio", \#(allowed)}"#
    }

    /// Installs Chromium and Firefox, and nfcd-web for them and for Chrome.
    fileprivate mutating func installWeb() {
        programs.formUnion(["/usr/bin/nfcd-web", "/usr/bin/chromium", "/usr/bin/firefox-esr"])
        files[Self.chromiumManifest] = Self.manifest()
        files[Self.chromeManifest] = Self.manifest()
        files[Self.firefoxManifest] = Self.manifest(allowed: #""allowed_extensions": ["web-nfc@nfcd"]"#)
        files["/usr/share/chromium/extensions/nfcd/manifest.json"] = "{}"
        files["\(Self.firefoxExtension)/manifest.json"] = "{}"
    }
}

/// What the doctor reports of browsers.
@Suite struct `The doctor of web pages` {
    private func findings(_ change: (inout FakeSystem) -> Void = { _ in }) -> [Finding] {
        var system = FakeSystem()
        system.installWeb()
        change(&system)
        return Doctor(system.snapshot()).findings.filter { $0.check == "web" }
    }

    @Test func `reports nothing without a browser and a manifest`() {
        #expect(!Doctor(FakeSystem().snapshot()).findings.contains { $0.check == "web" })
    }

    @Test func `finds no fault with what the package installs`() {
        #expect(findings().allSatisfy { $0.verdict <= .note }, "\(findings())")
    }

    @Test func `does not mention a browser that is not installed`() {
        let found = findings {
            $0.files[FakeSystem.chromeManifest] = "{"
            $0.programs.remove("/usr/bin/firefox-esr")
        }
        #expect(!found.contains { ($0.summary + $0.detail).contains("Chrome ") || $0.summary.contains("Firefox") })
    }

    @Test func `does not mention the capability lock to root, or to those who have it`() {
        func mentionsLock(_ found: [Finding]) -> Bool { found.contains { $0.summary.contains("lock") } }
        #expect(mentionsLock(findings()))
        #expect(!mentionsLock(findings { $0.user = 0 }))
        #expect(!mentionsLock(findings { $0.grantLock() }))
    }

    /// Policies, profiles and the distribution's folders show that the extension is installed.
    @Test(arguments: [
        "/etc/opt/chrome/policies/managed/nfc.json", "/srv/ada/.config/google-chrome/Default/Secure Preferences",
        "/srv/ada/.config/google-chrome/Profile 1/Extensions/lnpchfbnbpebodealjjcimoekolinkho/0.1.0_0/manifest.json",
    ])
    func `finds the extension in Chrome`(path: String) throws {
        let found = findings {
            $0.programs.insert("/opt/bin/google-chrome")
            $0.environment["PATH"] = "/opt/bin"
            $0.files[path] = #"{"lnpchfbnbpebodealjjcimoekolinkho": {}}"#
        }
        #expect(found.first?.summary == "Web pages can use NFC in Chromium and Google Chrome and Firefox.")
    }

    @Test(arguments: [
        "/etc/firefox/policies/policies.json", "/srv/ada/.mozilla/firefox/x.default/extensions/web-nfc@nfcd.xpi",
        "/srv/ada/.mozilla/firefox/x.default/extensions.json", "\(FakeSystem.firefoxExtension).xpi",
    ])
    func `finds the extension in Firefox`(path: String) throws {
        let found = findings {
            $0.files["\(FakeSystem.firefoxExtension)/manifest.json"] = nil
            $0.files[path] = #"{"web-nfc@nfcd": {}}"#
        }
        #expect(found.first?.summary == "Web pages can use NFC in Chromium and Firefox.")
    }

    @Test func `accepts any content of the files that it reads`() {
        for content in `The doctor with invalid files`.junk.map(\.content) {
            let found = findings { system in
                for path in system.files.keys { system.files[path] = content }
                system.answers["nfcd-web"] = CommandResult(status: 78, output: content)
            }
            #expect(!found.isEmpty)
            #expect(found.allSatisfy { !($0.summary + $0.detail).contains("\u{1B}") })
        }
    }
}

extension FakeSystem {
    /// Grants the capability lock.
    fileprivate mutating func grantLock() {
        guard case .answered(let state) = daemon else { return }
        var info = state.info
        info.entitlements.capabilities = ["read", "write", "lock"]
        daemon = .answered(DaemonState(info: info, readers: state.readers, journal: state.journal))
    }
}
