import Foundation
import Imaging
import ImagingProtocol
import Logging
import Media
import Testing

/// What the tests of this target need: the real executable and photos.
enum Surroundings {
    /// Beside the bundle of the tests, where the package manager builds both.
    static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("safelight-imaging").path

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// Photos that `scripts/make-test-photos` makes.
    static let photos = tests.appending(path: "Photos")
    /// Real ones, of the same names, where they lie beside the checkout.
    static let realPhotos = tests.appending(path: "../../shared/photos").standardizedFileURL
    /// The folders of photos that are here.
    static let folders =
        FileManager.default.fileExists(atPath: realPhotos.path()) ? [photos, realPhotos] : [photos]

    static func photo(_ name: String, in folder: URL = photos) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: name)))
    }

    static func studio(
        executable: String = Surroundings.executable, workerCount: Int = 1, picturesPerWorker: Int = 500,
        limits: ImagingLimits = ImagingLimits(isIdle: false), clock: any Clock<Duration> = ContinuousClock()
    ) -> PictureStudio {
        PictureStudio(
            configuration: ImagingConfiguration(
                pictureExecutable: executable, workerCount: workerCount, picturesPerWorker: picturesPerWorker,
                limits: limits),
            logger: Logger(label: "imaging-tests", factory: { _ in SwiftLogNoOpLogHandler() }), clock: clock)
    }

    /// Runs `body` with a studio that is closed afterwards.
    static func withStudio(
        _ studio: PictureStudio = Surroundings.studio(), _ body: (PictureStudio) async throws -> Void
    ) async throws {
        do {
            try await body(studio)
        } catch {
            await studio.close()
            throw error
        }
        await studio.close()
    }
}

extension PictureStudio {
    func examine(_ bytes: [UInt8]) async throws(ImagingError) -> Examination {
        try await examine(bytes, as: MediaType.sniff(bytes.prefix(MediaType.headByteCount)))
    }

    /// Why it has no picture; nil if it has one.
    func reason(_ bytes: [UInt8], as type: MediaType? = nil) async throws -> UnreadableReason? {
        do {
            let type = type ?? MediaType.sniff(bytes.prefix(MediaType.headByteCount))
            return try await examine(bytes, as: type).unreadable
        } catch {
            guard case .unreadable(let reason) = error else { throw error }
            return reason
        }
    }

    /// - Parameter reason: nil if it is to have a picture.
    func expect(
        _ bytes: [UInt8], as type: MediaType? = nil, is reason: UnreadableReason?,
        at place: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await self.reason(bytes, as: type)
        #expect(found == reason, sourceLocation: place)
    }
}
