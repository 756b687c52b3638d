"""The recipes of CONTRIBUTING.md, as changes that a script carries out in a copy of the sources.

Each has the hand-written source files that it may take, the changes, and commands of nfcctl whose output shows that the new thing works.
All of them are about things that do not exist: a chip, a reader, a method, a record and a command called "trial".
"""

import re
import textwrap


class New:
    """A new file."""

    def __init__(self, path, text):
        self.path = path
        self.text = textwrap.dedent(text).lstrip("\n")

    def apply(self, root):
        path = root / self.path
        if path.exists():
            raise SystemExit(f"check-recipes: {self.path} exists already")
        path.write_text(self.text)


class Insert:
    """Lines that are inserted before or behind the only line that matches a pattern."""

    def __init__(self, path, pattern, text, *, behind=False):
        self.path = path
        self.pattern = pattern
        lines = textwrap.dedent(text).strip("\n") if text.startswith("\n") else text
        self.text = lines.split("\n")
        self.behind = behind

    def apply(self, root):
        path = root / self.path
        lines = path.read_text().split("\n")
        places = [number for number, line in enumerate(lines) if re.search(self.pattern, line)]
        if len(places) != 1:
            raise SystemExit(f"check-recipes: {self.path} has {len(places)} lines that match {self.pattern!r}, not 1")
        number = places[0] + self.behind
        indentation = re.match(r" *", lines[places[0]]).group(0)
        lines[number:number] = [indentation + line if line else line for line in self.text]
        path.write_text("\n".join(lines))


class Recipe:
    """A section of CONTRIBUTING.md."""

    def __init__(self, section, limit, edits, checks, *, model=None, tag=None):
        self.section = section
        self.limit = limit
        self.edits = edits
        # Arguments of nfcctl with its input and a pattern of its output.
        self.checks = checks
        # The simulated reader, and the virtual tag on it.
        self.model = model
        self.tag = tag

    @property
    def files(self):
        return list(dict.fromkeys(edit.path for edit in self.edits))


PRODUCT = Recipe(
    "A Type 2 product", 3,
    [
        Insert("Sources/NFCTags/Type2/Type2Product.swift", r"^    /// NTAG212\.$", """
            /// Trial: an NTAG210 of another storage size.
            public static let trial = nxp(
                "Trial", .init(type: 4, subtypes: [1], major: 1, storage: 0x0C), pages: 24, user: 64)
            """),
        Insert("Sources/NFCTags/Type2/Type2Product.swift", r"^    public static let all = \[$", "    trial,", behind=True),
        Insert("Sources/VirtualTags/Tags/VirtualType2Product.swift", r"^    /// NTAG212", """
            /// Trial.
            public static let trial = ntag(
                "Trial", subtype: 0x01, pageCount: 24, dataAreaSize: 64, storage: 0x0C,
                features: [.version, .password, .mirror])
            """),
        Insert(
            "Sources/VirtualTags/Tags/VirtualType2Product.swift", r"^    public static let all: \[VirtualType2Product\] = \[$",
            "    trial,", behind=True),
        Insert(
            "Sources/VirtualTags/VirtualTagModel.swift", r"^    private static let type2 = \[$",
            '    Self("trial", VirtualType2Product.trial, "Trial, 64 bytes"),', behind=True),
    ],
    [
        (["info"], "", r"Trial"),
        (["write", "--uri", "https://a.b"], "", r"[Ww]r[io]t"),
        (["read"], "", r"https://a\.b"),
    ], model="acr122u", tag="trial")

READER = Recipe(
    "A reader family", 3,
    [
        New("Sources/NFCTags/Readers/Trial.swift", """
            extension ReaderProfile {
                /// Trial.
                public static let trial = ReaderProfile(
                    slug: "trial", name: "Trial Reader", usbProducts: [0x1209: [0x0001]], readerNames: ["TRIAL READER"],
                    native: { OmnikeyChannel(channel: $0) })
            }
            """),
        Insert("Sources/NFCTags/Readers/ReaderProfile.swift", r"^    public static let all = \[$", "    trial,", behind=True),
        Insert(
            "Sources/VirtualTags/Readers/VirtualReaderModel.swift",
            r"^    public static let all: \[VirtualReaderModel\] = \[$", "    trial,", behind=True),
        Insert("Sources/VirtualTags/Readers/VirtualReaderModel.swift", r"^    private static let generic = VirtualReaderModel\(", """
            private static let trial = VirtualReaderModel(
                name: "trial", description: "Trial: frames in FF A0 00 05", readerName: "Trial Reader",
                settings: .init(passThrough: .omnikey), sees: typeA)

            """),
    ],
    [
        (["readers"], "", r"Simulated TRIAL 0"),
        (["info"], "", r"NTAG213"),
    ], model="trial", tag="ntag213")

METHOD = Recipe(
    "A method of the socket", 4,
    [
        Insert("Sources/NFCProtocol/Methods/TagContentMethods.swift", r"^/// Reads all readable memory of a tag\.$", """
            /// Returns a number of trial times a factor.
            public enum TagTrial: TagMethod {
                public static let name = "tag.trial"
                public static let requirement = Requirement.capability(.read)

                public struct Arguments: Codable, Sendable, Hashable {
                    /// The factor.
                    public var factor: Int
                }

                public struct Result: Codable, Sendable, Hashable {
                    /// The number.
                    public var number: Int
                }
            }

            """),
        Insert("Sources/NFCServer/TagActions/ContentActions.swift", r"^extension TagDumpMemory: TagAction \{$", """
            extension TagTrial: TagAction {
                static func perform(
                    _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
                ) async throws(TagError) -> Result {
                    Result(number: try await tag.driver().trialNumber() * arguments.factor)
                }
            }

            """),
        Insert("Sources/NFCTags/NDEFTag.swift", r"^    /// Describes the tag: product, maker", """
            /// A number for trials.
            func trialNumber() async throws(TagError) -> Int

            """),
        Insert("Sources/NFCTags/NDEFTag.swift", r"^    /// Most tags do not support a password\.$", """
            /// Most tags have no number for trials.
            public func trialNumber() async throws(TagError) -> Int {
                throw TagError(.unsupportedFeature, "tags of this type have no number for trials")
            }

            """),
        Insert("Sources/NFCTags/Type2/Type2Tag.swift", r"^extension Type2Tag: SettableTag \{$", """
            extension Type2Tag {
                /// A number for trials.
                public func trialNumber() async throws(TagError) -> Int { 21 }
            }

            """),
    ],
    [
        (["--python", "tag.trial(2)"], "", r"^42$"),
        (["--javascript", "tag.trial(2)"], "", r"^42$"),
        (["--swift", "func trial(_ factor: Int) async throws -> Int"], "", r"^found$"),
    ], tag="ntag213")

RECORD = Recipe(
    "An NDEF record type", 2,
    [
        New("Sources/NDEF/Records/TrialRecord.swift", """
            /// A record for trials: external type `example.com:trial`. The payload is a text in UTF-8.
            public struct TrialRecord: NDEFTypedPayload {
                /// The text.
                public let words: String

                /// External type `example.com:trial`.
                public static let recordTypes = [NDEFRecordType.external("example.com:trial")]
                /// `trial`.
                public static let kind = "trial"

                /// Decodes a payload.
                public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
                    words = String(decoding: payload, as: UTF8.self)
                }

                /// The text in UTF-8.
                public var payload: [UInt8] { Array(words.utf8) }

                /// The text.
                public var description: String { "Trial \\(words.escaped)" }

                private enum CodingKeys: String, CodingKey, CaseIterable {
                    case words
                }
            }

            extension TrialRecord: JSONDescribed {
                package static var jsonSummary: String { "A record for trials (external type `example.com:trial`)." }
                package static var jsonFields: [JSONField] {
                    JSONField.all(of: CodingKeys.self) { key in
                        switch key {
                        case .words: .required(.text, "The text.")
                        }
                    }
                }
            }
            """),
        Insert("Sources/NDEF/DecodedPayload.swift", r"^    /// The empty record\.$", """
            /// A record for trials (external type `example.com:trial`).
            case trial(TrialRecord)
            """),
        Insert("Sources/NDEF/DecodedPayload.swift", r"^        case \.empty\(let content\): content$", """
            case .trial(let content): content
            """),
        Insert(
            "Sources/NDEF/DecodedPayload.swift", r"PayloadForm\(TextRecord\.self", "PayloadForm(TrialRecord.self, DecodedPayload.trial),"),
    ],
    [
        (["ndef", "encode", "--json-lines"], '{"records":[{"decoded":{"kind":"trial","words":"ok"}}]}\n', r"D4"),
    ])

COMMAND = Recipe(
    "A command of nfcctl", 2,
    [
        New("Sources/nfcctl/Tags/TrialCommand.swift", """
            import ArgumentParser

            /// `nfcctl trial`: says that it works.
            struct TrialCommand: AsyncParsableCommand {
                static let configuration = CommandConfiguration(commandName: "trial", abstract: "Try a recipe.")

                func run() async throws { Terminal.print("It works") }
            }
            """),
        Insert("Sources/nfcctl/NFCCTL.swift", r"^        subcommands: \[$", "    TrialCommand.self,", behind=True),
    ],
    [(["trial"], "", r"It works")])

RECIPES = [PRODUCT, READER, METHOD, RECORD, COMMAND]
