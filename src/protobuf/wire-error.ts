/** Bytes that are no protobuf of the shape that was expected. The message never quotes them. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WireError";
  }
}
