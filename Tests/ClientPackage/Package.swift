// swift-tools-version: 6.2
import PackageDescription

// A package as a user writes one, but that Scripts/checks/test-client names the repository of nfcd.
let package = Package(
    name: "links",
    dependencies: [
        .package(url: Context.environment["NFCD_URL"] ?? "NFCD_URL names the repository", from: "1.0.0", traits: [])
    ],
    targets: [
        .target(name: "Links", dependencies: [.product(name: "CoreNFC", package: "nfcd")]),
        .testTarget(name: "LinksTests", dependencies: ["Links", .product(name: "CoreNFCTesting", package: "nfcd")]),
        .testTarget(
            name: "AppsTests",
            dependencies: [
                .product(name: "CoreNFC", package: "nfcd"), .product(name: "CoreNFCTesting", package: "nfcd"),
            ]),
    ],
    swiftLanguageModes: [.v5]
)
