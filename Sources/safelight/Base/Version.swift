/// The version of this program; packages and the page take it from here.
enum Version {
    static let text = "0.9.0"
}
