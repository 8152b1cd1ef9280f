import Content
import Glibc
import Imaging
import Logging

/// The programs that look into photos, and what the vaults know of them.
struct Studio {
    let making: PictureMaking
    private let pictures: PictureStudio

    init(_ configuration: ImagingConfiguration, logger: Logger) {
        let pictures = PictureStudio(configuration: configuration, logger: logger)
        let program = configuration.pictureExecutable ?? ""
        if access(program, X_OK) != 0 {
            logger.warning(
                "the program that makes pictures is missing; photos are kept without", metadata: ["path": "\(program)"])
        }
        self.pictures = pictures
        making = PictureMaking(
            maker: pictures, workerCount: configuration.workerCount, isAvailable: { await pictures.isAbleToWork() })
        // Whether its libraries are there is known before anybody asks.
        Task { await pictures.isAbleToWork() }
    }

    func close() async { await pictures.close() }
}
