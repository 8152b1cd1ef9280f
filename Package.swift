// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let asyncHTTPClient = product(name: "AsyncHTTPClient", package: "async-http-client")
    static let configuration = product(name: "Configuration", package: "swift-configuration")
    static let deque = product(name: "DequeModule", package: "swift-collections")
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let grdbSQLite = product(name: "GRDBSQLite", package: "GRDB.swift")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
    static let logging = product(name: "Logging", package: "swift-log")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioExtras = product(name: "NIOExtras", package: "swift-nio-extras")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioHTTPTypes = product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let nioHTTPTypesHTTP1 = product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let serviceLifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let yams = product(name: "Yams", package: "Yams")
}

let package = Package(
    name: "safelight",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "safelight", targets: ["safelight"]),
        .executable(name: "safelight-imaging", targets: ["safelight-imaging"]),
        .executable(name: "safelight-imaging-video", targets: ["safelight-imaging-video"]),
        .executable(name: "safelight-imaging-words", targets: ["safelight-imaging-words"]),
        .executable(name: "safelight-archives", targets: ["safelight-archives"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(
            url: "https://github.com/apple/swift-configuration.git", exact: "1.4.0", traits: [.defaults, "YAML"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams.git", exact: "6.2.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CVips", pkgConfig: "gobject-2.0", providers: [.apt(["libvips-dev"])]),
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
        .systemLibrary(name: "CTesseract", pkgConfig: "lept", providers: [.apt(["libtesseract-dev"])]),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CSpawn"),
        .systemLibrary(name: "CLinux"),
        .target(name: "CWiping"),
        .target(name: "CAllocations"),
        .target(name: "CHPKE", dependencies: [.nioSSL]),
        .target(name: "Bytes"),
        .target(name: "Media", dependencies: ["Bytes", "XML", "CBrotli", "CZlib"]),
        .target(name: "Search", dependencies: ["Bytes", "Media"]),
        .target(
            name: "Import",
            dependencies: ["CLinux", "CZlib", "Imaging", "ImagingProtocol", "Media", "Sealing", "Threads"]),
        .target(name: "Printing", dependencies: [.logging]),
        .target(name: "Sealing", dependencies: ["Bytes", "CHPKE", "COpenSSL", "CArgon2"]),
        .target(name: "Signing", dependencies: ["COpenSSL"]),
        .target(name: "Threads", dependencies: ["CLinux", .deque]),
        .target(
            name: "Store",
            dependencies: ["Bytes", "COpenSSL", "CLinux", "CSQLite", "Threads", .deque, .grdb, .grdbSQLite]),
        .target(name: "XML", dependencies: ["Bytes"]),
        .target(
            name: "Bucket",
            dependencies: [
                "Bytes", "Sealing", "Threads", "XML", .asyncHTTPClient, .nioCore, .nioHTTP1, .nioSSL,
            ]),
        .target(name: "Releases", dependencies: ["Signing"]),
        .target(
            name: "Upgrades",
            dependencies: [
                "Releases", .asyncHTTPClient, .logging, .nioCore, .nioHTTP1, .nioSSL, .serviceLifecycle,
            ]),
        .target(
            name: "Records",
            dependencies: ["Bytes", "Imaging", "ImagingProtocol", "Media", "Releases", "Sealing", "Store"]),
        .target(
            name: "Content",
            dependencies: [
                "Imaging", "ImagingProtocol", "Media", "Records", "Sealing", "Store", "Threads", .nioCore,
            ]),
        .target(
            name: "Vault",
            dependencies: [
                "Bytes", "Content", "Imaging", "ImagingProtocol", "Import", "Media", "Records", "Sealing", "Search",
                "Store", "Threads", .nioCore, .grdb, .grdbSQLite,
            ]),
        .target(
            name: "Uploads",
            dependencies: ["Content", "Import", "Media", "Records", "Sealing", "Store", "Threads", "Vault", .nioCore]),
        .target(
            name: "Unlocking",
            dependencies: ["Bytes", "Records", "Sealing", "Store", "Threads", "Uploads", "Vault", .logging]),
        .target(
            name: "Vaults",
            dependencies: [
                "Bytes", "Content", "ImagingProtocol", "Import", "Media", "Records", "Releases", "Sealing", "Search",
                "Store", "Threads", "Unlocking", "Uploads", "Vault", .logging, .nioCore,
            ]),
        .target(
            name: "Listener",
            dependencies: [
                "Bytes", "CLinux", "Discovery", .hummingbirdCore, .httpTypes, .nioCore, .nioExtras, .nioHTTP1,
                .nioHTTPTypes,
                .nioHTTPTypesHTTP1, .nioPosix, .nioSSL, .serviceLifecycle, .logging,
            ]),
        .target(
            name: "Certificates",
            dependencies: [
                "Bytes", "Listener", "CLinux", "Sealing", "Signing", .logging, .nioCore, .nioPosix, .nioSSL,
            ]),
        .target(name: "ImagingProtocol", dependencies: ["Bytes", "Media"]),
        .target(name: "ImagingCage", dependencies: ["CAllocations", "CSeccomp", "ImagingProtocol", "Media"]),
        .target(name: "Imaging", dependencies: ["ImagingProtocol", "Media", "CSpawn", .logging, .nioCore, .nioPosix]),
        .executableTarget(
            name: "safelight-imaging", dependencies: ["CVips", "ImagingCage", "ImagingProtocol", "Media"]),
        .executableTarget(
            name: "safelight-imaging-video", dependencies: ["CFFmpeg", "ImagingCage", "ImagingProtocol", "Media"]),
        .executableTarget(
            name: "safelight-imaging-words", dependencies: ["CTesseract", "ImagingCage", "ImagingProtocol", "Media"]),
        .executableTarget(
            name: "safelight-archives", dependencies: ["CArchive", "ImagingCage", "ImagingProtocol", "Media"]),
        .target(name: "Discovery", dependencies: ["Bytes", "CQRCode"]),
        .target(name: "ServiceManager"),
        .target(
            name: "Web",
            dependencies: [
                "Bytes", "Vaults", "Vault", "Content", "Records", "Unlocking", "Uploads", "Search", "Media",
                "ImagingProtocol",
                "Listener", "Certificates", "Discovery", "Printing", "Releases", "XML", "CZlib",
                .hummingbird, .hummingbirdCore,
                .httpTypes, .nioCore, .nioHTTP1, .nioHTTPTypes, .logging,
            ]),
        .executableTarget(
            name: "safelight",
            dependencies: [
                "Bytes", "Web", "Bucket", "Import", "Listener", "Certificates", "Discovery", "Media", "ServiceManager",
                "Vaults",
                "Vault", "Content",
                "Records", "Unlocking", "Threads", "Store", "Sealing", "Imaging", "Printing", "Releases", "Upgrades",
                "XML", "CLinux", "CWiping", .argumentParser, .configuration, .serviceLifecycle, .unixSignals, .yams,
                .logging,
                .nioCore, .nioHTTP1, .asyncHTTPClient,
            ]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Bytes", "Vaults", "Content", "Records", "Unlocking", "Imaging", "ImagingProtocol", "Media", "Sealing",
                "Search",
                .logging, .nioCore, .grdb,
            ],
            path: "Benchmarks"),
        // What tests need of the machine, and nothing of ours: a small test target stays small.
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        // What several test targets need of a room, for those that stand on it.
        .target(
            name: "ListenerSupport", dependencies: ["Listener", "TestSupport", .nioCore, .nioSSL],
            path: "Tests/ListenerSupport"),
        .target(name: "SigningSupport", dependencies: ["Signing", "COpenSSL"], path: "Tests/SigningSupport"),
        .target(name: "StoreSupport", dependencies: ["Store", "TestSupport"], path: "Tests/StoreSupport"),
        .target(
            name: "HostSupport", dependencies: ["Content", "Vaults", "TestSupport", .logging], path: "Tests/HostSupport"
        ),
        .testTarget(name: "BytesTests", dependencies: ["Bytes"]),
        .testTarget(name: "PrintingTests", dependencies: ["Printing", .logging]),
        .testTarget(name: "MediaTests", dependencies: ["Media", "CZlib", "TestSupport"]),
        .testTarget(name: "SearchTests", dependencies: ["Search", "Media", "TestSupport"]),
        .testTarget(
            name: "ImportTests",
            dependencies: ["Import", "Imaging", "ImagingProtocol", "Media", "Sealing", "CZlib", "TestSupport"]),
        .testTarget(name: "SealingTests", dependencies: ["Sealing", "CZlib"]),
        .testTarget(name: "SigningTests", dependencies: ["Signing", "SigningSupport"]),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads", "TestSupport"]),
        .testTarget(
            name: "StoreTests",
            dependencies: ["Bytes", "Store", "Threads", "StoreSupport", "TestSupport", .grdb, .grdbSQLite]),
        .testTarget(name: "XMLTests", dependencies: ["Bytes", "XML"]),
        .testTarget(name: "BucketTests", dependencies: ["Bytes", "Bucket", "Sealing", .nioCore, .nioHTTP1, .nioPosix]),
        .testTarget(name: "ReleasesTests", dependencies: ["Releases", "SigningSupport"]),
        .testTarget(name: "UpgradesTests", dependencies: ["Upgrades", "Releases", .logging, .serviceLifecycle]),
        .testTarget(
            name: "RecordsTests",
            dependencies: [
                "Bytes", "Imaging", "ImagingProtocol", "Media", "Records", "Releases", "Sealing", "Store",
                "TestSupport",
            ]),
        .testTarget(
            name: "ContentTests",
            dependencies: [
                "Content", "Records", "Sealing", "Store", "Threads", "StoreSupport", "TestSupport", .nioCore,
            ]),
        .testTarget(
            name: "VaultTests",
            dependencies: [
                "Bytes", "Content", "Media", "Records", "Sealing", "Store", "Vault", "TestSupport", .grdb,
            ]),
        .testTarget(name: "UploadsTests", dependencies: ["Content", "Records", "Uploads"]),
        .testTarget(
            name: "UnlockingTests",
            dependencies: [
                "Bytes", "Content", "Records", "Sealing", "Store", "Threads", "Unlocking", "StoreSupport",
                "TestSupport",
            ]),
        .testTarget(
            name: "VaultsTests",
            dependencies: [
                "Bytes", "Vaults", "Content", "Records", "Threads", "Unlocking", "Uploads", "Vault",
                "Imaging", "ImagingProtocol", "Import", "Media", "Sealing", "Search", "Store", "Releases",
                "HostSupport", "TestSupport",
                .grdb, .grdbSQLite, .logging, .nioCore,
            ]),
        .testTarget(
            name: "ListenerTests",
            dependencies: [
                "Bytes", "Listener", "CLinux", "Discovery", "ListenerSupport", "TestSupport", .hummingbirdCore,
                .httpTypes, .nioHTTP1,
                .nioHTTPTypes, .logging, .nioCore, .nioEmbedded, .nioPosix, .nioSSL, .serviceLifecycle,
            ]),
        .testTarget(
            name: "CertificatesTests",
            dependencies: [
                "Bytes", "Certificates", "Listener", "Sealing", "Signing", "SigningSupport", "TestSupport", .logging,
                .nioCore, .nioPosix, .nioSSL, .nioTLS,
            ]),
        .testTarget(name: "ImagingProtocolTests", dependencies: ["ImagingProtocol", "Media", "TestSupport"]),
        .testTarget(name: "ImagingCageTests", dependencies: ["ImagingCage", "TestSupport"]),
        .testTarget(
            name: "ImagingTests",
            dependencies: [
                "Imaging", "ImagingProtocol", "Media", "TestSupport", "CVips", "CZlib", .logging,
            ]),
        .testTarget(name: "DiscoveryTests", dependencies: ["Bytes", "Discovery", "TestSupport"]),
        .testTarget(name: "ServiceManagerTests", dependencies: ["ServiceManager"]),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Bytes", "Web", "Vaults", "Vault", "Unlocking", "Content", "Records", "Listener", "Certificates",
                "HostSupport",
                "ListenerSupport", "TestSupport", "XML", "CZlib",
                .hummingbird, .httpTypes, .logging, .nioCore, .nioEmbedded, .nioPosix, .nioSSL, .serviceLifecycle,
            ]),
        .testTarget(name: "ArchitectureTests"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = settings
}
