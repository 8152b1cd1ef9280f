/// Numbers of TIFF 6.0, EXIF 2.32 and DNG 1.4.
enum TIFFTag {
    static let newSubfileType: UInt16 = 0x00FE
    static let imageWidth: UInt16 = 0x0100
    static let imageLength: UInt16 = 0x0101
    static let compression: UInt16 = 0x0103
    static let photometric: UInt16 = 0x0106
    static let make: UInt16 = 0x010F
    static let model: UInt16 = 0x0110
    static let stripOffsets: UInt16 = 0x0111
    static let orientation: UInt16 = 0x0112
    static let stripByteCounts: UInt16 = 0x0117
    static let dateTime: UInt16 = 0x0132
    static let subDirectories: UInt16 = 0x014A
    static let jpegOffset: UInt16 = 0x0201
    static let jpegByteCount: UInt16 = 0x0202
    static let xmp: UInt16 = 0x02BC
    static let iptc: UInt16 = 0x83BB
    static let photoshop: UInt16 = 0x8649
    static let exifDirectory: UInt16 = 0x8769
    static let gpsDirectory: UInt16 = 0x8825
    static let dngVersion: UInt16 = 0xC612

    static let dateTimeOriginal: UInt16 = 0x9003
    static let dateTimeDigitized: UInt16 = 0x9004
    static let offsetTime: UInt16 = 0x9010
    static let offsetTimeOriginal: UInt16 = 0x9011
    static let offsetTimeDigitized: UInt16 = 0x9012
    static let makerNote: UInt16 = 0x927C
    static let subSecTime: UInt16 = 0x9290
    static let subSecTimeOriginal: UInt16 = 0x9291
    static let subSecTimeDigitized: UInt16 = 0x9292
    static let pixelWidth: UInt16 = 0xA002
    static let pixelHeight: UInt16 = 0xA003
    static let lensModel: UInt16 = 0xA434

    /// From here on, tags that stand in the GPS directory only.
    static let latitudeReference: UInt16 = 1
    static let latitude: UInt16 = 2
    static let longitudeReference: UInt16 = 3
    static let longitude: UInt16 = 4
    static let altitudeReference: UInt16 = 5
    static let altitude: UInt16 = 6
    static let timeStamp: UInt16 = 7
    static let dateStamp: UInt16 = 29

    /// Of Panasonic's raw files: a whole JPEG, and the sensor's borders.
    static let panasonicJPEG: UInt16 = 0x002E
}
