import Logging
import NFCReaders
import NFCSessions
import Testing

@testable import NFCServer

@Suite struct `The requirements of methods` {
    static let server = NFCServer(
        socket: "/nonexistent", coordinator: SessionCoordinator(driver: SimulatedDriver(readers: 0), logger: .silent),
        logger: .silent)

    @Test func `are known of every method there is`() {
        let unknown = Self.server.methodNames.filter { Requirement.of($0) == nil }
        #expect(unknown.isEmpty, "Requirement.swift does not have \(unknown.sorted())")
        #expect(Self.server.methodNames.count > 20)
    }

    @Test(arguments: [
        ("tag.readNDEF", Entitlements.Capability.read), ("tag.queryNDEFStatus", .read), ("tag.describe", .read),
        ("tag.dump", .read), ("tag.writeNDEF", .write), ("tag.format", .format), ("tag.writeLock", .lock),
        ("tag.authenticate", .raw), ("iso7816.sendCommand", .raw), ("miFare.sendCommand", .raw),
        ("miFare.sendISO7816Command", .raw), ("miFareClassic.writeBlock", .raw), ("feliCa.sendCommand", .raw),
        ("iso15693.sendRequest", .raw), ("background.subscribe", .background), ("events.subscribe", .monitor),
        ("sessions.list", .monitor), ("server.metrics", .monitor), ("sessions.cancel", .manage),
        ("simulator.present", .simulate),
    ])
    func `are a capability for what touches tags or others`(method: String, capability: Entitlements.Capability) {
        #expect(Requirement.of(method) == .capability(capability))
    }

    @Test(arguments: ["server.info", "readers.list", "rpc.discover", "$/cancelRequest", "tag.cancelCommands"])
    func `are nothing for what is harmless`(method: String) {
        #expect(Requirement.of(method) == .nothing)
    }

    @Test(arguments: ["tag.explode", "", ".", "server.shutdown", "iso7816x.sendCommand", "sessions."])
    func `are not made up for a method that nobody has listed`(method: String) {
        #expect(Requirement.of(method) == nil)
        #expect(throws: (any Error).self) {
            try AccessPolicy().check(nil, of: method, for: Principal(userID: 0, groupIDs: []))
        }
    }
}
