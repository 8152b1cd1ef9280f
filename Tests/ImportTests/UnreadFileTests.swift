import Media
import Testing

@testable import Import

@Suite("What lies beside photos in a form that nobody knows is named, and what is no word of them is not")
struct UnreadFileTests {
    private func bytes(_ path: String, _ bytes: [UInt8], source: Int = 0) -> ImportFile {
        ImportFile(source: source, path: path, content: SidecarContent(bytes, path: path), digest: Array(path.utf8))
    }

    private func text(_ path: String, _ text: String = "Grandma at the lake") -> ImportFile {
        bytes(path, Array(text.utf8))
    }

    private func photo(_ path: String) -> ImportFile { ImportFile(path: path, type: .jpeg, digest: Array(path.utf8)) }

    private func isNamed(_ plan: ImportPlan) -> Bool {
        plan.fates.contains { if case .unread = $0 { true } else { false } }
    }

    @Test(
        "what is called after a photo is named, whatever its ending, wherever programs put it",
        arguments: [
            "a/IMG_1.jpg.pp3", "a/IMG_1.pp3", "a/IMG_1.jpg.dop", "a/NKSC_PARAM/IMG_1.jpg.nksc", "a/IMG_1.WAV",
            "a/IMG_1",
            "a/CaptureOne/Settings131/IMG_1.jpg.cos", "a/.comments/IMG_1.jpg.xml", "sidecar/a/IMG_1.yml", "a/IMG_1.srt",
            "a/IMG_1.json.xz", "a/IMG_1.txt",
        ])
    func companions(path: String) {
        let plan = ImportPlan([photo("a/IMG_1.jpg"), bytes(path, [0, 1, 2, 3])])
        #expect(isNamed(plan) && !plan.saysAll)
        #expect(ImportPlan([photo("b/DSC_7.jpg"), bytes(path, [0, 1, 2, 3])]).saysAll || path.hasSuffix(".xz"))
    }

    @Test("one text of several photos of a post is called after all of them")
    func posts() {
        let post = photo("me/2020-05-04_10-00-00_UTC_2.jpg")
        #expect(!ImportPlan([post, text("me/2020-05-04_10-00-00_UTC.txt")]).saysAll)
    }

    @Test(
        "what systems, cameras and people put beside photos and says nothing of them is no reason to keep an archive",
        arguments: [
            "IMG_1.jpg.lnk", "IMG_1.jpg.md5", "IMG_1.jpg:Zone.Identifier", "IMG_1.THM", "MISC/AUTPRINT.MRK",
            "PRIVATE/M4ROOT/MEDIAPRO.XML", "notes.txt", "letter.docx", "SHA256SUMS", "._IMG_1.jpg",
        ])
    func noise(path: String) {
        let said = path == "notes.txt" ? "Call mother at 5" : "IMG_1.jpg"
        let file = path.hasSuffix(".docx") ? bytes(path, [0x50, 0x4B, 3, 4, 0]) : text(path, said)
        let plan = ImportPlan([photo("IMG_1.jpg"), file])
        #expect(plan.saysAll && !isNamed(plan))
    }

    @Test(
        "a text of any ending that names a photo is named", arguments: ["descript.ion", "dump.sql", "index.md", "list"])
    func texts(path: String) {
        let named = ImportPlan([photo("IMG_1.jpg"), text(path, "'img_1.JPG' Grandma at the lake\r\n")])
        #expect(isNamed(named))
        let other = ImportPlan([photo("IMG_1.jpg"), text(path, "'img_2.JPG' Grandma at the lake\r\n")])
        #expect(other.saysAll && !isNamed(other))
    }

    @Test("databases of programs for photos are named, and others are not")
    func databases() {
        let head = Array("SQLite format 3\0".utf8)
        for said in ["\u{1}IMG_1jpgRome", "\u{2}IMG_1.HEIC", "/Pictures/IMG_1.JPG"] {
            #expect(!ImportPlan([photo("IMG_1.jpg"), bytes("Catalog.lrcat", head + said.utf8)]).saysAll)
        }
        for path in ["x.bin", "AlbumData.plist", "list.xml"] {
            #expect(!ImportPlan([photo("IMG_1.jpg"), bytes(path, Array("bplist00YIMG_1.jpg".utf8))]).saysAll)
        }
        #expect(ImportPlan([photo("IMG_1.jpg"), bytes("places.db", head + "bookmarks".utf8)]).saysAll)
        #expect(ImportPlan([photo("IMG_1.jpg"), bytes("odd.bin", [0, 1] + Array("IMG_1.jpg".utf8))]).saysAll)
        #expect(SidecarContent(tooLarge: "Photos.sqlite", head: head) != nil)
        #expect(SidecarContent(tooLarge: "chat.txt", head: Array("a".utf8)) != nil)
        #expect(SidecarContent(tooLarge: "setup.exe", head: [0x4D, 0x5A, 0]) == nil)
        #expect(SidecarContent(tooLarge: "IMG_1.jpg", head: Array("a".utf8)) == nil)
    }

    @Test("what is packed by itself is named")
    func packed() {
        #expect(!ImportPlan([photo("IMG_1.jpg"), bytes("backup.sql.gz", [0x1F, 0x8B, 8, 0])]).saysAll)
    }

    @Test("names in lists are found without an ending, behind a number of a post, and as XML writes them")
    func spellings() {
        #expect(isNamed(ImportPlan([photo("IMG_1.jpg"), text("captions.csv", "file,caption\nIMG_1,Grandma\n")])))
        #expect(
            isNamed(
                ImportPlan([photo("9/123-FxAbC12.jpg"), text("tweets.js", #"[{"u": "http://x/media/FxAbC12.jpg"}]"#)])))
        #expect(isNamed(ImportPlan([photo("Tom & Jerry.jpg"), text("l.xml", #"<p src="Tom &amp; Jerry.jpg"/>"#)])))
    }

    @Test("changes of Apple's Photos count as kept only where the picture with them is here")
    func adjustments() {
        for name in ["IMG_1234.AAE", "IMG_O1234.aae"] {
            let alone = ImportPlan([photo("DCIM/IMG_1234.HEIC"), text("DCIM/\(name)", "<plist/>")])
            #expect(isNamed(alone) && !alone.saysAll)
            let made = [photo("DCIM/IMG_1234.HEIC"), photo("DCIM/IMG_E1234.JPG"), text("DCIM/\(name)", "<plist/>")]
            #expect(ImportPlan(made).saysAll)
        }
        #expect(ImportPlan([photo("a.jpg"), text("IMG_1234.AAE", "<plist/>")]).saysAll)
    }

    @Test("mail and documents of a whole Takeout are none of its photos'")
    func services() {
        let root = "Takeout/Google Photos/Photos from 2020"
        let sidecar = text(
            "\(root)/IMG_1.jpg.json", #"{"title": "IMG_1.jpg", "photoTakenTime": {"timestamp": "1500000000"}}"#)
        let mail = text("Takeout/Mail/All mail.mbox", "attachment; filename=IMG_1.jpg")
        #expect(ImportPlan([photo("\(root)/IMG_1.jpg"), sidecar, mail]).saysAll)
    }

    @Test(
        "texts that are written as HTML has them are read, and others stay",
        arguments: [
            ("It&#39;s Tom &amp; Jerry", "It's Tom & Jerry"), ("a &lt;3 b", "a <3 b"), ("Tom & Jerry", "Tom & Jerry"),
            ("it's &amp; how HTML writes it", "it's &amp; how HTML writes it"), ("&amp;lt;", "&lt;"),
            ("&nbsp;", "&nbsp;"),
        ])
    func escaped(written: String, read: String) {
        #expect(EscapedText.plain(written) == read)
        let sidecar = text(
            "a.jpg.json", #"{"title": "a.jpg", "description": "\#(written)", "photoTakenTime": {"timestamp": "1"}}"#)
        #expect(ImportPlan([photo("a.jpg"), sidecar]).photos.first?.note.caption == read)
    }

    @Test("parts are missing also beside one that a browser numbered as fetched once more")
    func numbered() {
        #expect(
            MissingParts.names(beside: ["/d/iCloud Photos Part 1 of 2 (1).zip"]) == ["iCloud Photos Part 2 of 2.zip"])
        let parts = ["/d/takeout-20240101T000000Z-001 (1).zip", "/d/takeout-20240101T000000Z-002.zip"]
        #expect(MissingParts.names(beside: parts).isEmpty)
    }
}
