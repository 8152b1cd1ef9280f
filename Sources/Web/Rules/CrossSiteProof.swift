/// The facts of a request from which follows whether another site may have caused it.
package struct CrossSiteProof: Sendable {
    package enum Verdict: Equatable, Sendable {
        case allowed
        /// 403: an unsafe method that nothing shows to come from our own page.
        case crossSite
        /// 415: a body of a type that a page of any site may send without asking first.
        case simpleContentType
    }

    /// True for methods that only read: GET, HEAD, OPTIONS.
    package var isSafeMethod: Bool
    /// `Sec-Fetch-Site`
    package var fetchSite: String?
    /// `Origin`
    package var origin: String?
    /// `Host`, with its port if it has one.
    package var host: String?
    /// Whether the request came over HTTPS.
    package var isSecure: Bool
    package var hasCookie: Bool
    package var contentType: String?
    package var hasBody: Bool

    package init(
        isSafeMethod: Bool, fetchSite: String? = nil, origin: String? = nil, host: String? = nil,
        isSecure: Bool = false, hasCookie: Bool = false, contentType: String? = nil, hasBody: Bool = false
    ) {
        self.isSafeMethod = isSafeMethod
        self.fetchSite = fetchSite
        self.origin = origin
        self.host = host
        self.isSecure = isSecure
        self.hasCookie = hasCookie
        self.contentType = contentType
        self.hasBody = hasBody
    }

    /// Judges requests that a browser may have sent: those with `Sec-Fetch-Site`, `Origin` or a cookie. Others cannot
    /// carry somebody's session across sites.
    package var verdict: Verdict {
        guard !isSafeMethod, fetchSite != nil || origin != nil || hasCookie else { return .allowed }
        guard isSameOrigin else { return .crossSite }
        return hasBody && hasSimpleContentType ? .simpleContentType : .allowed
    }

    private var isSameOrigin: Bool {
        if let fetchSite { return fetchSite == "same-origin" || fetchSite == "none" }
        guard let origin, let host else { return false }
        let own = (isSecure ? "https://" : "http://") + host.lowercased()
        return origin.lowercased().utf8.elementsEqual(own.utf8)
    }

    private var hasSimpleContentType: Bool {
        let type = contentType?.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "text/plain" || type == "application/x-www-form-urlencoded"
    }
}
