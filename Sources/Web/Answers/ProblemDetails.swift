package import HTTPTypes

/// An answer to a request that failed, as `application/problem+json` (RFC 9457).
package struct ProblemDetails: Equatable, Sendable, Encodable {
    /// `about:blank` but for kinds that are registered with IANA, which clients may know.
    package var type = "about:blank"
    package let status: HTTPResponse.Status
    /// Stable, in kebab-case; what programs look at.
    package let code: String
    /// What happened.
    package let title: String
    /// Whether anything is lost, and what to do.
    package let detail: String
    /// Whole seconds after which another try makes sense; sent as `Retry-After`.
    package var retryAfter: Int?
    /// The id of the album that has the name already.
    package var album: String?
    /// The name of the door that is not open.
    package var door: String?
    /// The name of the window that is not open.
    package var window: String?
    /// What there was too much of, where it is not guesses.
    package var limit: String?

    package init(
        _ status: HTTPResponse.Status, _ code: String, _ title: String, _ detail: String, retryAfter: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// This one as a kind of IANA's registry of problem types.
    func registered(as name: String) -> Self {
        var problem = self
        problem.type = "https://iana.org/assignments/http-problem-types#\(name)"
        return problem
    }

    private enum Key: String, CodingKey { case type, title, status, code, detail, album, door, window, limit }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        try container.encode(title, forKey: .title)
        try container.encode(status.code, forKey: .status)
        try container.encode(code, forKey: .code)
        try container.encode(detail, forKey: .detail)
        try container.encodeIfPresent(album, forKey: .album)
        try container.encodeIfPresent(door, forKey: .door)
        try container.encodeIfPresent(window, forKey: .window)
        try container.encodeIfPresent(limit, forKey: .limit)
    }
}

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

extension ProblemDetails {
    /// What a refusal by this target looks like from outside.
    package init(_ error: WebError) {
        switch error {
        case .malformedJSON(let what):
            self.init(.badRequest, "malformed-json", "The request's JSON cannot be read: \(what).", Self.nothingDone)
        case .malformedMultipart(let what):
            self.init(.badRequest, "malformed-form", "The form cannot be read: \(what).", Self.partNotKept)
        case .tooManyParts(let limit):
            self.init(
                .contentTooLarge, "too-many-parts", "A form brings at most \(limit) files and fields.",
                "Those before are saved. Send the others in another form.")
        case .formShrank:
            self.init(
                .badRequest, "form-shrank", "A file became shorter while it was sent.",
                "Nothing of this form counts as saved; what came of it lies in \"Recently deleted\". Send it again.")
        case .malformedRequest(let what):
            self.init(.badRequest, "malformed-request", "The request cannot be read: \(what).", Self.nothingDone)
        case .unsupportedMediaType:
            self.init(.unsupportedMediaType, "media-type", "A body of this type is not taken here.", Self.nothingDone)
        case .unsupportedContentEncoding:
            self.init(
                .unsupportedMediaType, "content-encoding", "Compressed bodies are not taken.",
                "Nothing was kept. Send the file as it is.")
        case .partOfFile:
            self.init(
                .badRequest, "part-of-file", "Only a part of a file came.",
                "Nothing of it was kept. Send the whole file, or go on with an upload by tus.")
        case .bodyTooLarge(let limit):
            self.init(
                .contentTooLarge, "body-too-large", "The request's body is larger than \(limit) bytes.",
                Self.nothingDone)
        case .tooMuch:
            self.init(
                .contentTooLarge, "too-much", "That asks for more than one request may take.",
                "Nothing is lost. Ask for less at a time, in several requests.")
        case .lengthRequired:
            self.init(
                .lengthRequired, "length-required", "No file came with this request.",
                "Nothing was kept. Announce its length, or send it in chunks.")
        case .bodyEndedEarly:
            self.init(
                .badRequest, "body-ended-early", "The file ended before all of it had arrived.",
                "Nothing of it was kept. Send it again.")
        case .unsupportedTusVersion:
            self.init(
                .preconditionFailed, "tus-version", "Resumable uploads speak tus \(TusProtocol.version) here.",
                "Nothing was changed. Send Tus-Resumable with this version.")
        case .crossSite:
            self.init(
                .forbidden, "cross-site", "This request may come from another site.",
                "Nothing was changed. Use Safelight's own page.")
        case .wrongHost:
            self.init(
                .misdirectedRequest, "wrong-host", "Safelight does not answer to that name.",
                "Nothing was changed. Use its address, or add the name to its configuration.")
        case .tlsRequired:
            self.init(
                .upgradeRequired, "tls-required", "This needs a secure connection.",
                "Nothing was done. Use the same address with https. A password that was sent could be read on its way.")
        case .proxyIncomplete(let gap):
            self.init(
                .upgradeRequired, "proxy-incomplete", "The proxy in front of Safelight is not set up for it.",
                gap == .proxyNotNamed
                    ? "Nothing was done. Its address has to stand under proxies in Safelight's configuration."
                    : "Nothing was done. It has to send X-Forwarded-Proto.")
        case .expectationUnknown:
            self.init(
                .expectationFailed, "expectation", "What this request expects of Safelight is not known here.",
                Self.nothingDone)
        case .noCertificate:
            self.init(
                .notFound, "no-certificate", "Safelight has no certificate of that kind.",
                "Nothing was changed. If its clock was wrong, try again once it is right.")
        case .notOurAddress:
            self.init(
                .badRequest, "address", "That is not an address of this Safelight.",
                "Nothing was changed. Take one of the list of addresses.")
        case .notSignedIn:
            self.init(
                .unauthorized, "no-session", "No vault is open here.", "Nothing is lost. Open the vault and try again.")
        case .notFound:
            self.init(.notFound, "not-found", "There is nothing at this address.", "Nothing was changed.")
        case .methodNotAllowed:
            self.init(
                .methodNotAllowed, "method-not-allowed", "This address does not take that method.", Self.nothingDone)
        case .methodUnknown:
            self.init(.notImplemented, "method-unknown", "Safelight does not know that method.", Self.nothingDone)
        case .rangeNotSatisfiable:
            self.init(
                .rangeNotSatisfiable, "range", "The photo has no such bytes.",
                "Nothing is lost. Ask for a range inside it, or for all of it.")
        case .noCleanCopy:
            self.init(
                .conflict, "no-clean-copy", "Of this file no copy can be made without place and camera.",
                "Nothing is lost. JPEG, HEIC, AVIF, PNG, WebP, MP4 and MOV files have one where they are whole.")
        case .noMotion:
            self.init(.notFound, "no-motion", "No video lies in this file.", "Nothing is lost. Download the original.")
        case .pictureNotYet:
            self.init(
                .notFound, "picture-pending", "There is no picture of this photo yet.",
                "The photo is safe. Its picture is made next; ask again in a moment.", retryAfter: 2)
        case .noPicture(let reason):
            self.init(
                .notFound, "picture-\(reason)", "There is no picture of this file.",
                "The file is kept as it came. Download the original to look at it.")
        }
    }

    private static let nothingDone = "Nothing was changed. Correct the request and send it again."
    private static let partNotKept =
        "Files of this form that came before stay saved, the rest was not kept. Send the rest again."
}
