/// Bounds on what one request or connection may ask for; sizes in bytes.
package struct WebLimits: Sendable {
    package var headerByteCount = 32 * 1024
    package var headerFieldCount = 100
    /// A body with passwords.
    package var passwordBodyByteCount = 4 * 1024
    /// A body that lists photos: 10,000 of them and more.
    package var idListByteCount = 256 * 1024
    /// How long a connection may stay silent between requests or while one is being read. Well above the longest stall
    /// of a disk, since a stalled disk makes us stop reading.
    package var idleTimeout: Duration = .seconds(120)
    /// What is still read of a body that was refused, so that the answer arrives before the connection goes.
    package var refusedBodyByteCount = 1024 * 1024
    /// How long after the answer to a refused body the connection stays.
    package var refusedBodyLinger: Duration = .seconds(1)
    /// The largest piece read from a socket at once.
    package var receiveByteCount = 128 * 1024
    /// The piece in which a photo is read and sent.
    package var sendByteCount = 256 * 1024
    package var multipart = MultipartLimits()

    package init() {}
}
