/// Why a file has no picture. The raw values stand in rows: a case never changes its number, a new one takes a free one.
package enum UnreadableReason: UInt8, Error, Sendable, CaseIterable {
    /// The file has no bytes.
    case empty = 1
    /// Nothing here reads this format, or the file is none of those that its first bytes promise.
    case unknownFormat = 2
    /// The header or the picture data are damaged.
    case damaged = 3
    /// More pixels than `ImagingLimits.pixelCount`, by the header.
    case tooManyPixels = 4
    case tooMuchMemory = 5
    case tooSlow = 6
    /// The decoder ended itself or tried what its cage forbids.
    case crashed = 7
    /// The decoder answered what no decoder of ours answers.
    case brokenProtocol = 8
    /// A raw file or a video in which there is no picture.
    case nothingToShow = 9
    /// The file is whole, but built in a way that the libraries here do not take.
    case unsupported = 10
}
