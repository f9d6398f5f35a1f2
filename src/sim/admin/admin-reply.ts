/** What the embedded Admin API answers, before any fault spoils it. */

export interface AdminReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Set where the answer says no more than that etcd did not answer. */
  readonly etcd?: true;
}

const serverName = "APISIX/3.18.0";

const resourceHeaders = { "content-type": "application/json", "x-api-version": "v3", server: serverName };
const plainHeaders = { "content-type": "application/json", server: serverName };

/** An answer about a resource: JSON text with the header that names the API's version. */
export function resourceReply(status: number, body: string): AdminReply {
  return { status, headers: resourceHeaders, body };
}

/** An answer given before or beside the resources: keys, bodies, plugins. */
export function plainReply(status: number, body: string): AdminReply {
  return { status, headers: plainHeaders, body };
}

export function refusal(status: number, message: string): AdminReply {
  return resourceReply(status, JSON.stringify({ error_msg: message }));
}

export function plainRefusal(
  status: number,
  message: string,
  more: Readonly<Record<string, string>> = {},
): AdminReply {
  return plainReply(status, JSON.stringify({ error_msg: message, ...more }));
}

export const notFound: AdminReply = resourceReply(404, '{"message":"Key not found"}');

export const noEtcd = "has no healthy etcd endpoint available";

export function etcdRefusal(status: number, message: string): AdminReply {
  return { ...refusal(status, message), etcd: true };
}

/** nginx's own page. `server`: `openresty` where the request never reached APISIX. */
export function htmlReply(status: number, title: string, server: string = serverName): AdminReply {
  return {
    status,
    headers: { "content-type": "text/html; charset=utf-8", server },
    body: `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>openresty</center>\r\n</body>\r\n</html>\r\n`,
  };
}

export function textReply(status: number, body: string, server: string = serverName): AdminReply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", server }, body };
}
