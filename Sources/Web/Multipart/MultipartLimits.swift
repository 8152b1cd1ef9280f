/// Bounds on what one `multipart/form-data` body may ask of the parser.
package struct MultipartLimits: Sendable {
    /// Parts in one body: 10,000 files, and the fields that stand beside them.
    package var partCount = 10_100
    /// Bytes in the header block of one part.
    package var partHeaderByteCount = 16 * 1024
    /// Bytes before the first boundary, all of them thrown away.
    package var preambleByteCount = 64 * 1024

    package init() {}
}
