import ImagingCage
import ImagingProtocol

let child = ImagingChild(
    load: VipsLibrary.load, warmUp: VipsLibrary.warmUp,
    examine: { job, source, limits, tell throws(UnreadableReason) in
        try PictureJob(type: job.type, source: source, limits: limits).result(telling: tell)
    })

child.main(CommandLine.arguments)
