import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Turns bytes into requests and answers into bytes.
struct HTTPPipeline {
    let limits: ListenerLimits

    /// - Parameter position: behind the handler that gives and takes bytes
    func add(
        isSecure: Bool, to pipeline: ChannelPipeline.SynchronousOperations,
        at position: ChannelPipeline.SynchronousOperations.Position
    ) throws {
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldSize = limits.headerByteCount
        decoderLimits.maxHeaderListSize = limits.headerByteCount
        decoderLimits.maxHeaderFieldCount = limits.headerFieldCount
        // Each takes the same position and moves those before it on.
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure), position: position)
        try pipeline.addHandler(RequestHeadHandler(), position: position)
        try pipeline.addHandler(FramingHandler(), position: position)
        // Pipelined requests wait in the queue of their connection's task; errors are answered there. Header fields
        // are valid by their types.
        try pipeline.configureHTTPServerPipeline(
            position: position, withPipeliningAssistance: false, withErrorHandling: false,
            withOutboundHeaderValidation: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: decoderLimits)
    }
}
