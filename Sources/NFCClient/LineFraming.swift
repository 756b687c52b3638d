import NFCProtocol
import NIOCore

/// Cuts the stream from the daemon at newlines.
struct LineFraming: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// Bytes already searched.
    private var searched = 0

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let newline = buffer.readableBytesView.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.readableBytes
            return .needMoreData
        }
        let line = buffer.readSlice(length: newline - buffer.readerIndex)
        buffer.moveReaderIndex(forwardBy: 1)
        searched = 0
        if let line { context.fireChannelRead(wrapInboundOut(line)) }
        return .continue
    }
}
