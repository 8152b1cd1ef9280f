import Bytes
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vault
import XML

/// The answer to a form that was sent without JavaScript.
enum FormPage {
    static func results(_ results: [FormResult], from allowance: Allowance) throws -> Response {
        let saved = results.count { $0.error == nil }
        let failed = results.count - saved
        let title = failed == 0 ? "Saved: \(saved)" : "Saved: \(saved), not saved: \(failed)"
        let rows = results.map { result in
            let outcome = result.error.map { ProblemDetails($0) }.map { "\($0.title) \($0.detail)" } ?? "Saved."
            return "<li><b>\(XMLText.escaped(result.name))</b> – \(XMLText.escaped(outcome))</li>"
        }
        try allowance.take(.answer, rows.reduce(0) { $0 + $1.utf8.count })
        return page(failed == 0 ? .created : .multiStatus, title, "<ul>\(rows.joined(separator: "\n"))</ul>")
    }

    static func problem(_ problem: ProblemDetails, saved: Int) -> Response {
        let before = saved == 0 ? "" : "<p>Saved before that: \(saved).</p>"
        return page(problem.status, problem.title, "<p>\(XMLText.escaped(problem.detail))</p>\(before)")
    }

    private static func page(_ status: HTTPResponse.Status, _ title: String, _ content: String) -> Response {
        document(status, title: title, content + "\n<p><a href=\"\(PageBase.current)/\">Back</a></p>")
    }

    /// A page without scripts.
    /// - Parameter content: markup
    static func document(_ status: HTTPResponse.Status, title: String, _ content: String) -> Response {
        let html = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Safelight</title>
            <link rel="icon" href="\(PageBase.current)/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="\(PageBase.current)/css/page.css">
            </head>
            <body>
            <main class="plain">
            <h1>\(XMLText.escaped(title))</h1>
            \(content)
            </main>
            </body>
            </html>

            """
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}

/// What became of one file of a form: a photo, or its name with the code of what went wrong.
enum FormResult: Encodable {
    struct Payload: Encodable {
        let photos: [FormResult]
    }

    case saved(Photo)
    case failed(name: String, VaultError)

    var error: VaultError? {
        if case .failed(_, let error) = self { error } else { nil }
    }

    /// What was not in the vault before.
    var newPhoto: Photo? {
        if case .saved(let photo) = self, photo.isDuplicate != true { photo } else { nil }
    }

    var name: String {
        switch self {
        case .saved(let photo): photo.name
        case .failed(let name, _): name
        }
    }

    private enum Key: String, CodingKey { case name, error }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .saved(let photo):
            try PhotoPayload(photo).encode(to: encoder)
        case .failed(let name, let error):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(name, forKey: .name)
            try container.encode(error.code, forKey: .error)
        }
    }
}
