package import ImagingProtocol
package import Logging
package import Media

/// Finds out what a picture or video says about itself and how it looks, in child processes that have no key, no file
/// and no network.
package actor PictureStudio {
    let configuration: ImagingConfiguration
    let logger: Logger
    let clock: any Clock<Duration>
    var slots: SlotQueue
    var workers = WorkerPool()
    private var trials: [Worker.Kind: ChildTrials] = [:]

    package init(
        configuration: ImagingConfiguration, logger: Logger, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        slots = SlotQueue(count: configuration.workerCount)
    }

    /// Looks into one file; waits while all workers are busy. Cancelling the task ends the work, as `unavailable`. A file
    /// without a picture that tells facts is no error: `Examination.unreadable` says why there is none.
    /// - Parameters:
    ///   - owner: whose file it is; no child sees the files of two.
    ///   - requester: with whom it shares the turns; by itself the owner.
    ///   - isAwaited: somebody waits for it. It goes before what nobody waits for, in the place of such a picture where
    ///     all are taken (which is `displaced` then), and does not wait for a processor that nobody else wants.
    package func examine(
        _ source: some ImagingSource, as type: MediaType, of owner: [UInt8] = [],
        for requester: PictureRequester? = nil, isAwaited: Bool = false
    ) async throws(ImagingError) -> Examination {
        guard source.byteCount > 0 else { throw .unreadable(.empty) }
        let request = PictureRequest(
            owner: owner, requester: requester ?? PictureRequester(key: owner), isAwaited: isAwaited)
        if type.isVideo { return try await examineVideo(source, as: type, request) }
        guard type.isPicture else { throw .unreadable(.unknownFormat) }
        return Examination(try await result(source, Self.job(source, type), by: .pictures, request))
    }

    /// How far a picture is from being no more than a copy of another one, by the pixels of both. What cannot be compared is
    /// as far as can be. Waits and ends as `examine` does.
    package func compare(
        _ copy: (source: any ImagingSource, type: MediaType), with best: (source: any ImagingSource, type: MediaType),
        of owner: [UInt8] = [], for requester: PictureRequester? = nil, isAwaited: Bool = false
    ) async throws(ImagingError) -> PictureDifference {
        let request = PictureRequest(
            owner: owner, requester: requester ?? PictureRequester(key: owner), isAwaited: isAwaited)
        let job = DaemonMessage.Job(
            type: best.type, byteCount: best.source.byteCount,
            copy: DaemonMessage.Job.File(type: copy.type, byteCount: copy.source.byteCount))
        do throws(ImagingError) {
            let both = JoinedSource(first: best.source, second: copy.source)
            return try await result(both, job, by: .pictures, request).difference ?? .most
        } catch .unreadable {
            return .most
        }
    }

    /// What is written in a picture, which is JPEG or WebP of this host's own making; empty where nothing is. Nobody waits for
    /// it. Waits and ends as `examine` does.
    package func words(
        in picture: [UInt8], as type: MediaType, of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureWords {
        let request = PictureRequest(owner: owner, requester: requester, isAwaited: false)
        return try await result(picture, Self.job(picture, type), by: .words, request).words ?? PictureWords()
    }

    /// Whether words are read here, as far as it is known: not where that is not wanted, nor where no child could be started.
    /// Then it is tried again meanwhile: memory may have been short for a moment.
    package var readsWords: Bool {
        guard configuration.wordExecutable != nil, !workers.isClosed else { return false }
        guard workers.isMissing(.words) else { return true }
        tryMeanwhile(.words)
        return false
    }

    /// Whose file it is, and how urgent.
    struct PictureRequest: Sendable {
        let owner: [UInt8]
        let requester: PictureRequester
        let isAwaited: Bool
    }

    /// Nobody of theirs is there any more: what children may remember of their files goes.
    package nonisolated func forget(_ owner: [UInt8]) { Task { await endIdle(of: owner) } }

    /// The poster is a picture like others, and made small where pictures are. Where nothing here plays videos, or what
    /// plays them fails, what the file says about itself is still told, by the child for pictures.
    private func examineVideo(
        _ source: some ImagingSource, as type: MediaType, _ request: PictureRequest
    ) async throws(ImagingError) -> Examination {
        var video: JobResult
        var isWithoutPlayer = false
        let job = Self.job(source, type)
        do throws(ImagingError) {
            video = try await result(source, job, by: .videos, request)
        } catch .unavailable where !Task.isCancelled && !workers.isClosed && workers.isMissing(.videos) {
            video = try await result(source, job, by: .pictures, request)
            isWithoutPlayer = true
        } catch .unreadable(let reason) {
            video = try await result(source, job, by: .pictures, request)
            video.unreadable = reason
        }
        guard let poster = video.poster else { return Examination(video, isWithoutPlayer: isWithoutPlayer) }
        do throws(ImagingError) {
            return Examination(video, poster: try await result(poster, Self.job(poster, .jpeg), by: .pictures, request))
        } catch .unreadable {
            return Examination(video)
        }
    }

    /// Whether children that look into pictures can be started, as far as it is known. Where none was yet, or the last one
    /// could not be, it is tried meanwhile: what libraries lack shows only then.
    package func isAbleToWork() -> Bool {
        tryMeanwhile(.pictures)
        return !workers.isMissing(.pictures)
    }

    private func tryMeanwhile(_ kind: Worker.Kind) {
        guard trials[kind, default: ChildTrials()].mustTry(isMissing: workers.isMissing(kind)), !workers.isClosed
        else { return }
        Task { await tryChild(kind) }
    }

    private func tryChild(_ kind: Worker.Kind) async {
        let slot = slots.nextNumber()
        let nobody = PictureRequest(owner: [], requester: PictureRequester(key: []), isAwaited: false)
        if let worker = try? await worker(for: kind, nobody, in: slot) { await retire(worker) }
        workers.leave(slot)
        trials[kind]?.end()
    }

    /// Ends every child; looks under way and later ones are `ImagingError.unavailable`.
    package func close() async {
        slots.close()
        for worker in workers.close() { await retire(worker) }
        await withCheckedContinuation { workers.whenEmpty($0) }
    }

    private static func job(_ source: some ImagingSource, _ type: MediaType) -> DaemonMessage.Job {
        DaemonMessage.Job(type: type, byteCount: source.byteCount)
    }

    private func result(
        _ source: some ImagingSource, _ job: DaemonMessage.Job, by kind: Worker.Kind, _ request: PictureRequest
    ) async throws(ImagingError) -> JobResult {
        let slot = slots.nextNumber()
        guard await take(slot, request) else { throw .unavailable }
        defer { slots.giveBack(slot) }
        while true {
            // Before a child is begun that would only be ended.
            guard !slots.isDisplaced(slot) else { throw .displaced }
            let worker = try await worker(for: kind, request, in: slot)
            defer { workers.leave(slot) }
            do throws(ImagingError) {
                let result = try await attempt(source, job, by: worker)
                guard let reason = result.unreadable, reason.mayComeFromEarlierJobs, worker.jobCount > 0 else {
                    return result
                }
            } catch .unreadable(let reason) where reason.mayComeFromEarlierJobs && worker.jobCount > 0 {
                continue
            }
        }
    }

    private func take(_ slot: Int, _ request: PictureRequest) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let displaced = slots.take(slot, for: request.requester, isAwaited: request.isAwaited) {
                    continuation.resume(returning: $0)
                }
                if let displaced { workers.displace(in: displaced) }
                if request.isAwaited, slots.awaitedCount > 0 { watch(slots.runningNumbers) }
            }
        } onCancel: {
            Task { await self.giveUpSlot(slot) }
        }
    }

    /// Somebody waits: what is still at work after a while takes long.
    private func watch(_ running: Set<Int>) {
        Task { [weak self, clock, configuration] in
            guard (try? await clock.sleep(for: configuration.longLook)) != nil else { return }
            await self?.noteLong(running)
        }
    }

    private func noteLong(_ running: Set<Int>) { slots.noteLong(running) }

    private func giveUpSlot(_ number: Int) { slots.giveUp(number) }
}

extension UnreadableReason {
    /// What a child that has decoded other files may owe to them: such a file gets a second look by a new child.
    var mayComeFromEarlierJobs: Bool {
        switch self {
        case .tooMuchMemory, .tooSlow, .crashed, .brokenProtocol: true
        case .empty, .unknownFormat, .damaged, .tooManyPixels, .nothingToShow, .unsupported: false
        }
    }
}

extension Examination {
    init(_ result: JobResult, isWithoutPlayer: Bool = false) {
        self.init(
            facts: result.facts, thumbnail: result.thumbnail, preview: result.preview, isDamaged: result.isDamaged,
            unreadable: result.unreadable, isWithoutPlayer: isWithoutPlayer)
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

/// When it is tried whether a child can be started: at first, and from time to time while none can.
struct ChildTrials {
    private static let pause: Duration = .seconds(10)

    private var isUnderWay = false
    private var last: ContinuousClock.Instant?

    /// True when a trial is to begin now.
    mutating func mustTry(isMissing: Bool, now: ContinuousClock.Instant = .now) -> Bool {
        guard !isUnderWay else { return false }
        if let last, !isMissing || now - last < Self.pause { return false }
        isUnderWay = true
        last = now
        return true
    }

    mutating func end() { isUnderWay = false }
}

/// Why a file has not been looked into.
package enum ImagingError: Error {
    /// The file itself is the reason: that stands in its row, and it is not tried again before `imagingVersion` changes.
    case unreadable(UnreadableReason)
    /// No executable, no process to be had, or the studio is closing: the file is to be tried again later.
    case unavailable
    /// The child neither worked nor ended for as long as anybody waits. It may have been the host: the file is to be
    /// tried again much later.
    case stalled
    /// Somebody waits for another picture, which took the place: to be tried again when there is one.
    case displaced
    /// The original could not be read: to be tried again later.
    case source(any Error)
}

/// Of decoders, limits and outputs: a file that could not be read by one version is tried again by the next.
package let imagingVersion: UInt8 = 6

/// A file as the daemon can give it out by ranges; the children ask for the ranges that they need.
package protocol ImagingSource: Sendable {
    var byteCount: UInt64 { get }

    /// The bytes from `offset` on: `count` of them, fewer only where the file ends.
    func read(at offset: UInt64, count: Int) async throws -> [UInt8]
}

/// Two files one behind the other.
struct JoinedSource: ImagingSource {
    let first: any ImagingSource
    let second: any ImagingSource

    var byteCount: UInt64 { first.byteCount + second.byteCount }

    /// A range that goes over the end of the first file gives what that has of it.
    func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
        guard offset < first.byteCount else { return try await second.read(at: offset - first.byteCount, count: count) }
        return try await first.read(at: offset, count: min(count, Int(clamping: first.byteCount - offset)))
    }
}

extension [UInt8]: ImagingSource {
    package var byteCount: UInt64 { UInt64(count) }

    package func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
        guard let start = Int(exactly: offset), start < self.count, count > 0 else { return [] }
        return Array(self[start..<start + Swift.min(count, self.count - start)])
    }
}

package struct ImagingConfiguration: Sendable {
    /// Paths of the executables; nil or missing: pictures or videos are `ImagingError.unavailable`.
    package var pictureExecutable: String?
    package var videoExecutable: String?
    /// Nil where nobody reads words.
    package var wordExecutable: String?
    /// Files that are looked into at the same time.
    package var workerCount: Int
    /// After so many files a child is replaced.
    package var picturesPerWorker: Int
    package var limits: ImagingLimits
    /// How long one file may take. A child that used little processor time meanwhile was not let run.
    package var patience: Duration
    /// A child that owes a message and uses no processor time at all for so long stands still for ever: even an idle one on
    /// a busy host gets some.
    package var stallTime: Duration
    /// An idle child ends after this time.
    package var idleTime: Duration
    /// How long a look takes a slot from others who wait; it goes on beside them then.
    package var longLook: Duration = .seconds(2)

    /// One for each processor but one, as far as half of the memory holds what they may take; never none.
    /// - Parameter availableByteCount: nil where it is not known.
    package static func defaultWorkerCount(
        processorCount: Int, availableByteCount: UInt64?, limits: ImagingLimits = ImagingLimits()
    ) -> Int {
        let spare = UInt64(clamping: processorCount - 1)
        let fitting = availableByteCount.map { $0 / 2 / max(1, limits.memoryByteCount) } ?? spare
        return Int(max(1, min(spare, fitting, 64)))
    }

    /// A gibibyte holds nearly every file there is. A host that has more to spare gives up to two, for the pictures of
    /// 200 megapixels that phones make by now.
    package static func defaultLimits(availableByteCount: UInt64?) -> ImagingLimits {
        ImagingLimits(memoryByteCount: min(max(1 << 30, (availableByteCount ?? 0) / 3), 2 << 30))
    }

    /// Words are read in small pictures only: less memory and time than a photo may take.
    func limits(of kind: Worker.Kind) -> ImagingLimits {
        guard kind == .words else { return limits }
        var limits = limits
        limits.memoryByteCount = min(limits.memoryByteCount, 300 << 20)
        limits.processorSeconds = min(limits.processorSeconds, 30)
        return limits
    }

    package init(
        pictureExecutable: String?, videoExecutable: String? = nil, wordExecutable: String? = nil,
        workerCount: Int = 1,
        picturesPerWorker: Int = ImagingLimits.mostJobs, limits: ImagingLimits = ImagingLimits(),
        patience: Duration = .seconds(300),
        stallTime: Duration = .seconds(30), idleTime: Duration = .seconds(30)
    ) {
        self.pictureExecutable = pictureExecutable
        self.videoExecutable = videoExecutable
        self.wordExecutable = wordExecutable
        self.workerCount = workerCount
        self.picturesPerWorker = min(picturesPerWorker, ImagingLimits.mostJobs)
        self.limits = limits
        self.patience = patience
        self.stallTime = stallTime
        self.idleTime = idleTime
    }
}
