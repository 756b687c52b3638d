import Testing

@Suite struct ImportScannerTests {
    @Test(
        "imports are found in every form",
        arguments: [
            ("import NDEF", ["NDEF"]),
            ("  import NDEF", ["NDEF"]),
            ("public import NDEF", ["NDEF"]),
            ("package import NDEF", ["NDEF"]),
            ("internal import NDEF", ["NDEF"]),
            ("fileprivate import NDEF", ["NDEF"]),
            ("private import NDEF", ["NDEF"]),
            ("@testable import NDEF", ["NDEF"]),
            ("@testable\nimport NDEF", ["NDEF"]),
            ("@preconcurrency public import NDEF", ["NDEF"]),
            ("@_spi(Testing) @testable package import NDEF", ["NDEF"]),
            ("@_spi(Testing)import NDEF", ["NDEF"]),
            ("import struct NDEF.Record", ["NDEF"]),
            ("import protocol NDEF.Record", ["NDEF"]),
            ("import func Glibc.read", ["Glibc"]),
            ("import Dispatch.Queue", ["Dispatch"]),
            ("import `NDEF`", ["NDEF"]),
            ("import\tNDEF", ["NDEF"]),
            ("import NDEF // why", ["NDEF"]),
            ("/* why */ import NDEF", ["NDEF"]),
            ("import NDEF; import PCSC", ["NDEF", "PCSC"]),
            ("import NDEF\r\nimport PCSC\r\n", ["NDEF", "PCSC"]),
            (
                "#if canImport(Glibc)\n    import Glibc\n#elseif canImport(Musl)\n    import Musl\n#endif",
                ["Glibc", "Musl"]
            ),
            ("let text = \"/*\"\nimport NDEF", ["NDEF"]),
            ("let text = \"\\\"/*\"\nimport NDEF", ["NDEF"]),
            ("let text = #\"\\\"#\nimport NDEF", ["NDEF"]),
            ("/* /* */ */\nimport NDEF", ["NDEF"]),
            ("let quote = #/\"/#\nimport NDEF", ["NDEF"]),
        ])
    func found(text: String, modules: [String]) {
        #expect(ImportScanner.modules(in: text) == modules)
    }

    @Test(
        "what only looks like an import is not one",
        arguments: [
            "", "// import NDEF", "/// import NDEF", "/* import NDEF */", "/*\nimport NDEF\n*/",
            "/* /* */\nimport NDEF",
            "let text = \"\"\"\n    import NDEF\n    \"\"\"",
            "let text = #\"\"\"\n    \"\"\"\n    import NDEF\n    \"\"\"#",
            "importNDEF", "important NDEF", "let imports = 1", "func `import`(NDEF: Int) {}",
            "#if canImport(NDEF)\n#endif",
        ])
    func ignored(text: String) {
        #expect(ImportScanner.modules(in: text).isEmpty)
    }
}
