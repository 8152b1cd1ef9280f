/// The head of one part of a form.
package struct MultipartPart: Equatable, Sendable {
    /// The form field's name; empty for a file without one.
    package let name: String
    /// The file's name, exactly as chosen; `nil` for a plain field, empty when a file field was left empty.
    package let filename: String?
    /// The type that the client guessed; not to be trusted.
    package let contentType: String?

    package init(name: String, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
    }
}
