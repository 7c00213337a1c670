import jspb from 'google-protobuf';

interface MessageType<T> {
  new (): T;
  deserializeBinaryFromReader(message: T, reader: jspb.BinaryReader): T;
}

/**
 * The generated classes believe every length that a message gives: five bytes that promise 256 MB keep them counting to
 * the end of those, and the store serves nobody meanwhile.
 */
class BoundedReader extends jspb.BinaryReader {
  constructor(private readonly bytes: Uint8Array) {
    super(bytes);
  }

  /** @throws RangeError if what follows goes on after the end of the message */
  override nextField(): boolean {
    const isField = super.nextField();
    if (this.getCursor() > this.bytes.byteLength) throw new RangeError('the message ends too early');
    if (isField && this.isDelimited()) this.checkLength();
    return isField;
  }

  private checkLength(): void {
    let at = this.getCursor();
    let length = 0;
    for (let scale = 1; ; scale *= 128, at += 1) {
      const byte = this.bytes[at];
      if (byte === undefined) throw new RangeError('the message ends in a length');
      length += (byte & 127) * scale;
      if (byte < 128) break;
    }
    if (at + 1 + length > this.bytes.byteLength)
      throw new RangeError(`${length} bytes are promised that do not come`);
  }
}

/** Decodes a message by its generated class. Throws on one that is cut short. */
export const decoderOf =
  <T>(type: MessageType<T>) =>
  (bytes: Uint8Array): T =>
    type.deserializeBinaryFromReader(new type(), new BoundedReader(bytes));
