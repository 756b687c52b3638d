import Foundation
import NFCProtocol
import NFCTypes
import Testing

@testable import nfcctl

/// What nfcctl prints for programs, of texts that others have chosen.
@Suite struct `Output for programs` {
    static let texts = [
        "\u{9B}31m", "\u{85}", "\u{7F}", "\u{202E}gnp.exe", "\u{2066}x\u{2069}", "\u{200F}", "\u{61C}", "\u{2028}",
        "\u{2029}",
        "\u{1B}[2J", "\u{0}", "\u{90}q", "\u{E0041}", "\u{FEFF}", "a\u{200E}b",
    ]

    @Test(arguments: texts) func `has no character that controls a terminal`(text: String) throws {
        let line = String(decoding: try JSONLine.printable(["name": text]), as: UTF8.self)
        #expect(!line.dropLast().unicodeScalars.contains { $0.isUnprintable }, "\(line.unicodeScalars.map(\.value))")
        #expect(try JSONDecoder().decode([String: String].self, from: Data(line.utf8)) == ["name": text])
    }

    @Test(arguments: ["Grüß Gott", "日本", "é", "😀", "a\"b\\c"]) func `keeps letters of all scripts`(text: String) throws
    {
        #expect(try JSONLine.printable([text]) == JSONLine.encode([text]))
    }

    @Test(arguments: texts) func `of metrics has no such character either`(text: String) {
        let metrics = "nfcd_reader{name=\"\(text)\"} 1\nnfcd_up 1\n"
        let printed = metrics.printableMetrics
        #expect(!printed.unicodeScalars.contains { $0 != "\n" && $0.isUnprintable })
        #expect(printed.split(separator: "\n").count == 2 && printed.hasSuffix("\nnfcd_up 1\n"))
    }
}
