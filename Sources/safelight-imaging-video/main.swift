import ImagingCage
import ImagingProtocol

let child = ImagingChild(
    load: VideoLibrary.load, warmUp: VideoLibrary.warmUp,
    examine: { job, source, limits, tell throws(UnreadableReason) in
        try VideoJob(type: job.type, source: source, limits: limits).result(telling: tell)
    })

child.main(CommandLine.arguments)
