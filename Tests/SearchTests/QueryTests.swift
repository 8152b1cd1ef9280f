import Media
import Testing

@testable import Search

/// A Thursday.
private let today = CalendarDate(year: 2026, month: 11, day: 26)

private func parts(_ text: String, _ names: SearchNames = SearchNames()) -> [SearchQuery.Part] {
    SearchQuery(text, today: today, names: names).parts
}

private func date(_ text: String) -> String? {
    let parts = parts(text)
    guard parts.count == 1, case .date(let date) = parts[0].meaning else { return nil }
    return written(date)
}

/// "2024-05-01 2024-06-01", with nothing where there is no end; the name of one without a year.
private func written(_ date: DateCondition) -> String {
    if let name = date.name { return name }
    return date.alternatives.map { alternative in
        guard case .span(let days) = alternative else { return "" }
        let start = days.lowerBound == DateCondition.beginning ? "" : written(days.lowerBound)
        return start + " " + (days.upperBound == DateCondition.end ? "" : written(days.upperBound))
    }.joined(separator: " | ")
}

private func written(_ day: Int) -> String {
    let date = CalendarDate(daysSinceEpoch: day)
    return "\(date.year)-\(date.month < 10 ? "0" : "")\(date.month)-\(date.day < 10 ? "0" : "")\(date.day)"
}

@Suite("How a query is understood")
struct QueryTests {
    @Test(
        "dates in English",
        arguments: [
            ("2024", "2024-01-01 2025-01-01"), ("2024-05", "2024-05-01 2024-06-01"),
            ("2024/05", "2024-05-01 2024-06-01"), ("2024-05-03", "2024-05-03 2024-05-04"),
            ("20240503", "2024-05-03 2024-05-04"), ("3.5.2024", "2024-05-03 2024-05-04"),
            ("05/2024", "2024-05-01 2024-06-01"), ("24/12/2023", "2023-12-24 2023-12-25"),
            ("12/24/2023", "2023-12-24 2023-12-25"),
            ("3/5/2024", "2024-05-03 2024-05-04 | 2024-03-05 2024-03-06"),
            ("May 2024", "2024-05-01 2024-06-01"), ("may, 2024", "2024-05-01 2024-06-01"),
            ("MAY 2024", "2024-05-01 2024-06-01"), ("in May 2024", "2024-05-01 2024-06-01"),
            ("Sept. 2024", "2024-09-01 2024-10-01"), ("2024 May", "2024-05-01 2024-06-01"),
            ("Feb 2024", "2024-02-01 2024-03-01"), ("May", "--05"), ("24 Dec", "--12-24"), ("Dec 24th", "--12-24"),
            ("24 December 2023", "2023-12-24 2023-12-25"), ("December 24, 2023", "2023-12-24 2023-12-25"),
            ("3rd of May 2024", "2024-05-03 2024-05-04"), ("the 3rd of May", "--05-03"), ("29 Feb", "--02-29"),
            ("summer 2023", "2023-06-01 2023-09-01"), ("summer of 2023", "2023-06-01 2023-09-01"),
            ("2023 summer", "2023-06-01 2023-09-01"), ("last summer", "2026-06-01 2026-09-01"),
            ("this summer", "2026-06-01 2026-09-01"), ("summer last year", "2025-06-01 2025-09-01"),
            ("winter 2023", "2023-12-01 2024-03-01"), ("last winter", "2025-12-01 2026-03-01"), ("autumn", "autumn"),
            ("fall 2022", "2022-09-01 2022-12-01"), ("last May", "2026-05-01 2026-06-01"),
            ("last December", "2025-12-01 2026-01-01"), ("May last year", "2025-05-01 2025-06-01"),
            ("Christmas", "christmas"), ("Christmas 2023", "2023-12-24 2023-12-27"),
            ("last Christmas", "2025-12-24 2025-12-27"), ("Christmas Eve 2023", "2023-12-24 2023-12-25"),
            ("New Year 2024", "2023-12-31 2024-01-02"), ("New Year's Eve", "new-years-eve"),
            ("Easter 2024", "2024-03-29 2024-04-02"), ("Thanksgiving 2024", "2024-11-28 2024-11-29"),
            ("today", "2026-11-26 2026-11-27"), ("yesterday", "2026-11-25 2026-11-26"),
            ("the day before yesterday", "2026-11-24 2026-11-25"), ("this week", "2026-11-23 2026-11-30"),
            ("last week", "2026-11-16 2026-11-23"), ("last weekend", "2026-11-21 2026-11-23"),
            ("this month", "2026-11-01 2026-12-01"), ("last month", "2026-10-01 2026-11-01"),
            ("this year", "2026-01-01 2027-01-01"), ("last year", "2025-01-01 2026-01-01"),
            ("2 days ago", "2026-11-24 2026-11-25"), ("two weeks ago", "2026-11-09 2026-11-16"),
            ("a month ago", "2026-10-01 2026-11-01"), ("3 years ago", "2023-01-01 2024-01-01"),
            ("last 7 days", "2026-11-20 2026-11-27"), ("past 3 months", "2026-08-26 2026-11-27"),
            ("in the last two weeks", "2026-11-13 2026-11-27"),
            ("Monday", "2026-11-23 2026-11-24"), ("last Thursday", "2026-11-19 2026-11-20"),
            ("on Sunday", "2026-11-22 2026-11-23"), ("before 2020", " 2020-01-01"), ("until 2020", " 2021-01-01"),
            ("after May 2024", "2024-06-01 "), ("since 2020", "2020-01-01 "), ("since May", "2026-05-01 "),
            ("May to July 2024", "2024-05-01 2024-08-01"), ("2019-2021", "2019-01-01 2022-01-01"),
            ("between 2019 and 2021", "2019-01-01 2022-01-01"), ("from 3 to 5 May 2024", "2024-05-03 2024-05-06"),
            ("24-26 December 2023", "2023-12-24 2023-12-27"), ("Dec 2023 - Feb 2024", "2023-12-01 2024-03-01"),
            ("December to February 2024", "2023-12-01 2024-03-01"), ("May to July", "--05/--07"),
            ("1990s", "1990-01-01 2000-01-01"), ("the 90s", "1990-01-01 2000-01-01"),
        ])
    func englishDates(text: String, expected: String) {
        #expect(date(text) == expected)
    }

    @Test(
        "dates in Chinese, simplified and traditional",
        arguments: [
            ("2024年", "2024-01-01 2025-01-01"), ("2024年5月", "2024-05-01 2024-06-01"),
            ("2024 年 5 月", "2024-05-01 2024-06-01"), ("２０２４年５月", "2024-05-01 2024-06-01"),
            ("2024年5月3日", "2024-05-03 2024-05-04"), ("2024年5月3号", "2024-05-03 2024-05-04"),
            ("2024年5月3號", "2024-05-03 2024-05-04"), ("二〇二四年五月", "2024-05-01 2024-06-01"),
            ("24年5月", "2024-05-01 2024-06-01"), ("5月", "--05"), ("五月份", "--05"), ("12月24日", "--12-24"),
            ("十二月二十四日", "--12-24"), ("去年夏天", "2025-06-01 2025-09-01"), ("去年的夏天", "2025-06-01 2025-09-01"),
            ("2023年夏天", "2023-06-01 2023-09-01"), ("去年冬天", "2025-12-01 2026-03-01"), ("夏天", "summer"),
            ("去年5月", "2025-05-01 2025-06-01"), ("前年", "2024-01-01 2025-01-01"), ("今年", "2026-01-01 2027-01-01"),
            ("今天", "2026-11-26 2026-11-27"), ("昨天", "2026-11-25 2026-11-26"), ("前天", "2026-11-24 2026-11-25"),
            ("上个月", "2026-10-01 2026-11-01"), ("上個月", "2026-10-01 2026-11-01"),
            ("这个月", "2026-11-01 2026-12-01"), ("這個月", "2026-11-01 2026-12-01"),
            ("上周", "2026-11-16 2026-11-23"), ("上週", "2026-11-16 2026-11-23"), ("上个星期", "2026-11-16 2026-11-23"),
            ("上個禮拜", "2026-11-16 2026-11-23"), ("上周末", "2026-11-21 2026-11-23"), ("上週末", "2026-11-21 2026-11-23"),
            ("上周五", "2026-11-20 2026-11-21"), ("星期一", "2026-11-23 2026-11-24"), ("三天前", "2026-11-23 2026-11-24"),
            ("两周前", "2026-11-09 2026-11-16"), ("3个月前", "2026-08-01 2026-09-01"), ("兩年前", "2024-01-01 2025-01-01"),
            ("最近7天", "2026-11-20 2026-11-27"), ("最近一个月", "2026-10-26 2026-11-27"),
            ("過去三個月", "2026-08-26 2026-11-27"), ("最近半年", "2026-05-26 2026-11-27"),
            ("圣诞节", "christmas"), ("聖誕節", "christmas"), ("去年圣诞节", "2025-12-24 2025-12-27"),
            ("2024年春节", "2024-02-09 2024-02-17"), ("2024年春節", "2024-02-09 2024-02-17"),
            ("今年国庆", "2026-10-01 2026-10-08"), ("2023年國慶節", "2023-10-01 2023-10-08"),
            ("2020年以前", " 2020-01-01"), ("2020年之後", "2021-01-01 "), ("2020年以来", "2020-01-01 "),
            ("2019年到2021年", "2019-01-01 2022-01-01"), ("2024年5月至7月", "2024-05-01 2024-08-01"),
            ("从去年夏天到今年春天", "2025-06-01 2026-06-01"), ("90年代", "1990-01-01 2000-01-01"),
            ("上世纪九十年代", "1990-01-01 2000-01-01"),
        ])
    func chineseDates(text: String, expected: String) {
        #expect(date(text) == expected)
    }

    @Test(
        "kinds in three languages",
        arguments: [
            ("videos", PhotoTrait.video), ("视频", .video), ("影片", .video), ("RAW", .raw), ("screenshots", .screenshot),
            ("Screen Shot", .screenshot), ("截图", .screenshot), ("截圖", .screenshot), ("螢幕截圖", .screenshot),
            ("屏幕截图", .screenshot), ("live", .live), ("Live Photos", .live), ("实况照片", .live), ("原況照片", .live),
            ("panorama", .panorama), ("全景照片", .panorama), ("HEIC", .heic), ("favourites", .favourite),
            ("favorite", .favourite), ("archived", .archived), ("歸檔", .archived), ("收藏", .favourite),
            ("最愛", .favourite), ("我的最愛", .favourite),
            ("not in an album", .unfiled), ("不在相册中", .unfiled), ("不在相簿裡", .unfiled), ("damaged", .damaged),
            ("损坏", .damaged), ("毀損", .damaged), ("photos", .photo), ("照片", .photo), ("相片", .photo),
        ])
    func traits(text: String, expected: PhotoTrait) {
        #expect(parts(text).map(\.meaning) == [.trait(expected)])
        #expect(parts(text).map(\.text) == [text])
    }

    @Test(
        "sizes in three languages",
        arguments: [
            ("> 100 MB", 100_000_000, nil), (">100MB", 100_000_000, nil), ("over 100 MB", 100_000_000, nil),
            ("larger than 1.5 GB", 1_500_000_000, nil), (">= 2 MiB", 2_097_152, nil), ("< 500 kB", nil, 500_000),
            ("smaller than 1 MB", nil, 1_000_000), ("100 MB or more", 100_000_000, nil), ("大于100MB", 100_000_000, nil),
            ("大於100MB", 100_000_000, nil), ("超过 100 兆", 100_000_000, nil), ("100MB以上", 100_000_000, nil),
            ("小于500KB", nil, 500_000), ("不到1MB", nil, 1_000_000), ("1,5 GB以下", nil, 1_500_000_000),
        ] as [(String, UInt64?, UInt64?)])
    func sizes(text: String, least: UInt64?, most: UInt64?) {
        #expect(parts(text).map(\.meaning) == [.size(.init(least: least, most: most))])
    }

    @Test(
        "lengths in three languages",
        arguments: [
            ("longer than 1 min", 60_000, nil), ("over 90 seconds", 90_000, nil), ("longer than a minute", 60_000, nil),
            ("> 1 min 30 s", 90_000, nil), ("> 1:30", 90_000, nil), ("longer than half an hour", 1_800_000, nil),
            ("shorter than 10 s", nil, 10_000), ("超过1分钟", 60_000, nil), ("超過1分鐘", 60_000, nil),
            ("长于半小时", 1_800_000, nil), ("10秒以内", nil, 10_000), ("1分鐘以上", 60_000, nil),
        ] as [(String, UInt64?, UInt64?)])
    func lengths(text: String, least: UInt64?, most: UInt64?) {
        #expect(parts(text).map(\.meaning) == [.length(.init(least: least, most: most))])
    }

    @Test(
        "what means nothing is a word",
        arguments: [
            ("IMG_1234.jpg", ["IMG_1234.jpg"]), ("2024-05-03_beach", ["2024-05-03_beach"]), ("mayor", ["mayor"]),
            ("Rome beach", ["Rome", "beach"]), ("100 MB", ["100", "MB"]), ("\"May 2024\"", ["\"May 2024\""]),
            ("“live”", ["“live”"]), ("「去年夏天」", ["「去年夏天」"]), ("\"open end", ["\"open end"]), ("32 Dec 5 5.5", nil),
            ("东京", ["东京"]), ("日", ["日"]), ("x-ray", ["x-ray"]), ("2024-13", ["2024-13"]), ("v2024.5", ["v2024.5"]),
        ] as [(String, [String]?)])
    func words(text: String, expected: [String]?) {
        guard let expected else { return }
        #expect(parts(text).map(\.text) == expected)
        for part in parts(text) {
            guard case .word = part.meaning else { return #expect(Bool(false), "\(part)") }
        }
    }

    @Test(
        "several parts keep the texts that they came from",
        arguments: [
            ("beach May 2024 video", ["beach", "May 2024", "video"]), ("去年夏天东京的视频", ["去年夏天", "东京的", "视频"]),
            ("videos of Rome", ["videos of", "Rome"]), ("photos from May 2024", ["photos", "from May 2024"]),
            ("iPhone照片", ["iPhone", "照片"]), ("东京2024年", ["东京", "2024年"]), ("video > 100 MB", ["video", "> 100 MB"]),
            ("live, raw", ["live", "raw"]), ("receipt last month", ["receipt", "last month"]),
            ("去年的照片", ["去年的", "照片"]), ("  Rome   2024 ", ["Rome", "2024"]),
        ])
    func severalParts(text: String, expected: [String]) {
        let found = parts(text)
        #expect(found.map(\.text) == expected)
        #expect(found.allSatisfy { text.contains($0.text) })
    }

    @Test("without the text of a part the others mean what they meant")
    func takingOff() {
        for text in ["beach May 2024 video > 100 MB", "去年夏天东京的视频", "videos of Rome in 2023 longer than 1 min"] {
            let all = parts(text)
            for (index, part) in all.enumerated() {
                let rest = text.replacing(part.text, with: "", maxReplacements: 1)
                var others = all
                others.remove(at: index)
                #expect(parts(rest).map(\.meaning) == others.map(\.meaning), "\(rest)")
            }
        }
    }

    @Test("particles and small words beside what is understood are no words to be found")
    func smallWords() {
        #expect(parts("去年夏天东京的视频").map(\.meaning)[1] == .word(Array("东京".utf8)))
        #expect(parts("video with Anna").count == 2)
        #expect(parts("the of").count == 2)
    }

    @Test("names of albums and cameras are told as that, the longest first")
    func names() {
        let names = SearchNames(
            albums: [FoldedText.fold("Rome"): 1, FoldedText.fold("Rome at Night"): 2],
            cameras: [FoldedText.fold("iPhone 15 Pro")])
        #expect(parts("rome at night", names).map(\.meaning) == [.album(2)])
        #expect(parts("ROME beach", names).first?.meaning == .album(1))
        #expect(parts("iphone 15 pro", names).map(\.meaning) == [.camera])
        #expect(parts("iphone 15 pro", names).map(\.text) == ["iphone 15 pro"])
    }

    @Test(
        "no text is too odd to be read",
        arguments: [
            "", "\"", "\"\"", "\u{0}", "　", "····", "2024-", "- -", "><", "年月日", "十十十十", "半", "99999999999999999999",
            "a\u{301}", "👩‍👩‍👧", "> 99999999999999 TB",
        ])
    func oddTexts(text: String) {
        #expect(parts(text).allSatisfy { text.contains($0.text) })
        #expect(parts(String(repeating: text, count: 400)).count <= SearchQuery.mostCharacters)
    }
}
