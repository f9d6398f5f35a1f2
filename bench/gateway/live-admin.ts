import { request } from "node:http";
import type { LiveGateway } from "../bench.ts";

const probeId = "bench-probe";

interface Listed {
  readonly list?: readonly {
    readonly value: { readonly id: string; readonly labels?: Readonly<Record<string, string>> };
  }[];
}

/** What a bench itself writes to a real APISIX, and how all of it goes again. */
export class LiveAdmin {
  readonly #gateway: LiveGateway;

  constructor(gateway: LiveGateway) {
    this.#gateway = gateway;
  }

  /** A route that is nobody's, to a server on this machine. */
  async putProbe(host: string, port: number): Promise<void> {
    const upstream = { type: "roundrobin", nodes: [{ host: "127.0.0.1", port, weight: 1 }] };
    await this.#send("PUT", `upstreams/${probeId}`, upstream);
    await this.#send("PUT", `routes/${probeId}`, { host, uri: "/*", upstream_id: probeId });
  }

  /** Deletes what the instance owns, and the probe. */
  async clear(instance: string, { keepProbe = false } = {}): Promise<void> {
    for (const collection of ["routes", "upstreams"]) {
      const { list = [] } = (await this.#send("GET", collection)) as Listed;
      const ids = (Array.isArray(list) ? list : [])
        .filter(({ value }) => value.labels?.["translator/instance"] === instance)
        .map(({ value }) => value.id);
      if (!keepProbe) ids.push(probeId);
      while (ids.length > 0)
        await Promise.all(ids.splice(0, 16).map((id) => this.#send("DELETE", `${collection}/${id}`)));
    }
  }

  #send(method: string, path: string, body?: object): Promise<unknown> {
    const { adminUrl, key } = this.#gateway;
    const headers = { "x-api-key": key, "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      request(`${adminUrl}/apisix/admin/${path}`, { method, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        answer.on("end", () => {
          const { statusCode = 0 } = answer;
          if (statusCode < 300 || statusCode === 404) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path} answered ${statusCode}: ${text.slice(0, 200)}`));
        });
      })
        .on("error", reject)
        .end(body && JSON.stringify(body));
    });
  }
}
