// swift-tools-version: 6.0
import PackageDescription

// A package as a user writes one, but that nfcd comes from the folder above.
let package = Package(
    name: "links",
    dependencies: [.package(name: "nfcd", path: "../..")],
    targets: [
        .target(name: "Links", dependencies: [.product(name: "CoreNFC", package: "nfcd")]),
        .testTarget(name: "LinksTests", dependencies: ["Links", .product(name: "CoreNFCTesting", package: "nfcd")]),
    ],
    swiftLanguageModes: [.v5]
)
