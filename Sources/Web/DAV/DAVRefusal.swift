import HTTPTypes
import Hummingbird
import NIOCore
import XML

/// Why a request is refused in the words of WebDAV (RFC 4918): a status, and for programs the condition that was not met.
struct DAVRefusal: Error, Equatable {
    let status: HTTPResponse.Status
    /// An element of the namespace `DAV:`; nil where the status says all.
    var condition: String?
    /// For people.
    let title: String

    static let malformed = Self(status: .badRequest, title: "The body is not the XML that this method takes.")
    static let tooMuch = Self(
        status: .contentTooLarge, title: "The body holds more than one request may ask for. Send it in parts.")
    static let tooManyProperties = Self(
        status: .contentTooLarge, title: "That asks for more properties than one request takes. Ask for a part of them."
    )
    static let longOwner = Self(
        status: .contentTooLarge, title: "The lock's owner is longer than 2,048 bytes. Say it in fewer words.")
    static let longProperty = Self(
        status: .contentTooLarge, title: "A property is longer than 16,384 bytes. Nothing was changed.")
    static let infiniteDepth = Self(
        status: .forbidden, condition: "propfind-finite-depth", title: "Ask for one folder at a time: Depth 0 or 1.")
    static let locked = Self(
        status: .init(code: 423, reasonPhrase: "Locked"), condition: "lock-token-submitted",
        title: "Somebody holds a lock on it.")
    static let lockConflict = Self(
        status: .init(code: 423, reasonPhrase: "Locked"), condition: "no-conflicting-lock",
        title: "Somebody holds a lock on it.")
    static let noSuchLock = Self(
        status: .conflict, condition: "lock-token-matches-request-uri", title: "There is no such lock.")
    static let preconditionFailed = Self(status: .preconditionFailed, title: "It is not as the request expects it.")
    static let noParent = Self(status: .conflict, title: "The folder is not there.")
    static let exists = Self(status: .methodNotAllowed, title: "It is there already.")
    static let isFolder = Self(status: .methodNotAllowed, title: "It is a folder.")
    static let readOnly = Self(
        status: .forbidden, title: "Nothing can be changed there: photos come in by the folders inbox and albums.")
    static let flatAlbum = Self(status: .forbidden, title: "An album holds photos, and no folders.")
    static let albumStays = Self(status: .forbidden, title: "An album can be renamed or copied among the albums only.")
    static let sidecar = Self(
        status: .forbidden, title: "It belongs to a photo of this album, and leaves it with that photo.")
    static let forgotten = Self(
        status: .forbidden, title: "Of that file only the name is known, so it can become no other.")
    static let otherHost = Self(status: .badGateway, title: "The destination is another host.")
    static let sameResource = Self(status: .forbidden, title: "Source and destination are one.")
    static let tooMany = Self(status: .insufficientStorage, title: "That is more than is remembered of one client.")
    static let digestMismatch = Self(
        status: .badRequest, title: "The bytes do not match the digest that was announced. Nothing of them was kept.")

    /// - Parameter reason: the first thing that is wrong with the body, in words that follow a colon.
    static func unreadable(_ reason: String) -> Self {
        Self(status: .badRequest, title: "The body's XML cannot be read: \(reason).")
    }

    var response: Response {
        let error = condition.map { "<D:\($0)/>" } ?? ""
        let body =
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:error xmlns:D=\"DAV:\">\(error)"
            + "<S:title xmlns:S=\"urn:safelight\">\(XMLText.escaped(title))</S:title></D:error>\n"
        var response = Response(
            status: status, headers: [.contentType: "application/xml; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
        if status == .methodNotAllowed { response.headers[.allow] = DAVRoutes.allowed }
        return response
    }
}
