import Foundation
import Testing

@testable import nfcctl

/// The files and commands of the guide about kiosks, as far as they can be checked without a browser and without root.
@Suite(.timeLimit(.minutes(20)))
struct `The guide about kiosks` {
    private static let page = "Docs/guides/web-kiosk.md"
    /// The id of an extension that was signed with another key.
    private static let otherExtension = "abcdefghijklmnopabcdefghijklmnop"

    /// Commands that need root, a browser or a session: the programs that the guide may use for them.
    private static let needMore: Set<String> = [
        "apt", "cd", "chromium", "cp", "install", "journalctl", "mkdir", "nfcd", "openssl", "python3", "systemctl",
        "useradd",
    ]

    /// The lines of the blocks without a language.
    private static func lines() throws -> [String] {
        try Document(page).blocks("").joined().split(separator: "\n").map(String.init)
    }

    @Test func `is valid for a shell, and uses only programs that are known`() async throws {
        let lines = try Self.lines()
        #expect(lines.count >= 12)
        let finished = try await run(["/bin/bash", "-n"], input: lines.joined(separator: "\n"))
        #expect(finished.status == 0 && finished.errors.isEmpty, "\(finished.errors)")
        let ours: Set = ["nfcctl", "nfcd-web"]
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            let sudo = words.starts(with: ["sudo", "-u", "kiosk"]) ? 3 : words.first == "sudo" ? 1 : 0
            let program = words.dropFirst(sudo).first ?? ""
            #expect(Self.needMore.contains(program) || ours.contains(program), "\(line)")
        }
    }

    @Test func `has the id of the extension as the doctor expects it`() throws {
        let chromium = try #require(try Document(Self.page).blocks("json").first)
        let policy = try Self.object(chromium)
        let settings = try #require(policy["3rdparty"] as? [String: [String: [String: [String]]]])
        #expect(
            settings == ["extensions": [WebBrowser.chromiumExtension: ["origins": ["https://kiosk.example"]]]])
    }

    @Test func `has the id that follows from the extension's key`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let printed = try await run([Repository.script("products/web-extension"), "--id"])
        #expect(printed.output == [WebBrowser.chromiumExtension], "\(printed.errors)")
    }

    @Test func `has a configuration and a call that nfcd-web accepts`() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("web.toml", try #require(try Document(Self.page).blocks("toml").first))
        #expect(try Self.lines().contains("nfcd-web --check"))
        let finished = try await run([Programs.web, "--check", "--config", file])
        #expect(finished.status == 0, "\(finished.errors)")
    }

    @Test func `has policies of Firefox that grant the origin`() throws {
        let blocks = try Document(Self.page).blocks("json")
        #expect(blocks.count == 4)
        for block in [blocks[1], blocks[3]] {
            let policies = try #require(try Self.object(block)["policies"] as? [String: Any])
            let settings = try #require(policies["3rdparty"] as? [String: [String: [String: [String]]]])
            #expect(settings == ["Extensions": [WebBrowser.firefoxExtension: ["origins": ["https://kiosk.example"]]]])
        }
        let policies = try #require(try Self.object(blocks[3])["policies"] as? [String: Any])
        let installs = try #require(policies["ExtensionSettings"] as? [String: [String: String]])
        #expect(installs[WebBrowser.firefoxExtension]?["install_url"] == "file:///opt/kiosk/web-nfc.xpi")
    }

    @Test func `installs the same extension in Chrome as it grants`() throws {
        let policy = try Self.object(try Document(Self.page).blocks("json")[2])
        let other = Self.otherExtension
        #expect(policy["ExtensionInstallForcelist"] as? [String] == ["\(other);file:///opt/kiosk/update.xml"])
        let settings = try #require(policy["3rdparty"] as? [String: [String: [String: [String]]]])
        #expect(settings == ["extensions": [other: ["origins": ["https://kiosk.example"]]]])
        let update = try #require(try Document(Self.page).blocks("xml").first)
        #expect(update.contains("appid=\"\(other)\"") && update.contains("file:///opt/kiosk/web-nfc.crx"))
        let manifest = try Self.object(
            try String(contentsOf: Repository.file("Clients/web-extension/manifest.json"), encoding: .utf8))
        #expect(update.contains("version=\"\(try #require(manifest["version"] as? String))\""))
        let configuration = try Document(Self.page).blocks("toml")
        #expect(configuration.count == 2)
        #expect(configuration[0].contains("\"chrome-extension://\(other)/\""))
    }

    @Test func `has grants that nfcd accepts`() async throws {
        let grants = try #require(try Document(Self.page).blocks("toml").last)
        let scratch = try Scratch()
        // Another machine has no user kiosk; a number need not belong to an account.
        let file = try scratch.file("nfcd.toml", grants.replacing("user = \"kiosk\"", with: "user = 4242"))
        let finished = try await run([Programs.nfcd, "--check", "--config", file])
        #expect(finished.status == 0, "\(finished.errors)")
    }

    @Test func `has units that systemd accepts`() async throws {
        guard try await Programs.found(["systemd-analyze"]) else { return }
        let units = try Document(Self.page).blocks("ini")
        #expect(units.count == 2)
        for unit in units {
            let scratch = try Scratch()
            let folder = "\(scratch.path)/usr/lib/systemd/system"
            for path in [folder, "\(scratch.path)/usr/bin"] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            for program in ["cage", "chromium"] {
                chmod(try scratch.file("usr/bin/\(program)", "#!/bin/sh\n"), 0o755)
            }
            _ = try scratch.file("usr/lib/systemd/system/kiosk.service", unit)
            _ = try scratch.file(
                "usr/lib/systemd/system/nfcd.socket", "[Socket]\nListenStream=/run/nfcd/nfcd.sock\nAccept=yes\n")
            _ = try scratch.file("usr/lib/systemd/system/nfcd@.service", "[Service]\nExecStart=/usr/bin/cage\n")
            for name in ["sysinit", "sockets", "basic", "graphical", "shutdown", "graphical-session"] {
                _ = try scratch.file(
                    "usr/lib/systemd/system/\(name).target", "[Unit]\nDescription=\(name)\n")
            }
            let finished = try await run([
                "systemd-analyze", "verify", "--man=no", "--root=\(scratch.path)", "kiosk.service",
            ])
            #expect(finished.status == 0)
            #expect(finished.output + finished.errors == [])
        }
    }

    @Test func `has commands that pack the extension for both browsers, readable by everyone`() async throws {
        guard try await Programs.found(["chromium", "openssl", "python3"]) else { return }
        let blocks = try Document(Self.page).blocks("").filter { $0.hasPrefix("sudo mkdir -p /opt/kiosk") }
        try #require(blocks.count == 2)
        let scratch = try Scratch()
        var printed: [String] = []
        for (browser, block) in zip(["chromium", "firefox"], blocks) {
            let made = try await run([
                Repository.script("products/web-extension"), browser, "\(scratch.path)/share/\(browser)",
            ])
            #expect(made.status == 0, "\(made.errors)")
            let commands = block.replacing("/usr/share/webext/nfcd", with: "\(scratch.path)/share")
                .replacing("/opt/kiosk", with: "\(scratch.path)/kiosk")
            let finished = try await run([
                "bash", "-c",
                """
                set -eu
                sudo() { "$@"; }
                chromium() { command chromium --no-sandbox --user-data-dir=\(scratch.path)/profile "$@"; }
                cd \(scratch.path)
                \(commands)
                echo
                """,
            ])
            #expect(finished.status == 0, "\(browser): \(finished.errors)")
            printed += finished.output
        }
        #expect(printed.contains { $0.wholeMatch(of: /[a-p]{32}/) != nil }, "\(printed)")
        let packed = try Data(contentsOf: URL(filePath: "\(scratch.path)/kiosk/web-nfc.crx"))
        #expect(packed.starts(with: Array("Cr24".utf8)))
        for file in ["web-nfc.crx", "web-nfc.xpi"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(scratch.path)/kiosk/\(file)")
            #expect(attributes[.posixPermissions] as? Int == 0o644, "\(file)")
        }
        let listed = try await run(["python3", "-m", "zipfile", "-l", "\(scratch.path)/kiosk/web-nfc.xpi"])
        #expect(listed.output.contains { $0.hasPrefix("manifest.json ") }, "\(listed.output)")
    }

    private static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}
