/// "> 100 MB", "longer than 1 min", "100MB以上": a bound and an amount with its unit.
struct QuantityReader {
    private enum Side { case least, most }
    private enum Unit {
        case bytes(Double)
        case milliseconds(Double)
    }
    private let phrases: QueryPhrases

    init(_ phrases: QueryPhrases) { self.phrases = phrases }

    func read(at place: Int) -> (SearchQuery.Meaning, end: Int)? {
        let before = phrases.find(Self.sides, at: place)
        guard let amount = amount(at: before?.end ?? place) else { return nil }
        if let before { return (meaning(before.value, amount), amount.end) }
        guard let after = phrases.find(Self.sidesBehind, at: amount.end) else { return nil }
        return (meaning(after.value, amount), after.end)
    }

    private func meaning(_ side: Side, _ amount: (value: Double, isSize: Bool, end: Int)) -> SearchQuery.Meaning {
        // A file of 100 MB is rarely one to the byte: neither "over" nor "at least" leaves the amount itself out.
        let value = UInt64(min(max(0, amount.value.rounded()), 9e18))
        let bounds = side == .least ? SearchQuery.Bounds(least: value) : SearchQuery.Bounds(most: value)
        return amount.isSize ? .size(bounds) : .length(bounds)
    }

    /// "1 min 30 s" are two that make one.
    private func amount(at place: Int) -> (value: Double, isSize: Bool, end: Int)? {
        guard let first = singleAmount(at: place) else { return nil }
        guard !first.isSize, let second = singleAmount(at: first.end), !second.isSize, second.value < first.value else {
            return clock(at: place) ?? first
        }
        return (first.value + second.value, false, second.end)
    }

    private func singleAmount(at place: Int) -> (value: Double, isSize: Bool, end: Int)? {
        guard let number = decimal(at: place) else { return clock(at: place) }
        guard let unit = phrases.find(Self.units, at: number.end) else { return clock(at: place) }
        switch unit.value {
        case .bytes(let factor): return (number.value * factor, true, unit.end)
        case .milliseconds(let factor): return (number.value * factor, false, unit.end)
        }
    }

    /// 1:30 and 1:02:03.
    private func clock(at place: Int) -> (value: Double, isSize: Bool, end: Int)? {
        guard let first = phrases.digits(place), let colon = phrases.end(of: [":"], at: first.end),
            let second = phrases.digits(colon), second.count == 2, second.value < 60
        else { return nil }
        let short = Double(first.value * 60 + second.value)
        guard let next = phrases.end(of: [":"], at: second.end), let third = phrases.digits(next), third.count == 2
        else {
            return (short * 1000, false, second.end)
        }
        return ((short * 60 + Double(third.value)) * 1000, false, third.end)
    }

    /// 100, 1.5, 1,5, a, half an, 三, 半.
    private func decimal(at place: Int) -> (value: Double, end: Int)? {
        if let word = phrases.find(Self.amounts, at: place) { return word }
        guard let whole = phrases.number(place) else { return nil }
        guard let point = phrases.end(ofAny: [".", ","], at: whole.end), let rest = phrases.digits(point),
            let value = Double(
                "\(whole.value).\(String(repeating: "0", count: max(0, rest.count - String(rest.value).count)))\(rest.value)"
            )
        else { return (Double(whole.value), whole.end) }
        return (value, rest.end)
    }

    private static let amounts = PhraseTable<Double>([
        (0.5, "half a,half an,半"), (1, "a,an,one"), (2, "two"), (3, "three"), (4, "four"), (5, "five"), (10, "ten"),
        (20, "twenty"), (30, "thirty"), (100, "a hundred,one hundred,hundred,一百"), (200, "two hundred,两百,二百"),
        (500, "five hundred,五百"), (1000, "a thousand,thousand,一千"),
    ])

    private static let sides = PhraseTable<Side>([
        (
            .least,
            """
            >,> =,≥,over,above,more than,larger than,bigger than,greater than,longer than,at least,from,min,大于,大过,超过,多于,\
            高于,长于,至少,不小于,不少于,大于等于
            """
        ),
        (
            .most,
            """
            <,< =,≤,under,below,less than,smaller than,shorter than,at most,up to,max,小于,低于,少于,短于,不到,不超过,不大于,最多,\
            至多,小于等于
            """
        ),
    ])
    private static let sidesBehind = PhraseTable<Side>([
        (.least, "+,or more,or larger,or longer,and more,and up,以上,及以上"),
        (.most, "or less,or smaller,or shorter,以下,以内,之内"),
    ])
    private static let units = PhraseTable<Unit>([
        (.bytes(1), "b,byte,bytes,字节"), (.bytes(1e3), "k,kb,kilobyte,kilobytes"),
        (.bytes(1e6), "m,mb,megabyte,megabytes,meg,megs,兆,兆字节"), (.bytes(1e9), "g,gb,gigabyte,gigabytes,gig,gigs,吉字节"),
        (.bytes(1e12), "t,tb,terabyte,terabytes"), (.bytes(1024), "kib"), (.bytes(1_048_576), "mib"),
        (.bytes(1_073_741_824), "gib"), (.bytes(1_099_511_627_776), "tib"),
        (.milliseconds(1000), "s,sec,secs,second,seconds,秒,秒钟"),
        (.milliseconds(60_000), "min,mins,minute,minutes,分,分钟"),
        (.milliseconds(3_600_000), "h,hr,hrs,hour,hours,小时,个小时,钟头,个钟头"),
    ])
}

/// What kinds of photos are called. Chinese stands in simplified characters: a query is read as such.
enum TraitWords {
    static func read(_ phrases: QueryPhrases, at place: Int) -> (SearchQuery.Meaning, end: Int)? {
        phrases.find(table, at: place).map { (.trait($0.value), $0.end) }
    }

    private static let table = PhraseTable<PhotoTrait>([
        (.photo, "photo,photos,picture,pictures,image,images,pic,pics,照片,相片,图片,图像"),
        (.video, "video,videos,movie,movies,film,films,视频,影片,录像,录影,短片,视讯"),
        (.raw, "raw,raws,raw photo,raw photos,raw file,raw files,raw照片,raw相片,raw格式,raw文件,raw档,原始格式"),
        (
            .screenshot,
            """
            screenshot,screenshots,screen shot,screen shots,screen capture,screen captures,截图,截屏,屏幕截图,屏幕截屏,\
            屏幕快照,萤幕截图,萤幕快照,手机截图
            """
        ),
        (
            .live,
            """
            live,live photo,live photos,live picture,live pictures,motion photo,motion photos,实况,实况照片,原况照片,\
            实况图,动态照片,动态相片,live图,live照片
            """
        ),
        (.panorama, "panorama,panoramas,panoramic,pano,panos,全景,全景照片,全景相片,全景图"),
        (.animated, "animated,animation,animations,动图,动态图,动画"),
        (.heic, "heic,heif"), (.jpeg, "jpeg,jpg,jpegs,jpgs"), (.png, "png,pngs"), (.gif, "gif,gifs"), (.webp, "webp"),
        (.avif, "avif"), (.tiff, "tiff,tif"),
        (
            .favourite,
            """
            favourite,favourites,favorite,favorites,heart,hearts,hearted,liked,with a heart,with heart,收藏,个人收藏,我的收藏,已收藏,最爱,我的最爱,喜爱,\
            喜欢,我喜欢的,喜好,喜好项目,有爱心
            """
        ),
        (.archived, "archived,archive,in the archive,not in the timeline,归档,已归档,归档照片,归档的,封存,已封存"),
        (
            .unfiled,
            """
            unfiled,not in an album,not in any album,not in album,not in albums,in no album,no album,without album,\
            without an album,without albums,不在相册,不在相册里,不在相册中,不在任何相册,不在任何相册里,不在任何相册中,没有相册,无相册,\
            未加入相册,未归类,未整理,不在相簿,不在相簿里,不在相簿中,不在任何相簿,不在任何相簿里,不在任何相簿中,没有相簿,无相簿,未加入相簿
            """
        ),
        (.damaged, "damaged,broken,corrupt,corrupted,损坏,已损坏,受损,毁损,坏掉,坏掉的,坏的"),
        (.located, "with place,with a place,with location,with a location,geotagged,有位置,有地点,有定位,带位置"),
        (
            .unlocated,
            "without place,without a place,without location,without a location,no location,没有位置,没有地点,没有定位,无位置,不带位置"
        ),
    ])
}
