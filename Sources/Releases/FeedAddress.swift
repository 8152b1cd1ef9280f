import FoundationEssentials

/// Where a release feed is: an https address whose signature lies beside it, under the same name with `.sig`.
package struct FeedAddress: Equatable, Sendable {
    package let text: String

    /// `nil` for anything but https with a host and a path, without name, password, query or fragment.
    package init?(_ text: String) {
        guard let url = URL(string: text), url.scheme == "https", url.host()?.isEmpty == false, url.user() == nil,
            url.password() == nil, url.query() == nil, url.fragment() == nil, url.path().utf8.count > 1
        else { return nil }
        self.text = text
    }

    package var signatureText: String { text + ".sig" }
}
