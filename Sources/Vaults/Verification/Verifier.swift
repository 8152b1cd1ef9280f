final class Verifier: Sendable {
    init(engine: UploadEngine) {}
    func wake() {}
}
