import Bytes
import Content
import Foundation
import Logging
import NIOCore
import Records
import Unlocking
import Vaults

/// Opening a vault of 100,000 photos that were looked into, after the key derivation, in a process that did nothing else
/// before; and the same once all of them are in 200 albums.
enum LibraryBenchmark {
    static let childArgument = "open-library"
    private static let photoCount = 100_000
    private static let albumCount = 200
    private static let repetitions = 5
    private static let client = Client(address: .ip(.ipv4(127, 0, 0, 1)))

    static func run() async throws {
        let folder = temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let dataPath = folder + "/data"
        let filling = try await fill(dataPath)
        Samples([filling]).print("store a photo of 64 bytes, 64 at once", each: photoCount)
        try measureOpening(dataPath, "open a vault of \(photoCount) photos")
        Samples([try await fillAlbums(dataPath)]).print(
            "put \(photoCount / albumCount) of them into an album", each: albumCount)
        try measureOpening(dataPath, "open it with them in \(albumCount) albums")
    }

    private static func measureOpening(_ dataPath: String, _ name: String) throws {
        var durations: [Duration] = []
        var memory: [Int] = []
        for _ in 0..<repetitions {
            let (milliseconds, kibibytes) = try openInAnotherProcess(dataPath)
            durations.append(.milliseconds(milliseconds))
            memory.append(kibibytes)
        }
        Samples(durations).print(name)
        print("\("memory for it".padded(40))\(memory.sorted()[repetitions / 2] / 1024) MiB")
    }

    /// In memory where there is some: only the processor's part is measured here.
    private static func temporaryFolder() -> String {
        let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        return "\(base)/safelight-benchmark-\(UInt64.random(in: 0 ... .max))"
    }

    private static func start(_ dataPath: String, _ maker: FactsMaker? = nil) async throws -> VaultService {
        var configuration = VaultConfiguration(dataPath: dataPath)
        configuration.pictures = maker.map { PictureMaking(maker: $0, workerCount: 8) }
        configuration.commonPasswordsPath = commonPasswordsPath
        configuration.unsafeKDF = UnsafeKDF(iterations: 1, memoryKiB: 64)
        return try await VaultService.start(
            configuration, logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
    }

    private static func password() throws -> Password {
        try Array("seven wooden lamps".utf8).withUnsafeBytes { try Password(utf8: $0) }
    }

    private static func fill(_ dataPath: String) async throws -> Duration {
        let maker = FactsMaker(count: photoCount)
        let service = try await start(dataPath, maker)
        let session = try await service.create(
            password: password(), confirmation: password(), code: nil, client: client
        ).session
        let duration = try await ContinuousClock().measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<64 {
                    group.addTask {
                        for number in stride(from: lane, to: photoCount, by: 64) {
                            try await store(number, in: session)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let looking = await ContinuousClock().measure { await maker.waitUntilAllWereSeen() }
        Samples([looking]).print("keep what a photo says", each: photoCount)
        try await service.shutdown()
        return duration
    }

    /// Each photo in one of them.
    private static func fillAlbums(_ dataPath: String) async throws -> Duration {
        let service = try await start(dataPath)
        let session = try await service.open(password: password(), client: client).session
        var (ids, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try await session.photos.page(cursor: cursor, limit: 1000)
            ids += page.photos.map(\.id)
            cursor = page.cursor
        } while cursor != nil
        let size = photoCount / albumCount
        let duration = try await ContinuousClock().measure { [ids] in
            for number in 0..<albumCount {
                let part = Array(ids[number * size..<(number + 1) * size])
                _ = try await session.albums.make("Album \(number)", with: part)
            }
        }
        try await service.shutdown()
        return duration
    }

    private static func store(_ number: Int, in session: Session) async throws {
        // It begins as a JPEG.
        let content = [0xFF, 0xD8, 0xFF] + Array("\(number)".padded(61).utf8)
        let upload = try await session.uploads.begin(
            name: "IMG_\(number).jpg", declaredByteCount: UInt64(content.count),
            lastModified: Date(timeIntervalSince1970: Double(number)))
        try await upload.append(ByteBuffer(bytes: content))
        _ = try await upload.finish()
    }

    // MARK: The other process

    private static func openInAnotherProcess(_ dataPath: String) throws -> (milliseconds: Int, kibibytes: Int) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [childArgument, dataPath]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard process.terminationStatus == 0, numbers.count == 2 else {
            throw VaultError.internalFailure("the library could not be opened: \(text)")
        }
        return (numbers[0], numbers[1])
    }

    /// Prints the milliseconds that opening took, and the KiB that it added to the process.
    static func openInThisProcess(dataPath: String) async throws {
        let service = try await start(dataPath)
        let before = residentKibibytes()
        var count = 0
        let duration = try await ContinuousClock().measure {
            let session = try await service.open(password: password(), client: client).session
            count = try await session.photos.page(cursor: nil).photos.count
        }
        guard count > 0 else { throw VaultError.internalFailure("the library is empty") }
        print(Int(duration.seconds * 1000), residentKibibytes() - before)
        try await service.shutdown()
    }

    private static func residentKibibytes() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return 0 }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
