import Testing

@testable import Import

@Suite("Which names of a drop folder are left alone")
struct ArrivingNameTests {
    @Test(
        "names of what is on its way are left alone",
        arguments: [
            ".a.jpg", ".syncthing.a.jpg.tmp", "~syncthing~a.jpg.tmp", "a.jpg.part", "A.JPG.PART", "a.crdownload",
            "a.jpg.tmp", "Thumbs.db", "desktop.ini", "a.jpg~", "", ".", "..", ".safelight.a.jpg", "@eaDir",
        ])
    func leftAlone(name: String) { #expect(ArrivingName.isLeftAlone(name.utf8)) }

    @Test("others are not", arguments: ["a.jpg", "part.jpg", "tmp", "a.tmp.jpg", "-rf", " .jpg", "照片.heic", "~a.jpg"])
    func taken(name: String) { #expect(!ArrivingName.isLeftAlone(name.utf8)) }
}
