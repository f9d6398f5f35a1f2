/**
 * The `cause` of an `ADMIN_CONNECTION` whose request never reached a connection: APISIX cannot have seen it. A transport that
 * cannot tell leaves it out, and the request counts as one that may have been applied.
 */
export class NotSent extends Error {
  constructor(cause: unknown) {
    super("the request was not sent", { cause });
    this.name = "NotSent";
  }
}
