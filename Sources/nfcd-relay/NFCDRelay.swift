import ArgumentParser
import AsyncHTTPClient
import CMosquitto
import Crypto
import NFCClient
import ServiceSupport

@main
struct NFCDRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "nfcd-relay")

    func run() async throws {
        print(mosquitto_lib_init(), SHA256.byteCount, HTTPClient.Configuration().timeout)
    }
}
