// swift-tools-version: 6.2
import PackageDescription

// A package as a user writes one, but that Scripts/checks/test-client names the repository of nfcd, and the mode of the language:
// 5 or 6, and what Xcode sets up besides: "nonsending" and "main".
let mode = (Context.environment["CLIENT_MODE"] ?? "5").split(separator: " ")
let settings: [SwiftSetting] =
    (mode.contains("nonsending") ? [.enableUpcomingFeature("NonisolatedNonsendingByDefault")] : [])
    + (mode.contains("main") ? [.defaultIsolation(MainActor.self)] : [])

let package = Package(
    name: "links",
    dependencies: [
        .package(url: Context.environment["NFCD_URL"] ?? "NFCD_URL names the repository", from: "1.0.0", traits: [])
    ],
    targets: [
        .target(name: "Links", dependencies: [.product(name: "CoreNFC", package: "nfcd")], swiftSettings: settings),
        .testTarget(
            name: "LinksTests", dependencies: ["Links", .product(name: "CoreNFCTesting", package: "nfcd")],
            swiftSettings: settings),
        .testTarget(
            name: "AppsTests",
            dependencies: [
                .product(name: "CoreNFC", package: "nfcd"), .product(name: "CoreNFCTesting", package: "nfcd"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [mode.contains("6") ? .v6 : .v5]
)
