import { managedByLabel, managedByValue } from "../../src/apisix/labels.ts";
import type { AdminResponse, AdminTransport } from "../../src/apisix/transport.ts";
import type { Controller } from "../../src/controller.ts";
import type { KubeConnection } from "../../src/watch/kube-connection.ts";
import type { KubeRequest, KubeResponse } from "../../src/watch/transport.ts";
import type { Invariant } from "./checks/check.ts";
import type { Body } from "./oracle/ownership.ts";
import type { Plant } from "./plant.ts";

/** Bugs that the simulation must find, by the invariant that each breaks. */
export interface PlantedBug extends Plant {
  readonly breaks: readonly Invariant[];
  /** Where the search starts: near a seed that found it when this was written, for the sake of time. */
  readonly from: number;
}

function atAdmin(change: (send: AdminTransport) => AdminTransport): NonNullable<Plant["parts"]> {
  return (parts) => ({ ...parts, admin: change(parts.admin) });
}

async function textOf({ body }: AdminResponse): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(text, "utf8");
}

/** Whatever stands under an id of ours is read with the labels that ours had when it was last written. */
function blindToLabels(send: AdminTransport): AdminTransport {
  const labels = new Map<string, unknown>();
  const relabel = (value: Body): Body => {
    const ours = labels.get(String(value["id"]));
    const theirs = value["labels"] as Record<string, unknown> | undefined;
    return ours === undefined || theirs?.[managedByLabel] === managedByValue
      ? value
      : { ...value, labels: ours };
  };
  return async (request) => {
    const id = request.path.split("/")[4];
    if (request.method === "PUT" && id !== undefined)
      labels.set(id, (JSON.parse(request.body ?? "{}") as Body)["labels"]);
    const response = await send(request);
    if (request.method !== "GET" || response.status !== 200) return response;
    const text = await textOf(response);
    return { ...response, body: piecesOf(relabelled(text, relabel)) };
  };
}

function relabelled(text: string, relabel: (value: Body) => Body): string {
  try {
    const answer = JSON.parse(text) as { value?: Body; list?: { value: Body }[] };
    const { value, list } = answer;
    if (Array.isArray(list))
      return JSON.stringify({
        ...answer,
        list: list.map((item) => ({ ...item, value: relabel(item.value) })),
      });
    return value === undefined ? text : JSON.stringify({ ...answer, value: relabel(value) });
  } catch {
    // Spoiled on the way: handed on as it is.
    return text;
  }
}

/** A list that fails is taken for an empty one. */
function unknownIsEmpty(connection: KubeConnection): KubeConnection {
  const send = async (request: KubeRequest): Promise<KubeResponse> => {
    const isList = request.path.includes("/pods?") && request.path.includes("labelSelector");
    const isWatch = request.path.includes("watch=true");
    if (!isList || isWatch) return connection(request);
    const response = await connection(request).catch((error: unknown) => {
      if (request.signal.aborted) throw error;
      return undefined;
    });
    if (response?.status === 200) return response;
    const empty = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}';
    return { status: 200, contentType: "application/json", body: piecesOf(empty) };
  };
  return Object.assign(send, { close: () => connection.close() });
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "ownership labels are not looked at",
    breaks: [1],
    from: 10,
    parts: atAdmin(blindToLabels),
  },
  {
    name: "nobody looks before a DELETE",
    breaks: [1],
    from: 4,
    controller: ({ writer }) => {
      const { remove } = writer.requests;
      writer.requests.remove = (record, what, isStill) => {
        record.lookedAt = Number.POSITIVE_INFINITY;
        return remove.call(writer.requests, record, what, isStill);
      };
    },
  },
  {
    name: "a list that fails is taken for an empty one",
    breaks: [2, "guard"],
    from: 5,
    parts: (parts) => ({
      ...parts,
      connect: async (cluster) => unknownIsEmpty(await parts.connect(cluster)),
    }),
  },
  {
    name: "a cluster counts as listed as soon as it is reached",
    breaks: [2, "guard"],
    from: 12,
    controller: ({ intake, writer }) => {
      const take = intake.take.bind(intake);
      intake.take = (event) => {
        take(event);
        if (event.type === "identity" && writer.isAtWork) take({ ...event, type: "synced", kind: "pods" });
      };
    },
  },
  {
    name: "an unanswered write is believed not to have been applied",
    breaks: [3],
    from: 38,
    controller: ({ writer }) => {
      writer.standings.unknown = (record, resource) => {
        if (resource === "upstream") return;
        record.uncertain = undefined;
        writer.claims.stands(record.id, record.identity, record.route?.shape ?? null);
      };
    },
  },
  {
    name: "foreign routes are not heard of",
    breaks: [3, 5],
    from: 11,
    controller: ({ writer }) => {
      writer.claims.setForeign = () => {};
    },
  },
  {
    name: "a pair is free as soon as it is not wanted any more",
    breaks: [3],
    from: 2,
    controller: ({ writer }) => freesTooEarly(writer),
  },
  {
    name: "one word of a shard in twenty is lost",
    breaks: [5],
    from: 1,
    controller: ({ writer }) => {
      const take = writer.take.bind(writer);
      let words = 0;
      writer.take = (change) => {
        words++;
        if (words % 20 !== 0) take(change);
      };
    },
  },
  {
    name: "the audit restores nothing",
    breaks: [5],
    from: 6,
    controller: ({ writer }) => {
      const { looked } = writer.standings;
      let isFirst = true;
      writer.standings.looked = (...args) => {
        if (isFirst) looked.apply(writer.standings, args);
      };
      const start = writer.start.bind(writer);
      writer.start = () => {
        isFirst = false;
        start();
      };
    },
  },
  {
    name: "what stands is not told to the shards",
    breaks: [5, 6],
    from: 1,
    controller: ({ shards }) => {
      shards.known = () => {};
    },
  },
  {
    name: "routes are written first",
    breaks: [8],
    from: 1,
    controller: ({ writer }) => {
      const { writeUpstream } = writer.requests;
      writer.requests.writeUpstream = (record, lane) => {
        if (record.upstream !== undefined || lane === "drip")
          return writeUpstream.call(writer.requests, record, lane);
        record.upstream = { digest: "0" };
        return Promise.resolve("done");
      };
    },
  },
  {
    name: "upstreams are deleted first",
    breaks: [8],
    from: 1,
    parts: atAdmin((send) => async (request) => {
      const [, , , collection, id] = request.path.split("/");
      if (request.method === "DELETE" && collection === "routes")
        await send({ ...request, path: `/apisix/admin/upstreams/${id}` });
      return send(request);
    }),
  },
  {
    name: "writes go on after the write deadline",
    breaks: [4],
    from: 25,
    fence: () => ({ mayWrite: () => true, forfeit: () => {} }),
  },
  {
    name: "the write deadline does not count with the time that a request takes",
    breaks: [4],
    from: 25,
    fence: (fence) => ({
      mayWrite: () => fence.mayWrite(0),
      forfeit: (reason) => fence.forfeit(reason),
    }),
  },
  {
    name: "the guard lets everything go",
    breaks: ["guard"],
    from: 5,
    controller: ({ writer }) => {
      writer.guard.judge = () => "go";
      writer.guard.ask = () => "go";
    },
  },
];

/** Claims stand on what they want only, not on what stands. */
function freesTooEarly(writer: Controller["writer"]): void {
  const { claims } = writer;
  const want = claims.want.bind(claims);
  claims.want = (claim) => {
    want(claim);
    const wanted = new Set(claim.pairs);
    const stands = writer.records.get(claim.id)?.route?.shape;
    if (stands === undefined) return;
    const keeps = stands.hosts.some((host) => stands.uris.some((uri) => wanted.has(`${host} ${uri}`)));
    if (!keeps) claims.stands(claim.id, claim.identity, null);
    want(claim);
  };
}
