import Media
import Testing

@testable import Records

@Suite("What a vault keeps of albums and captions")
struct AlbumRecordTests {
    @Test("Names are compared without letter case, Unicode form and blanks around them")
    func albumNames() throws {
        #expect(try AlbumName(" Caf\u{E9} ") == AlbumName("CAFE\u{301}"))
        #expect(try AlbumName("Straße") == AlbumName("STRASSE"))
        #expect(try AlbumName("Rome") != AlbumName("Rom"))
        #expect(try AlbumName("\t a\nb \u{3000}").text == "a b")
        #expect(throws: VaultError.albumNameEmpty) { try AlbumName(" \n\u{3000}") }
        #expect(try AlbumName(String(repeating: "a", count: 200)).text.count == 200)
        #expect(throws: VaultError.albumNameTooLong) { try AlbumName(String(repeating: "名", count: 67)) }
    }

    @Test("A name is measured before anything is made of it")
    func flags() throws {
        #expect(try AlbumName("e" + String(repeating: "\u{301}", count: 60)).text.utf8.count == 61)
        for name in [String(repeating: "🇪🇺", count: 60_000), String(repeating: " ", count: 60_000) + "a"] {
            #expect(throws: VaultError.albumNameTooLong) { try AlbumName(name) }
        }
        #expect(throws: VaultError.labelTooLong) { try Given.giver(String(repeating: "🇪🇺", count: 60_000)) }
    }

    @Test("A day is read as it is written, where there is that day")
    func days() {
        #expect(CalendarDate(text: "2024-02-29") == CalendarDate(year: 2024, month: 2, day: 29))
        for text in [
            "2025-02-29", "2025-2-03", "2025-02-3", "2025-02-030", "2025-02", "2025-13-01", "2025-04-31", "２025-04-3",
        ] {
            #expect(CalendarDate(text: text) == nil)
        }
    }

    @Test("Captions that differ are both kept where there is room, and 64 albums at most")
    func joining() throws {
        var (one, two) = (Keeping(), Keeping())
        one.caption = "one"
        two.caption = "two"
        #expect(one.joined(by: two).caption == "one\ntwo")
        #expect(one.joined(by: one).caption == "one")
        two.caption = String(repeating: "x", count: Keeping.longestCaption)
        #expect(one.joined(by: two).caption == "one")
        one.albums = try (0..<60).map { _ in try AlbumID() }
        two.albums = try (0..<60).map { _ in try AlbumID() }
        #expect(one.joined(by: two).albums.count == 64)
        two.rotation = 90
        #expect(one.joined(by: two).rotation == 90)
        two.edit = PhotoEdit(left: 0, top: 0.5, right: 1, bottom: 1, angle: 0)
        #expect(two.edit != nil && one.joined(by: two).edit == two.edit && two.joined(by: one).edit == two.edit)
        one.isArchived = true
        #expect(one.joined(by: two).isArchived && two.joined(by: one).isArchived && !two.joined(by: two).isArchived)
    }
}
