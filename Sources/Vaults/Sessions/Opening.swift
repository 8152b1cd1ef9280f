/// What opening or creating a vault gives.
package struct Opening: Sendable {
    package let session: Session
    /// For the session cookie: 43 characters of base64url. Known to nobody else, and stored nowhere.
    package let token: String
    /// For the cookie `safelight-device`: gives this device a lane of its own in the throttle, and opens nothing.
    package let deviceCookie: String
}
