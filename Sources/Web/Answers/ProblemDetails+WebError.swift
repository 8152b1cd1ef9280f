import HTTPTypes

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
                "Nothing is lost. That is done for sound JPEG files only; download the original.")
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
