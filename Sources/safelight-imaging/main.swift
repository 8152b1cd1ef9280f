import ImagingCage
import ImagingProtocol

let child = ImagingChild(
    load: VipsLibrary.load, warmUp: VipsLibrary.warmUp,
    examine: { job, source, limits, tell throws(UnreadableReason) in
        try PictureJob(type: job.type, source: source, limits: limits).result(telling: tell)
    },
    compare: { first, second, limits throws(UnreadableReason) in
        try PictureComparison(
            first: PictureJob(type: first.0, source: first.1, limits: limits),
            second: PictureJob(type: second.0, source: second.1, limits: limits)
        ).difference()
    })

child.main(CommandLine.arguments)
