export type SinkCollection = "upstreams" | "routes" | "services";

const collections: ReadonlySet<string> = new Set(["upstreams", "routes", "services"]);

/** Bytes gathered before a piece of a list is handed out. */
const pieceBytes = 256 * 1024;

/** Bodies as they came, by id. What an Admin API adds to them is added when they are read. */
export class SinkStore {
  readonly #bodies: Readonly<Record<SinkCollection, Map<string, Buffer>>> = {
    ...{ upstreams: new Map(), routes: new Map(), services: new Map() },
  };

  /** Whether it was not there before. */
  put(collection: SinkCollection, id: string, body: Buffer): boolean {
    const bodies = this.#bodies[collection];
    const isNew = !bodies.has(id);
    bodies.set(id, Buffer.from(body));
    return isNew;
  }

  delete(collection: SinkCollection, id: string): boolean {
    return this.#bodies[collection].delete(id);
  }

  /** As a single read answers it. */
  read(collection: SinkCollection, id: string): Buffer | undefined {
    const body = this.#bodies[collection].get(id);
    return body && itemOf(collection, id, body, 1);
  }

  entries(collection: SinkCollection): Iterable<readonly [string, Buffer]> {
    return this.#bodies[collection];
  }

  count(collection: SinkCollection): number {
    return this.#bodies[collection].size;
  }

  /** The unpaged list in pieces, and its length. */
  list(collection: SinkCollection): { readonly length: number; readonly pieces: Generator<Buffer, void> } {
    const bodies = this.#bodies[collection];
    const tail = Buffer.from(`],"total":${bodies.size}}`);
    const head = Buffer.from('{"list":[');
    let length = head.length + tail.length + Math.max(0, bodies.size - 1);
    let index = 0;
    for (const [id, body] of bodies) length += itemOf(collection, id, body, ++index).length;
    return { length, pieces: pieces(collection, [...bodies], head, tail) };
  }
}

export function isCollection(name: string): name is SinkCollection {
  return collections.has(name);
}

function* pieces(
  collection: SinkCollection,
  bodies: readonly (readonly [string, Buffer])[],
  head: Buffer,
  tail: Buffer,
): Generator<Buffer, void> {
  const comma = Buffer.from(",");
  let piece = [head];
  let gathered = 0;
  for (const [index, [id, body]] of bodies.entries()) {
    const item = itemOf(collection, id, body, index + 1);
    if (index > 0) piece.push(comma);
    piece.push(item);
    gathered += item.length;
    if (gathered < pieceBytes) continue;
    yield Buffer.concat(piece);
    piece = [];
    gathered = 0;
  }
  yield Buffer.concat([...piece, tail]);
}

function itemOf(collection: SinkCollection, id: string, body: Buffer, index: number): Buffer {
  const head = `{"key":"/apisix/${collection}/${id}","createdIndex":${index},"modifiedIndex":${index},"value":{"id":"${id}","create_time":1,"update_time":1,`;
  return Buffer.concat([Buffer.from(head), body.subarray(1), Buffer.from("}")]);
}
