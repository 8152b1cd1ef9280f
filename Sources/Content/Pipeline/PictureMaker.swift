package import Imaging
package import ImagingProtocol
package import Media

/// Who finds out what a file says about itself and how it looks. The daemon's is a `PictureStudio`.
package protocol PictureMaker: Sendable {
    /// - Throws: `unavailable` also when the task is cancelled.
    /// - Parameters:
    ///   - owner: the vault or guest whose file it is.
    ///   - requester: with whom it shares the turns.
    ///   - isAwaited: somebody waits for it; what nobody waits for may be `displaced` by it.
    func look(
        into source: any ImagingSource, as type: MediaType, of owner: [UInt8], for requester: PictureRequester,
        isAwaited: Bool
    ) async throws(ImagingError) -> Examination

    /// How far a picture is from being no more than a copy of another one. Somebody waits for it.
    /// - Throws: as `look`, but `unreadable`.
    func compare(
        _ copy: (source: any ImagingSource, type: MediaType), with best: (source: any ImagingSource, type: MediaType),
        of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureDifference

    /// Their keys are wiped: nothing of their files is to be remembered.
    func forget(_ owner: [UInt8])
}

extension PictureStudio: PictureMaker {
    package func look(
        into source: any ImagingSource, as type: MediaType, of owner: [UInt8], for requester: PictureRequester,
        isAwaited: Bool
    ) async throws(ImagingError) -> Examination {
        try await examine(source, as: type, of: owner, for: requester, isAwaited: isAwaited)
    }

    package func compare(
        _ copy: (source: any ImagingSource, type: MediaType), with best: (source: any ImagingSource, type: MediaType),
        of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureDifference {
        try await compare(copy, with: best, of: owner, for: requester, isAwaited: true)
    }
}

/// Who makes pictures, and how many at the same time for one vault.
package struct PictureMaking: Sendable {
    package var maker: any PictureMaker
    package var workerCount: Int
    /// False while pictures cannot be made, for want of the program.
    package var isAvailable: @Sendable () async -> Bool

    package init(
        maker: any PictureMaker, workerCount: Int = 1, isAvailable: @escaping @Sendable () async -> Bool = { true }
    ) {
        self.maker = maker
        self.workerCount = max(1, workerCount)
        self.isAvailable = isAvailable
    }
}
