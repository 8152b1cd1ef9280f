// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let grdb: [Target.Dependency] = [
    .product(name: "GRDB", package: "GRDB.swift"),
    .product(name: "GRDBSQLite", package: "GRDB.swift"),
]

let package = Package(
    name: "safelight",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "safelight", targets: ["safelight"]),
        .executable(name: "safelight-imaging", targets: ["safelight-imaging"]),
        .executable(name: "safelight-imaging-video", targets: ["safelight-imaging-video"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(
            url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: [.defaults, "YAML"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CVips", pkgConfig: "gobject-2.0", providers: [.apt(["libvips-dev"])]),
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
        .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CSpawn"),
        .systemLibrary(name: "CLinux"),
        .target(name: "Media", swiftSettings: settings),
        .target(name: "Sealing", dependencies: ["COpenSSL", "CArgon2"], swiftSettings: settings),
        .target(
            name: "Store",
            dependencies: ["COpenSSL", "CLinux", .product(name: "NIOPosix", package: "swift-nio")] + grdb,
            swiftSettings: settings),
        .target(
            name: "Releases", dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .target(
            name: "Upgrades",
            dependencies: [
                "Releases",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "Vaults",
            dependencies: [
                "Imaging", "ImagingProtocol", "Media", "Sealing", "Store", "Releases",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ] + grdb,
            swiftSettings: settings),
        .target(
            name: "Listener",
            dependencies: [
                "CLinux",
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .target(
            name: "Certificates",
            dependencies: [
                "Listener", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),
        .target(name: "ImagingProtocol", dependencies: ["Media"], swiftSettings: settings),
        .target(
            name: "ImagingCage", dependencies: ["CSeccomp", "ImagingProtocol", "Media"], swiftSettings: settings),
        .target(
            name: "Imaging",
            dependencies: [
                "ImagingProtocol", "Media", "CSpawn",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "safelight-imaging",
            dependencies: ["CVips", "ImagingCage", "ImagingProtocol", "Media"],
            swiftSettings: settings),
        .executableTarget(
            name: "safelight-imaging-video",
            dependencies: ["CFFmpeg", "ImagingCage", "ImagingProtocol", "Media"],
            swiftSettings: settings),
        .target(name: "Discovery", dependencies: ["CQRCode"], swiftSettings: settings),
        .target(name: "ServiceManager", swiftSettings: settings),
        .target(
            name: "Web",
            dependencies: [
                "Vaults", "Media", "ImagingProtocol", "Sealing", "Listener", "Certificates", "Discovery", "Releases",
                "CZlib",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "safelight",
            dependencies: [
                "Web", "Listener", "Certificates", "Discovery", "ServiceManager", "Vaults", "Store", "Sealing",
                "Imaging", "Releases", "Upgrades", "CLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Vaults", "Sealing",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Benchmarks",
            swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["Listener"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "MediaTests", dependencies: ["Media", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "SealingTests", dependencies: ["Sealing", "CZlib"], swiftSettings: settings),
        .testTarget(name: "StoreTests", dependencies: ["Store", "TestSupport"] + grdb, swiftSettings: settings),
        .testTarget(
            name: "ReleasesTests",
            dependencies: ["Releases", .product(name: "Crypto", package: "swift-crypto")], swiftSettings: settings),
        .testTarget(
            name: "UpgradesTests",
            dependencies: [
                "Upgrades", "Releases",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "VaultsTests",
            dependencies: [
                "Vaults", "Imaging", "ImagingProtocol", "Media", "Sealing", "Store", "Releases", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ListenerTests",
            dependencies: [
                "Listener", "TestSupport",
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CertificatesTests",
            dependencies: [
                "Certificates", "Listener", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ImagingProtocolTests", dependencies: ["ImagingProtocol", "Media", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ImagingTests",
            dependencies: [
                "Imaging", "ImagingProtocol", "Media", "TestSupport", "CVips", "CZlib",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(name: "DiscoveryTests", dependencies: ["Discovery"], swiftSettings: settings),
        .testTarget(name: "ServiceManagerTests", dependencies: ["ServiceManager"], swiftSettings: settings),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Web", "Vaults", "Listener", "Certificates", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),
        .testTarget(name: "ArchitectureTests", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
