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
