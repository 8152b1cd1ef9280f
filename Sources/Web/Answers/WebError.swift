package import HTTPTypes

/// What a request can be refused for before any vault is asked. `ProblemDetails` turns it into the answer.
package enum WebError: Error, Equatable, Sendable {
    /// The body is not the JSON object that this route reads; the text names the first thing that is wrong.
    case malformedJSON(String)
    /// The body is not the `multipart/form-data` that its header promises.
    case malformedMultipart(String)
    /// A form with more parts than are looked at; those before are kept.
    case tooManyParts(limit: Int)
    /// All parts of a form came, but fewer bytes than were announced: one of its files is not whole, and which is
    /// unknown.
    case formShrank
    /// A header field or part of the address cannot be read.
    case malformedRequest(String)
    /// The body's type is one that this route does not take.
    case unsupportedMediaType
    /// The body is compressed; only `identity` is taken, so that what is counted is what is kept.
    case unsupportedContentEncoding
    /// The body is only a part of a file, by the request's own word.
    case partOfFile
    /// A body larger than this many bytes, where no photo is expected.
    case bodyTooLarge(limit: Int)
    /// The request asks for more than one may take, see `Allowance`.
    case tooMuch
    /// A photo without a body: neither a length nor chunks were announced.
    case lengthRequired
    /// The body ended before its announced length.
    case bodyEndedEarly
    /// `Tus-Resumable` is missing or names another version than 1.0.0.
    case unsupportedTusVersion
    /// Another site may have caused this request.
    case crossSite
    /// `Host` does not name this host.
    case wrongHost
    /// Plain HTTP from another device, to something that only an encrypted connection may reach.
    case tlsRequired
    /// The request came so through a proxy that is not set up.
    case proxyIncomplete(ProxyGap)
    /// `Expect` asks for something else than leave to send the body.
    case expectationUnknown
    /// There is no certificate of that kind: none could be made yet, or the owner gave one that nobody has to install.
    case noCertificate
    /// A QR code was asked for an address that is not one of this host.
    case notOurAddress
    /// Neither cookie nor credentials of an open vault.
    case notSignedIn
    /// No such address.
    case notFound
    /// The address exists, but not for this method.
    case methodNotAllowed(allowed: [HTTPRequest.Method])
    /// A method that this host does not know at all.
    case methodUnknown
    /// `Range` lies outside the photo of this many bytes.
    case rangeNotSatisfiable(byteCount: UInt64)
    /// Only of a JPEG can a copy be made that says nothing about itself.
    case noCleanCopy
    /// No video lies in that photo's file.
    case noMotion
    /// Nobody has looked into that photo yet.
    case pictureNotYet
    /// There is nothing to show of that photo, and why.
    case noPicture(reason: String)
}
