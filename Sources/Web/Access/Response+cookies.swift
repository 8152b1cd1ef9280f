import HTTPTypes
import Hummingbird
import Vaults

extension Response {
    /// Gives the browser the cookies of a session that has just begun.
    mutating func setCookies(for opening: Opening, secure: Bool) {
        addCookie(SessionCookie.vault.set(opening.token, secure: secure))
        addCookie(SessionCookie.device.set(opening.deviceCookie, secure: secure))
    }

    mutating func expireVaultCookie(secure: Bool) {
        addCookie(SessionCookie.vault.expire(secure: secure))
    }

    private mutating func addCookie(_ field: String) {
        headers.append(HTTPField(name: .setCookie, value: field))
    }
}
