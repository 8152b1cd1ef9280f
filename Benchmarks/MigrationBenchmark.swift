import Bytes
import Content
import Foundation
import Logging
import NIOCore
import Records
import Unlocking
import Vaults

/// Opening a vault into which a guest's 1,000 photos move, after the key derivation, on the disk of the folder for
/// temporary files.
enum MigrationBenchmark {
    private static let photoCount = 1000
    private static let repetitions = 5
    private static let client = Client(address: .ip(.ipv4(127, 0, 0, 1)))

    static func run() async throws {
        let folder = "\(NSTemporaryDirectory())/safelight-benchmark-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = VaultConfiguration(dataPath: folder + "/data")
        configuration.commonPasswordsPath = commonPasswordsPath
        configuration.unsafeKDF = UnsafeKDF(iterations: 1, memoryKiB: 64)
        let service = try await VaultService.start(
            configuration, logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
        let owner = try await service.create(
            password: password(), confirmation: password(), code: nil, client: client)
        var durations: [Duration] = []
        for _ in 0..<repetitions { durations.append(try await move(service)) }
        Samples(durations).print("move a guest of \(photoCount) photos")
        try await service.lock(owner.session)
        try await service.shutdown()
    }

    private static func move(_ service: VaultService) async throws -> Duration {
        let guest = try await service.beginGuest(client: client).session
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<64 {
                group.addTask {
                    for number in stride(from: lane, to: photoCount, by: 64) { try await store(number, in: guest) }
                }
            }
            try await group.waitForAll()
        }
        return try await ContinuousClock().measure {
            let opening = try await service.open(
                password: password(), client: client, options: OpeningOptions(guest: guest))
            guard let migration = opening.migration, migration.moved + migration.duplicates == photoCount else {
                throw VaultError.internalFailure("the guest did not move")
            }
            try await service.lock(opening.session)
        }
    }

    private static func password() throws -> Password {
        try Array("seven wooden lamps".utf8).withUnsafeBytes { try Password(utf8: $0) }
    }

    private static func store(_ number: Int, in session: Session) async throws {
        let upload = try await session.uploads.begin(
            name: "IMG_\(number).jpg", declaredByteCount: 64, lastModified: Date(timeIntervalSince1970: Double(number)))
        var content = ByteBuffer(repeating: UInt8.random(in: 0 ... .max), count: 48)
        content.writeInteger(UInt64.random(in: 0 ... .max))
        content.writeInteger(UInt64(number))
        try await upload.append(content)
        _ = try await upload.finish()
    }
}
