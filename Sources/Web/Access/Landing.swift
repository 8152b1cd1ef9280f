import HTTPTypes
import Hummingbird

/// The page for devices that come without encryption, and which files of the folder it needs.
struct Landing: Sendable {
    /// Where the page lies; over HTTPS it is the help page.
    static let address = "/connect.html"

    let page: StaticFiles.File
    /// The page's own address, and those of every file that it names, directly or through another.
    let addresses: Set<String>
    /// Those that the page of a door names, for doors that take what comes unencrypted; without the page itself.
    let addressesAtDoors: Set<String>

    /// - Throws: `StaticFiles.Unreadable` when the folder has no such page.
    init(_ files: StaticFiles) throws {
        page = try files.required(Self.address)
        addresses = files.addressesNeeded(by: Self.address)
        addressesAtDoors = files.addressesNeeded(by: "/give/index.html").subtracting(["/give/index.html"])
    }
}

extension StaticFiles {
    /// A page's own address, and those of every file that it names, directly or through another.
    fileprivate func addressesNeeded(by page: String) -> Set<String> {
        var found: Set<String> = [page]
        var unread = [page]
        while let address = unread.popLast() {
            for other in addressesNamed(in: address) where !found.contains(other) {
                // A link to another page is no part of this one.
                guard !other.hasSuffix(".html"), !other.hasSuffix("/") else { continue }
                found.insert(other)
                unread.append(other)
            }
        }
        return found
    }
}

/// What a browser shows behind a proxy that is not set up, in place of a way to the secure address: it may be there
/// already, and would be led in a circle.
enum ProxyPage {
    static func answer(_ gap: ProxyGap) -> Response {
        var response = FormPage.document(.upgradeRequired, title: title, lead(gap) + sections(gap))
        response.headers[.upgrade] = "TLS/1.3"
        response.headers[.connection] = "Upgrade"
        return response
    }

    private static let title = "The proxy in front of Safelight is not set up"

    private static func lead(_ gap: ProxyGap) -> String {
        switch gap {
        case .proxyNotNamed:
            """
            <p>A program hands requests on to Safelight that it does not know, so nobody can be let in here. Nothing is \
            lost. Whoever looks after this Safelight names the program’s address in the configuration, lets it send \
            <code>X-Forwarded-For</code> and <code>X-Forwarded-Proto</code>, and restarts Safelight:</p>
            <p><code>proxies: [127.0.0.1]</code></p>
            """
        case .schemeNotSaid:
            """
            <p>The proxy does not say whether your connection to it is encrypted, so nobody can be let in here. Nothing \
            is lost. Whoever looks after this Safelight lets it send this field:</p>
            <p><code>X-Forwarded-Proto: https</code></p>
            """
        }
    }

    private static func sections(_ gap: ProxyGap) -> String {
        switch gap {
        case .proxyNotNamed:
            """
            <section lang="zh-Hans"><h2>Safelight 前面的代理没有设置好</h2>
            <p>有一个 Safelight 不认识的程序在转发请求，所以这里不能让任何人进入。什么都没有丢失。\
            请管理 Safelight 的人在配置中写上该程序的地址（<code>proxies: [127.0.0.1]</code>），让它发送 \
            <code>X-Forwarded-For</code> 和 <code>X-Forwarded-Proto</code>，然后重新启动 Safelight。</p></section>
            <section lang="zh-Hant"><h2>Safelight 前面的代理沒有設定好</h2>
            <p>有一個 Safelight 不認識的程式在轉送請求，所以這裡不能讓任何人進入。什麼都沒有遺失。\
            請管理 Safelight 的人在設定中寫上該程式的位址（<code>proxies: [127.0.0.1]</code>），讓它傳送 \
            <code>X-Forwarded-For</code> 和 <code>X-Forwarded-Proto</code>，然後重新啟動 Safelight。</p></section>
            """
        case .schemeNotSaid:
            """
            <section lang="zh-Hans"><h2>Safelight 前面的代理没有设置好</h2>
            <p>代理没有说明您与它之间的连接是否加密，所以这里不能让任何人进入。什么都没有丢失。\
            请管理 Safelight 的人让它发送 <code>X-Forwarded-Proto: https</code>。</p></section>
            <section lang="zh-Hant"><h2>Safelight 前面的代理沒有設定好</h2>
            <p>代理沒有說明您與它之間的連線是否加密，所以這裡不能讓任何人進入。什麼都沒有遺失。\
            請管理 Safelight 的人讓它傳送 <code>X-Forwarded-Proto: https</code>。</p></section>
            """
        }
    }
}
