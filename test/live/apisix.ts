import type { JsonObject } from "../../src/apisix/types.ts";

/** Ids that the tests make up themselves begin with it. */
export const mark = "test-apisix-";
/** Marks what they make under an id of the translator's, or edit. */
export const strangersLabel = "test-apisix";
/** Of the translator under test. */
export const instance = "test-apisix";

export interface Item {
  readonly id: string;
  readonly value: JsonObject;
  readonly modifiedIndex: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** In which objects can be deleted: nothing that stands is referred to by what comes later. */
export const collections = ["routes", "services", "plugin_configs", "upstreams"] as const;

const relayed = ["content-type", "x-api-version", "server"];

/** The Admin API of an APISIX that somebody runs. */
export class Apisix {
  readonly adminUrl: string;
  readonly adminKey: string;

  constructor(adminUrl: string, adminKey: string) {
    this.adminUrl = adminUrl.replace(/\/+$/, "");
    this.adminKey = adminKey;
  }

  /** @param path From `/apisix/admin/` on, with its query. */
  async ask(method: string, path: string, body = "", key = this.adminKey): Promise<Reply> {
    const answer = await fetch(`${this.adminUrl}${path}`, {
      ...{ method, redirect: "manual", headers: { "x-api-key": key } },
      ...(body === "" ? {} : { body }),
    });
    const headers = relayed.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    return { status: answer.status, headers: Object.fromEntries(headers), body: await answer.text() };
  }

  /** Everything in a collection, whoever made it. @throws Error where the answer is no list. */
  async list(collection: string): Promise<readonly Item[]> {
    const { status, body } = await this.ask("GET", `/apisix/admin/${collection}`);
    if (status !== 200) throw new Error(`GET ${collection} was answered ${status}: ${body.slice(0, 200)}`);
    const { list } = JSON.parse(body) as {
      list?: readonly { readonly key: string; readonly value: JsonObject; readonly modifiedIndex: number }[];
    };
    if (list === undefined) throw new Error(`GET ${collection} was answered without a list`);
    // An old APISIX writes an empty list as an object.
    return Object.values(list).map(({ key, value, modifiedIndex }) => {
      return { id: key.slice(key.lastIndexOf("/") + 1), value, modifiedIndex };
    });
  }

  /** A worker's view of references may be late: it is asked again. @throws Error where it is refused all the same. */
  async delete(collection: string, id: string): Promise<void> {
    for (let tries = 0; ; tries++) {
      const { status, body } = await this.ask("DELETE", `/apisix/admin/${collection}/${id}`);
      if (status === 200 || status === 404) return;
      if (tries === 50) throw new Error(`DELETE ${collection}/${id} was answered ${status}: ${body}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Deletes, in each collection, what is chosen. */
  async deleteAll(chosen: (collection: string, item: Item) => boolean): Promise<void> {
    for (const collection of collections) {
      const ids = (await this.list(collection))
        .filter((item) => chosen(collection, item))
        .map(({ id }) => id);
      const next = ids.values();
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (const id of next) await this.delete(collection, id);
        }),
      );
    }
  }
}

/** Whether a run of these tests made it. */
export function isTests({ id, value }: Item): boolean {
  const labels = value["labels"] as Readonly<Record<string, string>> | undefined;
  return (
    id.startsWith(mark) ||
    labels?.["translator/instance"] === instance ||
    labels?.[strangersLabel] !== undefined
  );
}
