import HTTPTypes
import Hummingbird
import Vaults

extension Response {
    /// Gives the browser the cookies of a session that has just begun, and takes the guest's when the guest is no more.
    mutating func setCookies(for opening: Opening, at place: SessionCookie.Place) {
        addCookie(SessionCookie.vault.set(opening.token, isKept: opening.session.isKept, at: place))
        addCookie(SessionCookie.device.set(opening.deviceCookie, isKept: true, at: place))
        if opening.migration != nil { expireGuestCookie(at: place) }
    }

    mutating func setCookie(for guest: GuestOpening, at place: SessionCookie.Place) {
        addCookie(SessionCookie.guest.set(guest.token, isKept: true, at: place))
    }

    /// - Parameter token: of somebody who came to a door.
    mutating func setVisitorCookie(_ token: String, at place: SessionCookie.Place) {
        addCookie(SessionCookie.visitor.set(token, isKept: true, at: place))
    }

    mutating func expireVaultCookie(at place: SessionCookie.Place) {
        addCookie(SessionCookie.vault.expire(at: place))
    }

    mutating func expireGuestCookie(at place: SessionCookie.Place) {
        addCookie(SessionCookie.guest.expire(at: place))
    }

    private mutating func addCookie(_ field: String) {
        headers.append(HTTPField(name: .setCookie, value: field))
    }
}
