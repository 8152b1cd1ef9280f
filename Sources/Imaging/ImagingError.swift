package import ImagingProtocol

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
package let imagingVersion: UInt8 = 5
