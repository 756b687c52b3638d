import NDEF
import NFCTypes
import Testing

/// Contents of tags that try to look like something else, or to do something.
enum HostileTexts {
    /// A record.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let record: NDEFRecord

        var testDescription: String { name }
    }

    /// At least thirty.
    static let all: [Case] =
        texts.map { Case(name: $0, record: text($0)) } + uris.map { Case(name: $0, record: uri($0)) }

    /// Texts with controls, directions, markup and characters without a shape.
    static let texts = [
        "\u{1B}[2J\u{1B}]0;title\u{7}", "line one\nline two\r\nOpen: yes", "\u{202E}moc.elgoog",
        "\u{2066}a\u{2069}b\u{200F}",
        "<b>bold</b><img src='http://t.example/x.png'>", "<a href=\"https://evil.example\">https://bank.example</a>",
        "&lt;b&gt; &amp; <", "a\u{0}b", "\u{200B}\u{200D}\u{FEFF}zero\u{AD}width", "\u{E0041}\u{E0042}tags",
        "z\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}a",
        "\u{3164}\u{115F}filler", "\u{2028}\u{2029}separators", "\u{85}next line", String(repeating: "A", count: 5_000),
        "\u{E000}private \u{10FFFF}", "tab\tbell\u{8}back", "\u{A0}\u{3000}spaces", "$(reboot) `id`; rm -rf ~",
        "%s%n%x {0}",
    ]
    /// URIs that programs read in different ways, or that run something.
    static let uris = [
        "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<script>1</script>", "file:///etc/passwd",
        "vbscript:x", "view-source:https://a.example", "https://bank.example@evil.example/",
        "https://bank.example\\@evil.example",
        "https://evil.example\u{2044}bank.example/", "https://bank.example\u{3002}evil.example/",
        "https://a b.example/", "https:///evil.example",
        "https:evil.example", "https://", "https://[::1", "https://a.example:99999/", "https://a.example/<script>",
        "https://a.example/\u{202E}x",
        "-oProxyCommand=x", "--help", "steam://run/1", "smb://evil.example/share", "http://a.example/",
        "https://%65vil.example/",
        "https://a..example/", "https://a.example/\"onload=", "/etc/passwd", "", "ssh://-oProxyCommand=x/",
        "ms-msdt:/id", "intent://x#Intent;end",
    ]

    static func text(_ text: String) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x54], payload: [2] + Array("en\(text)".utf8))
    }
    static func uri(_ uri: String) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x55], payload: [0] + Array(uri.utf8))
    }
}
