import ArgumentParser
import Testing

@testable import nfcd_fido

@Suite struct `The command line of nfcd-fido` {
    @Test func `its name is that of the program`() {
        #expect(NFCDFIDO.configuration.commandName == "nfcd-fido")
    }
}
