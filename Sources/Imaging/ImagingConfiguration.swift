package import ImagingProtocol

package struct ImagingConfiguration: Sendable {
    /// Paths of the executables; nil or missing: pictures or videos are `ImagingError.unavailable`.
    package var pictureExecutable: String?
    package var videoExecutable: String?
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

    package init(
        pictureExecutable: String?, videoExecutable: String? = nil, workerCount: Int = 1,
        picturesPerWorker: Int = ImagingLimits.mostJobs, limits: ImagingLimits = ImagingLimits(),
        patience: Duration = .seconds(300),
        stallTime: Duration = .seconds(30), idleTime: Duration = .seconds(30)
    ) {
        self.pictureExecutable = pictureExecutable
        self.videoExecutable = videoExecutable
        self.workerCount = workerCount
        self.picturesPerWorker = min(picturesPerWorker, ImagingLimits.mostJobs)
        self.limits = limits
        self.patience = patience
        self.stallTime = stallTime
        self.idleTime = idleTime
    }
}
