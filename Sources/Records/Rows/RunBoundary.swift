/// Where a long request's runs end: what a crash can take of it is at most the last one.
package enum RunBoundary {
    /// Runs of a finished photo that are left as they are; one of more is sealed again when it is read back.
    package static let mostRunsOfPhoto = 256

    private static let least: UInt64 = 64 << 20
    private static let runsPerUpload: UInt64 = 128

    /// Bytes of one run, for content of `byteCount`.
    package static func runByteLimit(ofContent byteCount: UInt64) -> UInt64 { max(least, byteCount / runsPerUpload) }
}
