import HTTPTypes
import Hummingbird
import Vaults

extension Response {
    /// Gives the browser the cookies of a session that has just begun, and takes the guest's when the guest is no more.
    mutating func setCookies(for opening: Opening, secure: Bool) {
        addCookie(SessionCookie.vault.set(opening.token, isKept: opening.session.isKept, secure: secure))
        addCookie(SessionCookie.device.set(opening.deviceCookie, isKept: true, secure: secure))
        if opening.migration != nil { expireGuestCookie(secure: secure) }
    }

    mutating func setCookie(for guest: GuestOpening, secure: Bool) {
        addCookie(SessionCookie.guest.set(guest.token, isKept: true, secure: secure))
    }

    mutating func expireVaultCookie(secure: Bool) {
        addCookie(SessionCookie.vault.expire(secure: secure))
    }

    mutating func expireGuestCookie(secure: Bool) {
        addCookie(SessionCookie.guest.expire(secure: secure))
    }

    private mutating func addCookie(_ field: String) {
        headers.append(HTTPField(name: .setCookie, value: field))
    }
}
