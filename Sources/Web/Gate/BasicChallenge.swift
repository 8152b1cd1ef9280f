import HTTPTypes
import Hummingbird

/// Asks those for a password by `Authorization: Basic` who send none before they are asked, or have sent a wrong one:
/// wget, curl --anyauth, .NET (RFC 9110, 15.5.2).
///
/// Never a page: a browser would answer with a dialog of its own over ours, and go on sending the password that was
/// typed there after the vault was locked.
enum BasicChallenge {
    static let field = "Basic realm=\"Safelight\", charset=\"UTF-8\""

    static func add(to response: inout Response, for request: Request) {
        guard response.status == .unauthorized, !isFromPage(request.headers),
            response.headers[.contentType]?.hasPrefix("text/html") != true
        else { return }
        response.headers[.wwwAuthenticate] = field
    }

    /// Browsers name themselves "Mozilla/" and so do PowerShell and some programs in .NET. To plain HTTP on another host
    /// browsers send no `Sec-Fetch` fields, but every one of them says of every request what languages are wanted, or
    /// which page it comes from; the programs do neither.
    static func isFromPage(_ fields: HTTPFields) -> Bool {
        if fields.contains(where: { $0.name.canonicalName.hasPrefix("sec-fetch-") }) { return true }
        guard let agent = fields[.userAgent], agent.hasPrefix("Mozilla/"), !agent.contains("PowerShell/") else {
            return false
        }
        return signsOfPages.contains(where: fields.contains)
    }

    private static let signsOfPages: [HTTPField.Name] = [
        .acceptLanguage, .origin, .referer, .cookie, .upgradeInsecureRequests,
    ]
}
