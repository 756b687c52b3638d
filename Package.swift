// swift-tools-version: 6.2
import PackageDescription

// For a package that fetched this one, each library is compiled as a whole: a quarter of the steps. Here files are compiled one by
// one, so that a change takes seconds.
let wholeModules: [SwiftSetting] =
    Context.packageDirectory.contains("/.build/checkouts/")
    ? [.unsafeFlags(["-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))] : []

let language: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + wholeModules

// What --version names besides the release, and where packages are: Scripts/products/release passes them.
let build: [CSetting] = ["NFCD_COMMIT", "NFCD_URL"].compactMap { name in
    Context.environment[name].flatMap { $0.isEmpty ? nil : .define(name, to: "\"\($0)\"") }
}

extension Target.Dependency {
    // What only the programs need. A package that uses this one without the trait does not fetch them.
    static let logging = programs("Logging", "swift-log")
    static let argumentParser = programs("ArgumentParser", "swift-argument-parser")
    static let signals = programs("UnixSignals", "swift-service-lifecycle")
    // What tags with keys need: libcrypto.
    static let cryptography = Self.target(name: "Cryptography", condition: .when(traits: ["Cryptography"]))
    static let nioCore = programs("NIOCore", "swift-nio")
    static let nioEmbedded = programs("NIOEmbedded", "swift-nio")
    static let nioPosix = programs("NIOPosix", "swift-nio")

    private static func programs(_ product: String, _ package: String) -> Self {
        .product(name: product, package: package, condition: .when(traits: ["Programs"]))
    }
}

let package = Package(
    name: "nfcd",
    products: [
        .executable(name: "nfcd", targets: ["nfcd"]),
        .executable(name: "nfcctl", targets: ["nfcctl"]),
        .executable(name: "nfcd-relay", targets: ["nfcd-relay"]),
        .executable(name: "nfcd-fido", targets: ["nfcd-fido"]),
        .executable(name: "nfcd-web", targets: ["nfcd-web"]),
        .executable(name: "nfcd-desktop", targets: ["nfcd-desktop"]),
        .library(name: "NFCTypes", targets: ["NFCTypes"]),
        .library(name: "NDEF", targets: ["NDEF"]),
        .library(name: "ISO7816", targets: ["ISO7816"]),
        .library(name: "NFCTags", targets: ["NFCTags"]),
        .library(name: "SecureTags", targets: ["SecureTags"]),
        .library(name: "SpoolTags", targets: ["SpoolTags"]),
        .library(name: "CTAP", targets: ["CTAP"]),
        .library(name: "PCSC", targets: ["PCSC"]),
        .library(name: "VirtualTags", targets: ["VirtualTags"]),
        .library(name: "TagRecordings", targets: ["TagRecordings"]),
        .library(name: "NFCClient", targets: ["NFCClient"]),
        .library(name: "CoreNFC", targets: ["CoreNFC"]),
        .library(name: "CoreNFCTesting", targets: ["CoreNFCTesting"]),
    ],
    traits: [
        .trait(
            name: "Programs",
            description: "The programs, nfcd and its clients. The libraries do without it."),
        .trait(
            name: "Cryptography",
            description: "Tags with AES keys, and virtual security keys, with libcrypto of OpenSSL 3."),
        .default(enabledTraits: ["Programs", "Cryptography"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Libraries, lowest first. An arrow never points up: Tests/ArchitectureTests compares every import with the table.
        .target(name: "CPCSC", linkerSettings: [.linkedLibrary("pcsclite")]),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CMosquitto", linkerSettings: [.linkedLibrary("mosquitto")]),
        .target(name: "CTOML"),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),
        // The part of PKCS#11 that makes codes with keys in a token; its modules are loaded where a file names one.
        .target(name: "CPKCS11"),
        // The functions of libsystemd for a D-Bus, loaded when they are first needed.
        .target(name: "CSDBus"),
        // Calls of Linux that Swift's view of the C library lacks, and the commit of the build: one header for each purpose.
        .target(name: "CLinux", cSettings: build),
        .target(name: "PCSC", dependencies: ["CPCSC"], swiftSettings: language + [.strictMemorySafety()]),
        .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: language),
        .target(name: "Threading", dependencies: ["CLinux"], swiftSettings: language),
        .target(name: "LocalSocket", dependencies: ["CLinux", "NFCTypes"], swiftSettings: language),
        .target(name: "Cryptography", dependencies: ["CCrypto"], swiftSettings: language),
        .target(name: "NFCTypes", swiftSettings: language),
        .target(name: "SecureTags", dependencies: ["Cryptography", "NFCTypes"], swiftSettings: language),
        .target(name: "SpoolTags", dependencies: ["NFCTypes", .cryptography], swiftSettings: language),
        .target(name: "NDEF", dependencies: ["NFCTypes"], swiftSettings: language),
        .target(name: "ISO7816", dependencies: ["NFCTypes"], swiftSettings: language),
        .target(
            name: "NFCTags", dependencies: ["ISO7816", "NFCTypes", "SpoolTags", .cryptography], swiftSettings: language),
        .target(name: "CTAP", swiftSettings: language),
        .target(name: "WebNFC", dependencies: ["NDEF", "NFCTypes"], swiftSettings: language),
        .target(name: "VirtualTags", swiftSettings: language),
        .target(
            name: "VirtualAuthenticator", dependencies: ["Cryptography", "VirtualTags"], swiftSettings: language),
        .target(name: "TagRecordings", dependencies: ["NFCTypes", "VirtualTags"], swiftSettings: language),
        .target(
            name: "NFCReaders", dependencies: ["TagRecordings", "VirtualTags", "NFCTags", "NFCTypes", "Threading"],
            swiftSettings: language),
        .target(
            name: "PCSCReaders", dependencies: ["NFCReaders", "NFCTags", "PCSC", "Threading"], swiftSettings: language),
        .target(name: "TapJournal", dependencies: ["NFCTypes"], swiftSettings: language),
        .target(
            name: "SQLiteJournal", dependencies: ["TapJournal", "NFCTypes", "SQLite", "Threading"],
            swiftSettings: language),
        .target(
            name: "NFCSessions",
            dependencies: ["ISO7816", "NFCReaders", "NFCTags", "NFCTypes", "NDEF", "TapJournal", "Threading"],
            swiftSettings: language),
        .target(
            name: "TagProofs",
            dependencies: [
                "Cryptography", "NDEF", "NFCSessions", "NFCTags", "NFCTypes", "SecureTags", "TapJournal",
            ],
            swiftSettings: language),
        .target(name: "NFCProtocol", dependencies: ["CLinux", "NDEF", "NFCTypes"], swiftSettings: language),
        .target(name: "RelayProtocol", dependencies: ["NFCProtocol"], swiftSettings: language),
        .target(
            name: "NFCServer",
            dependencies: [
                "LocalSocket", "NFCProtocol", "NFCSessions", "NFCReaders", "NFCTypes", "NDEF", "NFCTags",
                "TagRecordings", "TapJournal", "VirtualTags", "Threading",
            ],
            swiftSettings: language),
        .target(
            name: "NFCSocketServer",
            dependencies: [
                "LocalSocket", "NFCServer", "NFCProtocol", "NFCSessions", "NFCReaders", "NFCTypes", "Threading",
                .nioCore, .nioPosix,
            ],
            swiftSettings: language),
        .target(
            name: "NFCClient", dependencies: ["LocalSocket", "NFCProtocol", "NFCTypes", "NDEF", "Threading"],
            swiftSettings: language),
        .target(
            name: "CoreNFC", dependencies: ["NFCClient", "NFCProtocol", "NDEF", "ISO7816"],
            // Apple's module is not checked either: only then is `@preconcurrency import CoreNFC` silent about its types.
            swiftSettings: language + [.swiftLanguageMode(.v5), .enableUpcomingFeature("StrictConcurrency")]),
        .target(
            name: "CoreNFCTesting",
            dependencies: [
                "CoreNFC", "LocalSocket", "NFCClient", "NFCServer", "NFCSessions", "NFCReaders", "NFCTags", "NFCTypes",
                "TagRecordings", "VirtualTags", "NDEF", "Threading",
            ],
            swiftSettings: language),
        .target(
            name: "CommandSupport", dependencies: ["CLinux", "NFCTypes", .argumentParser], swiftSettings: language),
        .target(
            name: "ServiceSupport",
            dependencies: [
                "CommandSupport", "CTOML", "CLinux", "LocalSocket", "NFCTypes", "Threading", .argumentParser, .logging,
                .signals,
            ],
            swiftSettings: language),
        .target(
            name: "ServiceClient", dependencies: ["NFCClient", "NFCProtocol", "ServiceSupport", "Threading", .logging],
            swiftSettings: language),
        .target(
            name: "KeyStore",
            dependencies: [
                "CPKCS11", "Cryptography", "NFCTypes", "SecureTags", "ServiceSupport", "Threading", "VirtualTags",
            ],
            swiftSettings: language),
        .executableTarget(
            name: "nfcd",
            dependencies: [
                "CommandSupport", "KeyStore", "LocalSocket", "SecureTags", "TagProofs", "TagRecordings", "VirtualTags",
                "NFCSocketServer", "NFCServer", "NFCSessions", "NFCReaders", "PCSCReaders", "NFCProtocol", "NFCTypes",
                "TapJournal", "SQLiteJournal", "ServiceSupport", "CLinux", "Cryptography", "Threading",
                .argumentParser,
                .logging, .signals,
            ],
            swiftSettings: language),
        .executableTarget(
            name: "nfcctl",
            dependencies: [
                "CommandSupport", "Cryptography", "KeyStore", "NFCClient", "NFCProtocol", "NFCReaders", "NFCSessions",
                "NFCSocketServer", "NFCTags", "NFCTypes", "NDEF", "RelayProtocol", "SecureTags", "ServiceSupport",
                "SpoolTags", "TagRecordings", "Threading", "VirtualAuthenticator", "VirtualTags",
                .argumentParser, .signals,
            ],
            swiftSettings: language),
        .executableTarget(
            name: "nfcd-relay",
            dependencies: [
                "CommandSupport", "LocalSocket", "NFCClient", "NFCProtocol", "NFCTypes", "NDEF", "RelayProtocol",
                "ServiceClient",
                "ServiceSupport",
                "SQLite", "Threading", "CMosquitto", "CCurl", "CLinux", "Cryptography",
                .argumentParser, .logging, .nioCore, .nioPosix,
            ],
            swiftSettings: language),
        .executableTarget(
            name: "nfcd-fido",
            dependencies: [
                "CommandSupport", "CTAP", "LocalSocket", "NFCClient", "NFCProtocol", "ServiceClient", "ServiceSupport",
                "Threading",
                .argumentParser, .logging,
            ],
            swiftSettings: language),
        .executableTarget(
            name: "nfcd-web",
            dependencies: [
                "CommandSupport", "WebNFC", "NDEF", "NFCClient", "NFCProtocol", "ServiceClient", "ServiceSupport",
                "Threading",
                .argumentParser, .logging,
            ],
            swiftSettings: language),
        .executableTarget(
            name: "nfcd-desktop",
            dependencies: [
                "CLinux", "CommandSupport", "CSDBus", "NDEF", "NFCClient", "NFCProtocol", "NFCTypes", "ServiceClient",
                "ServiceSupport", "Threading",
                .argumentParser, .logging,
            ],
            swiftSettings: language),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["NFCSessions", "NFCTags", "NFCTypes", "TapJournal", "VirtualTags"],
            path: "Tests/TestSupport",
            swiftSettings: language),
        .testTarget(name: "ArchitectureTests", swiftSettings: language),
        .testTarget(name: "CryptographyTests", dependencies: ["Cryptography", "TestSupport"], swiftSettings: language),
        .testTarget(name: "ThreadingTests", dependencies: ["Threading"], swiftSettings: language),
        .testTarget(
            name: "SecureTagsTests", dependencies: ["SecureTags", "Cryptography", "TestSupport"],
            swiftSettings: language),
        .testTarget(
            name: "SpoolTagsTests", dependencies: ["SpoolTags", "Cryptography", "NFCTypes", "TestSupport"],
            swiftSettings: language),
        .testTarget(name: "NFCTypesTests", dependencies: ["NFCTypes"], swiftSettings: language),
        .testTarget(name: "PCSCTests", dependencies: ["PCSC"], swiftSettings: language),
        .target(
            name: "NDEFProperties", dependencies: ["NDEF", "NFCTags"], path: "Tests/NDEFProperties",
            swiftSettings: language),
        .testTarget(
            name: "NDEFTests", dependencies: ["NDEF", "NDEFProperties", "TestSupport"], swiftSettings: language),
        .testTarget(name: "ISO7816Tests", dependencies: ["ISO7816", "TestSupport"], swiftSettings: language),
        .testTarget(name: "NFCTagsTests", dependencies: ["NFCTags", "TestSupport"], swiftSettings: language),
        .testTarget(name: "CTAPTests", dependencies: ["CTAP", "TestSupport"], swiftSettings: language),
        .testTarget(name: "WebNFCTests", dependencies: ["WebNFC", "NDEF"], swiftSettings: language),
        .testTarget(name: "VirtualTagsTests", dependencies: ["VirtualTags", "TestSupport"], swiftSettings: language),
        .testTarget(
            name: "TagRecordingsTests", dependencies: ["NFCTypes", "TagRecordings", "VirtualTags"],
            swiftSettings: language),
        .testTarget(
            name: "VirtualAuthenticatorTests",
            dependencies: ["Cryptography", "VirtualAuthenticator", "VirtualTags", "TestSupport"],
            swiftSettings: language),
        .target(
            name: "TagTable", dependencies: ["NFCTags", "VirtualTags"], path: "Tests/TagTable", swiftSettings: language),
        .testTarget(
            name: "TagModelTests", dependencies: ["NFCTags", "ISO7816", "VirtualTags", "TagTable", "TestSupport"],
            swiftSettings: language),
        .testTarget(
            name: "NFCReadersTests",
            dependencies: [
                "NFCReaders", "NFCTags", "PCSC", "PCSCReaders", "TagRecordings", "TestSupport", "Threading",
                "VirtualTags",
            ],
            swiftSettings: language),
        .testTarget(
            name: "TapJournalTests",
            dependencies: ["TapJournal", "SQLiteJournal", "SQLite", "CSQLite", "NFCTypes", "TestSupport", "Threading"],
            swiftSettings: language),
        .testTarget(
            name: "NFCSessionsTests",
            dependencies: [
                "NFCSessions", "NFCReaders", "NFCTags", "NDEF", "TapJournal", "TestSupport", "Threading", "VirtualTags",
            ],
            swiftSettings: language),
        .testTarget(
            name: "TagProofsTests",
            dependencies: [
                "Cryptography", "KeyStore", "NFCReaders", "NFCSessions", "NFCTags", "NFCTypes", "SecureTags",
                "TagProofs", "TapJournal", "TestSupport", "VirtualTags",
            ],
            swiftSettings: language),
        .testTarget(
            name: "NFCProtocolTests", dependencies: ["NFCProtocol", "NDEF", "TestSupport"], swiftSettings: language),
        .testTarget(
            name: "NFCClientTests", dependencies: ["NFCClient", "NFCTypes", "TestSupport"], swiftSettings: language),
        .testTarget(
            name: "NFCServerTests",
            dependencies: [
                "LocalSocket",
                "NFCServer", "NFCSocketServer", "NFCClient", "NFCSessions", "NFCReaders", "NFCTags", "NFCProtocol",
                "NDEF", "TapJournal", "SQLiteJournal", "Threading", "TagRecordings",
                "TestSupport", "VirtualTags", .logging, .nioCore, .nioEmbedded, .nioPosix,
            ],
            swiftSettings: language),
        // Apps, in the language mode of most of them.
        .executableTarget(
            name: "corenfc-programs", dependencies: ["CoreNFC"], path: "Tests/CoreNFCPrograms",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "CoreNFCProgramTests",
            dependencies: [
                "CoreNFC", "CoreNFCTesting", "NFCClient", "NFCProtocol", "NFCReaders", "NFCSessions", "NFCSocketServer",
                "TestSupport", "VirtualTags", "corenfc-programs",
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(name: "CoreNFCTests", dependencies: ["CoreNFC", "NDEF"], swiftSettings: language),
        // Clients as others write them: in both language modes, and without the settings of this package.
        .testTarget(name: "CoreNFCSwift5Tests", dependencies: ["CoreNFC"], swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(name: "CoreNFCSwift6Tests", dependencies: ["CoreNFC"], swiftSettings: [.swiftLanguageMode(.v6)]),
        // Apps of the package in Tests/ClientPackage, which Scripts/checks/test-client builds in every mode.
        .testTarget(
            name: "ClientAppsTests", dependencies: ["CoreNFC", "CoreNFCTesting"],
            path: "Tests/ClientPackage/Tests/AppsTests", swiftSettings: [.swiftLanguageMode(.v5)]),
        // As Xcode sets up a new app.
        .testTarget(
            name: "CoreNFCMainActorTests", dependencies: ["CoreNFC"],
            swiftSettings: [
                .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"),
            ]),
        .testTarget(
            name: "RelayTests",
            dependencies: [
                "nfcd-relay", "CommandSupport", "LocalSocket", "NFCClient", "NFCProtocol", "NDEF", "NFCTypes",
                "RelayProtocol", "ServiceClient", "ServiceSupport", "SQLite", "TestSupport", "Threading",
                .logging, .nioCore, .nioPosix,
            ],
            swiftSettings: language),
        .testTarget(
            name: "FIDOTests", dependencies: ["nfcd-fido", "CTAP", "ServiceSupport", "TestSupport", .logging],
            swiftSettings: language),
        .testTarget(
            name: "DesktopTests",
            dependencies: ["nfcd-desktop", "NDEF", "NFCProtocol", "NFCTypes", "ServiceSupport", .logging],
            swiftSettings: language),
        .testTarget(
            name: "KeyStoreTests",
            dependencies: ["CPKCS11", "Cryptography", "KeyStore", "SecureTags", "ServiceSupport", "TestSupport"],
            swiftSettings: language),
        .testTarget(
            name: "NFCDTests",
            dependencies: [
                "nfcd", "NFCSessions", "NFCReaders", "NFCTypes", "ServiceSupport", "TagProofs", "TestSupport",
                "Threading",
                .logging,
            ],
            swiftSettings: language),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "nfcd", "nfcctl", "nfcd-relay", "nfcd-fido", "nfcd-web", "nfcd-desktop", "strange-card", "tag-pile",
                "corenfc-programs", "NFCProtocol",
                "NFCTypes",
                "RelayProtocol", "TagRecordings", "TestSupport", "VirtualTags",
            ],
            exclude: ["Support/read_ndef.py", "Support/spool_receiver.py"], swiftSettings: language),
        .executableTarget(
            name: "strange-card", dependencies: ["TestSupport", "VirtualTags"], path: "Tests/StrangeCard",
            swiftSettings: language),
        .executableTarget(
            name: "tag-pile", dependencies: ["VirtualTags"], path: "Tests/TagPile", swiftSettings: language),

        // Benchmarks.
        .target(name: "CAllocations", path: "Benchmarks/CAllocations"),
        .executableTarget(
            name: "ndef-bench", dependencies: ["CAllocations", "NDEF"], path: "Benchmarks/NDEFBench",
            swiftSettings: language),
        .executableTarget(
            name: "session-bench", dependencies: ["NFCSessions", "NFCReaders", "NFCTypes"],
            path: "Benchmarks/SessionBench", swiftSettings: language),
        .executableTarget(
            name: "journal-bench", dependencies: ["SQLiteJournal", "TapJournal", "NFCTypes"],
            path: "Benchmarks/JournalBench", swiftSettings: language),
        .executableTarget(name: "apdu-bench", dependencies: ["CPCSC"], path: "Benchmarks/APDUBench"),
        .executableTarget(
            name: "tag-bench", dependencies: ["TagTable", "VirtualTags"], path: "Benchmarks/TagBench",
            swiftSettings: language),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// The fuzzer is not part of a normal build: it has no `main`. Scripts/checks/fuzz builds it.
if Context.environment["NFCD_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "nfcd-fuzz",
            dependencies: [
                "CTAP", "NDEF", "NDEFProperties", "NFCProtocol", "NFCTags", "VirtualTags", "NFCSocketServer",
                "NFCSessions",
                "NFCReaders", "WebNFC",
                "TestSupport", .nioCore,
            ],
            path: "Fuzz", exclude: ["Seeds"], swiftSettings: language, linkerSettings: [.unsafeFlags(["-use-ld=lld"])]))
}
