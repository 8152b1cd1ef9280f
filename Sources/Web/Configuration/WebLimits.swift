/// Bounds on what one request may ask for; sizes in bytes. Those on connections are `ListenerLimits`.
package struct WebLimits: Sendable {
    /// A body with passwords.
    package var passwordBodyByteCount = 4 * 1024
    /// A body that lists photos: 10,000 of them and more.
    package var idListByteCount = 256 * 1024
    package var multipart = MultipartLimits()

    package init() {}
}
