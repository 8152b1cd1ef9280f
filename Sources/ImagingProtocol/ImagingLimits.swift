/// What one child may use. It is told before it sees a first byte of anybody's file, and enforces it upon itself.
package struct ImagingLimits: Equatable, Sendable {
    /// Address space on top of what the child has mapped when its libraries are loaded and warm (RLIMIT_AS).
    package var memoryByteCount: UInt64
    /// Processor time of one job (RLIMIT_CPU).
    package var processorSeconds: UInt16
    /// Pixels of a picture, by its header, above which it is not decoded.
    package var pixelCount: UInt64
    /// Whether processor and disk are used only when nobody else wants them.
    package var isIdle: Bool

    package init(
        memoryByteCount: UInt64 = 1 << 30, processorSeconds: UInt16 = 60, pixelCount: UInt64 = 200_000_000,
        isIdle: Bool = true
    ) {
        self.memoryByteCount = memoryByteCount
        self.processorSeconds = processorSeconds
        self.pixelCount = pixelCount
        self.isIdle = isIdle
    }
}
