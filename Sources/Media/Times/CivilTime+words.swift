extension CivilTime {
    /// What a block of metadata has for a date, however its writer put it: numbers, words, or a count of seconds. A program
    /// that has no rule of EXIF in mind writes what its system gives it.
    init?(written text: String) {
        guard let time = CivilTime(partial: text) ?? CivilTime(words: text) ?? CivilTime(secondsSince1970: text) else {
            return nil
        }
        self = time
    }

    /// Ten digits and nothing else: 2001 to 2100.
    private init?(secondsSince1970 text: String) {
        guard text.utf8.count == 10, text.utf8.allSatisfy(TextScanner.isDigit), let seconds = Int64(text),
            (1_000_000_000...4_102_444_800).contains(seconds)
        else { return nil }
        self.init(year: 1970, month: 1, day: 1)
        wallClockMilliseconds = seconds * 1000
        isUTC = true
    }

    /// Words in the order of most languages: `Wed, 04 Mar 2015 05:06:07 +0100`, `Thu Aug 12 14:37:14 2003`,
    /// `mar. 02 juin 2015 05:06:07 PM CEST`; a day alone, `4 Mar 2015`. Nil where the month is not known for certain.
    init?(words text: String) {
        let words = text.split { " ,\n\t".contains($0) }.map(String.init)
        guard let month = MonthNames.month(in: words) else { return nil }
        let numbers = words.compactMap { Int($0.hasSuffix(".") ? $0.dropLast() : $0[...]) }
        guard let day = numbers.first(where: { (1...31).contains($0) }),
            let year = numbers.first(where: { (1000...9999).contains($0) })
        else { return nil }
        // What stands behind the clock is a half of the day, a zone, or the year.
        let clock = words.firstIndex { $0.contains(":") }.map { " " + words[$0...].joined(separator: " ") } ?? ""
        guard let time = CivilTime("\(year)-\(month)-\(day)\(clock)") else { return nil }
        self = time
        guard precision == .moment, offsetMinutes == nil, let last = words.last else { return }
        if ["GMT", "UTC"].contains(last) { isUTC = true }
        var scanner = TextScanner(last)
        takeZone(&scanner)
    }
}

/// Months as programs write them in the languages that many people speak. No name of one stands for another month elsewhere: where
/// Slavic languages share names of different months (`listopad`, `srpen`), they are left out.
package enum MonthNames {
    private static let names: [[String]] = [
        [
            "jan", "january", "januar", "januari", "jän", "jänner", "janv", "janvier", "ene", "enero", "janeiro",
            "gen", "gennaio", "янв", "января", "styczeń", "stycznia", "sty", "leden", "ledna", "ocak", "oca",
            "tammikuuta", "tammikuu", "tammik", "január", "ιαν", "ιανουαρίου", "січня", "січ",
        ],
        [
            "feb", "february", "februar", "februari", "févr", "fév", "février", "fevr", "fevrier", "febrero", "fev",
            "fevereiro", "febbraio", "фев", "февр", "февраля", "luty", "lutego", "lut", "únor", "února", "şubat",
            "şub", "helmikuuta", "helmikuu", "helmik", "február", "febr", "φεβ", "φεβρουαρίου", "лютого", "лют",
        ],
        [
            "mar", "march", "mär", "märz", "mrz", "mars", "marzo", "março", "mrt", "maart", "marts", "мар", "марта",
            "marzec", "marca", "března", "březen", "mart", "maaliskuuta", "maaliskuu", "maalisk", "március", "márc",
            "marec", "μαρ", "μαρτίου", "березня", "бер",
        ],
        [
            "apr", "april", "avr", "avril", "abr", "abril", "aprile", "апр", "апреля", "kwiecień", "kwietnia", "kwi",
            "duben", "dubna", "nisan", "nis", "huhtikuuta", "huhtikuu", "huhtik", "április", "ápr", "απρ",
            "απριλίου", "квітня", "квіт",
        ],
        [
            "may", "mai", "mayo", "maio", "mag", "maggio", "mei", "maj", "мая", "май", "maja", "května", "květen",
            "mayıs", "toukokuuta", "toukokuu", "toukok", "május", "máj", "μαΐ", "μαΐου", "травня", "трав",
        ],
        [
            "jun", "june", "juni", "juin", "junio", "junho", "giu", "giugno", "июн", "июня", "czerwiec", "czerwca",
            "cze", "června", "červen", "haziran", "haz", "kesäkuuta", "kesäkuu", "kesäk", "június", "jún", "ιουν",
            "ιουνίου", "червня", "черв",
        ],
        [
            "jul", "july", "juli", "juil", "juillet", "julio", "julho", "lug", "luglio", "июл", "июля", "lipiec",
            "lipca", "července", "červenec", "temmuz", "heinäkuuta", "heinäkuu", "heinäk", "július", "júl", "ιουλ",
            "ιουλίου", "липня", "лип",
        ],
        [
            "aug", "august", "augusti", "augustus", "août", "aout", "ago", "agosto", "авг", "августа", "sierpień",
            "sierpnia", "sie", "srpna", "ağustos", "ağu", "elokuuta", "elokuu", "elok", "augusztus", "αυγ",
            "αυγούστου", "серпня", "серп",
        ],
        [
            "sep", "sept", "september", "septembre", "septiembre", "setiembre", "set", "setembro", "settembre",
            "сен", "сент", "сентября", "wrzesień", "września", "wrz", "září", "eylül", "eyl", "syyskuuta", "syyskuu",
            "syysk", "szeptember", "szept", "σεπ", "σεπτεμβρίου", "вересня", "вер",
        ],
        [
            "oct", "october", "okt", "oktober", "octobre", "octubre", "out", "outubro", "ott", "ottobre", "окт",
            "октября", "październik", "października", "paź", "říjen", "října", "ekim", "lokakuuta", "lokakuu",
            "lokak", "október", "οκτ", "οκτωβρίου", "жовтня", "жовт",
        ],
        [
            "nov", "november", "novembre", "noviembre", "novembro", "нояб", "ноя", "ноября", "listopadu", "kasım",
            "marraskuuta", "marraskuu", "marrask", "νοε", "νοεμβρίου", "листопада",
        ],
        [
            "dec", "december", "dez", "dezember", "déc", "décembre", "decembre", "dic", "diciembre", "dezembro",
            "dicembre", "des", "desember", "дек", "декабря", "grudzień", "grudnia", "gru", "prosinec", "prosince",
            "aralık", "joulukuuta", "joulukuu", "jouluk", "δεκ", "δεκεμβρίου", "грудня", "груд",
        ],
    ]
    private static let numbers = Dictionary(
        uniqueKeysWithValues: names.enumerated().flatMap { index, names in names.map { ($0, index + 1) } })

    private static let english = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// 1…12, of a word as it stands in names of files: those of other languages are names of people and places, too.
    package static func english(_ word: some Collection<UInt8>) -> Int? {
        let word = String(decoding: word, as: UTF8.self).lowercased()
        return english.firstIndex { $0 == word || ($0.hasPrefix(word) && (word.count == 3 || word == "sept")) }
            .map { $0 + 1 }
    }

    /// 1…12, of a word in whichever language. Where nothing around it says that it is a month, it may be a name of somebody.
    static func anywhere(_ word: some Collection<UInt8>) -> Int? {
        numbers[String(decoding: word, as: UTF8.self).lowercased()]
    }

    /// 1…12. Nil where none is named, or more than one.
    static func month(in words: [String]) -> Int? {
        let plain = words.map { $0.lowercased().filter { $0 != "." } }
        let found = plain.indices.filter { numbers[plain[$0]] != nil && !isWeekday($0, in: plain) }
        let months = Set(found.compactMap { numbers[plain[$0]] })
        return months.count == 1 ? months.first : nil
    }

    /// In French, Spanish and Italian March's short name is Tuesday's, too: then a day follows, and a word where only the month can
    /// stand.
    private static func isWeekday(_ place: Int, in words: [String]) -> Bool {
        guard words[place] == "mar", place + 2 < words.count, Int(words[place + 1]) != nil else { return false }
        let next = words[place + 2]
        return next.first?.isLetter == true && !["am", "pm", "at"].contains(next)
    }
}
