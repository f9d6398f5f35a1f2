/**
 * Why a document was refused. `syntax`: it is not JSON in UTF-8, or is cut off; `shape`: the root is not an object, or
 * the field is missing, comes twice or is not an array; `limit`: one of the limits was passed.
 */
export type JsonListFault = "syntax" | "shape" | "limit";

/** The message never quotes the document. */
export class JsonListError extends SyntaxError {
  readonly fault: JsonListFault;

  constructor(fault: JsonListFault, message: string) {
    super(message);
    this.name = "JsonListError";
    this.fault = fault;
  }
}
