/// Why a file could not be looked into.
package enum MediaError: Error {
    /// The source could not be read. A file that is merely damaged is no error: it says less about itself.
    case source(any Error)
    /// The bytes are no JPEG, or one whose header is damaged: no clean copy can be made of it.
    case malformedJPEG
}
