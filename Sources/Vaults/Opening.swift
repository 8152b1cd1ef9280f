package import Records

/// What opening or creating a vault gives.
package struct Opening: Sendable {
    package let session: Session
    /// The value of the session cookie: 43 characters of base64url, known to nobody else and stored nowhere.
    package let token: String
    /// The value of the cookie `safelight-device`: it gives this device a lane of its own in the throttle, and opens
    /// nothing.
    package let deviceCookie: String
    /// What became of the guest's photos; nil when no guest was to move in, or it could not.
    package let migration: Migration?
    /// Why the guest could not move in; its space is as it was.
    package let migrationRefusal: VaultError?
    /// The recovery code of a vault that was made with one; shown this once.
    package var recoveryCode: String?
}

/// What may go with the opening of a vault.
package struct OpeningOptions: Sendable {
    /// Keep the session beyond idleness and restarts, until its last day.
    package var keep: Bool
    /// From which the vault is opened.
    package var device: DeviceKind
    /// Whose photos move in.
    package var guest: Session?
    /// Why they cannot, where there is a guest that could not be taken up.
    package var refusal: VaultError?

    package init(
        keep: Bool = false, device: DeviceKind = DeviceKind(), guest: Session? = nil, refusal: VaultError? = nil
    ) {
        self.keep = keep
        self.device = device
        self.guest = guest
        self.refusal = refusal
    }
}

/// What beginning as a guest gives.
package struct GuestOpening: Sendable {
    package let session: Session
    /// The value of the guest's cookie. Only it opens the space again.
    package let token: String
}
