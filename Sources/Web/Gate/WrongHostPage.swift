import HTTPTypes
import Hummingbird
import NIOCore

/// What a person's browser shows under a name that this host does not know. It names no file of this host: under that
/// name it would get none.
enum WrongHostPage {
    /// Nil for programs, which get the answer of all errors.
    static func answer(to request: Request) -> Response? {
        guard request.method == .get || request.method == .head,
            request.headers[.accept]?.lowercased().contains("text/html") == true
        else { return nil }
        let name = name(of: request.head.authority ?? "")
        let response = Response(
            status: .misdirectedRequest, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page(name))))
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Without its port, and without anything that could be markup. An address of IPv6 loses its brackets and its zone.
    private static func name(of host: String) -> String {
        let isAddress = host.hasPrefix("[")
        let name = isAddress ? host.dropFirst().prefix { $0 != "]" && $0 != "%" } : host.prefix { $0 != ":" }
        let others = isAddress ? ":." : ".-_"
        return String(
            name.prefix(100).filter { $0.isASCII && ($0.isLetter || $0.isNumber || others.contains($0)) })
    }

    private static func page(_ name: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Safelight</title>
        </head>
        <body>
        <main>
        <section lang="en">
        <h1>Safelight does not know this name yet</h1>
        <p>You asked for <b>\(name)</b>. Your photos are safe; take one of the addresses that this computer shows at its start.</p>
        <p>For whoever looks after it: add the name in <code>/etc/safelight/safelight.yaml</code>, then <code>systemctl restart safelight</code>.</p>
        </section>
        <section lang="zh-Hans">
        <h1>Safelight 还不认识这个名称</h1>
        <p>您访问的是 <b>\(name)</b>。照片都很安全；请改用这台电脑启动时显示的地址。</p>
        <p>给管理这台电脑的人：把这个名称加入 <code>/etc/safelight/safelight.yaml</code>，然后运行 <code>systemctl restart safelight</code>。</p>
        </section>
        <section lang="zh-Hant">
        <h1>Safelight 還不認識這個名稱</h1>
        <p>您開啟的是 <b>\(name)</b>。照片都很安全；請改用這台電腦啟動時顯示的位址。</p>
        <p>給管理這台電腦的人：把這個名稱加入 <code>/etc/safelight/safelight.yaml</code>，然後執行 <code>systemctl restart safelight</code>。</p>
        </section>
        <pre><code>hosts: [\(name.contains(":") ? "\"\(name)\"" : name)]</code></pre>
        </main>
        </body>
        </html>

        """
    }
}
