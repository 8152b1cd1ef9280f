package import ImagingProtocol
package import Logging
package import Media

/// Finds out what a picture or video says about itself and how it looks, in child processes that have no key, no file
/// and no network.
package actor PictureStudio {
    let configuration: ImagingConfiguration
    let logger: Logger
    let clock: any Clock<Duration>
    private var slots: SlotQueue
    var workers = WorkerPool()

    package init(
        configuration: ImagingConfiguration, logger: Logger, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        slots = SlotQueue(count: configuration.workerCount)
    }

    /// Looks into one file; waits while all workers are busy. Cancelling the task ends the work, as `unavailable`.
    /// - Parameter owner: whose file it is; no child sees the files of two.
    package func examine(
        _ source: some ImagingSource, as type: MediaType, of owner: [UInt8] = []
    ) async throws(ImagingError) -> Examination {
        guard source.byteCount > 0 else { throw .unreadable(.empty) }
        if type.isVideo { return try await examineVideo(source, as: type, of: owner) }
        guard type.isPicture else { throw .unreadable(.unknownFormat) }
        return Examination(try await result(source, as: type, by: .pictures, of: owner))
    }

    /// Nobody of theirs is there any more: what children may remember of their files goes.
    package nonisolated func forget(_ owner: [UInt8]) { Task { await endIdle(of: owner) } }

    /// The poster is a picture like others, and made small where pictures are. Where nothing here plays videos, what
    /// the file says about itself is still told, by the child for pictures.
    private func examineVideo(
        _ source: some ImagingSource, as type: MediaType, of owner: [UInt8]
    ) async throws(ImagingError) -> Examination {
        var video: JobResult
        do throws(ImagingError) {
            video = try await result(source, as: type, by: .videos, of: owner)
        } catch .unavailable where !Task.isCancelled && !workers.isClosed && workers.isMissing(.videos) {
            video = try await result(source, as: type, by: .pictures, of: owner)
        }
        guard let poster = video.poster else { return Examination(video) }
        do throws(ImagingError) {
            return Examination(video, poster: try await result(poster, as: .jpeg, by: .pictures, of: owner))
        } catch .unreadable {
            return Examination(video)
        }
    }

    /// Ends every child; looks under way and later ones are `ImagingError.unavailable`.
    package func close() async {
        slots.close()
        for worker in workers.close() { await retire(worker) }
        await withCheckedContinuation { workers.whenEmpty($0) }
    }

    private func result(
        _ source: some ImagingSource, as type: MediaType, by kind: Worker.Kind, of owner: [UInt8]
    ) async throws(ImagingError) -> JobResult {
        guard await takeSlot() else { throw .unavailable }
        defer { slots.giveBack() }
        while true {
            let worker = try await worker(for: kind, of: owner)
            do throws(ImagingError) {
                return try await attempt(source, as: type, by: worker)
            } catch .unreadable(let reason) where reason.mayComeFromEarlierJobs && worker.jobCount > 0 {
                continue
            }
        }
    }

    private func takeSlot() async -> Bool {
        let number = slots.nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                slots.take(number) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            Task { await self.giveUpSlot(number) }
        }
    }

    private func giveUpSlot(_ number: Int) { slots.giveUp(number) }
}

extension UnreadableReason {
    /// What a child that has decoded other files may owe to them: such a file gets a second look by a new child.
    var mayComeFromEarlierJobs: Bool {
        switch self {
        case .tooMuchMemory, .tooSlow, .crashed, .brokenProtocol: true
        case .empty, .unknownFormat, .damaged, .tooManyPixels, .nothingToShow: false
        }
    }
}

extension Examination {
    init(_ result: JobResult) {
        self.init(
            facts: result.facts, thumbnail: result.thumbnail, preview: result.preview, isDamaged: result.isDamaged)
    }

    /// Of a video, whose facts are its own but for what only its poster shows.
    init(_ video: JobResult, poster: JobResult) {
        self.init(video)
        thumbnail = poster.thumbnail
        preview = poster.preview
        facts.dominantColour = poster.facts.dominantColour
        facts.placeholder = poster.facts.placeholder
        facts.width = video.facts.width ?? poster.facts.width
        facts.height = video.facts.height ?? poster.facts.height
    }
}
