import Testing

@testable import nfcctl

/// What nfcctl says where there is no daemon.
@Suite struct `The advice to start nfcd` {
    private func command(
        _ path: String = "/run/nfcd/nfcd.sock", _ units: Set<String> = ["nfcd.socket", "nfcd.service"],
        booted: Bool = true, root: Bool = false
    ) -> String {
        StartAdvice(path: path, units, isBooted: booted, isRoot: root).command
    }

    @Test func `depends on what there is`() {
        #expect(command() == "sudo systemctl enable --now nfcd.socket")
        #expect(command(root: true) == "systemctl enable --now nfcd.socket")
        #expect(command("/run/nfcd/nfcd.sock", ["nfcd.service"]) == "sudo systemctl enable --now nfcd.service")
        #expect(command("/run/nfcd/nfcd.sock", []) == "sudo nfcd")
        #expect(command(booted: false) == "sudo nfcd")
        #expect(command(booted: false, root: true) == "nfcd")
        #expect(command("/run/user/1/my nfc's.sock") == #"nfcd --socket '/run/user/1/my nfc'\''s.sock'"#)
    }

    @Test func `tells how to do without a reader`() {
        let advice = StartAdvice(path: "/run/nfcd/nfcd.sock", [], isBooted: false, isRoot: true)
        #expect(
            advice.trial == ["nfcd --simulator 1 --socket /tmp/nfcd.sock &", "export NFCD_SOCKET=/tmp/nfcd.sock"])
        #expect(advice.words.contains("nfcctl doctor"))
    }

    @Test(arguments: [
        ("abc/1.2-3_4", "abc/1.2-3_4"), ("", "''"), ("a b", "'a b'"), ("$(x)", "'$(x)'"), ("ü", "'ü'"),
    ])
    func `quotes what a shell would take apart`(text: String, word: String) {
        #expect(text.shellWord == word)
    }
}
