import HTTPTypes

/// Two codes that were defined for WebDAV (RFC 4918) and say exactly what is meant here.
extension HTTPResponse.Status {
    /// Some files of a form were kept, others not.
    static var multiStatus: Self { .init(code: 207, reasonPhrase: "Multi-Status") }
    /// The disk or the vault is full.
    static var insufficientStorage: Self { .init(code: 507, reasonPhrase: "Insufficient Storage") }
}
