import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// The options of the commands that operate on a tag.
struct TagOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var password: TagPasswordOptions
    @OptionGroup var session: SessionOptions
}
