import { resourceRows, type ResourceRow } from "../../src/sim/kubernetes/resources.ts";
import { ByteTemplate, placesOf } from "./byte-template.ts";
import type { LoadFormat } from "./load-format.ts";
import { loadObject, type Shape } from "./load-objects.ts";

/** One shape in one format: a frame that says MODIFIED, ready for a chunked answer, and the object as a list has it. */
export interface ShapeTemplate {
  readonly frame: ByteTemplate;
  readonly item: ByteTemplate;
}

export const shapeRows: Readonly<Record<Shape, ResourceRow>> = {
  services: resourceRows.services,
  portService: resourceRows.services,
  endpointslices: resourceRows.endpointslices,
  pods: resourceRows.pods,
  nodes: resourceRows.nodes,
};

export function shapeTemplate(shape: Shape, endpoints: number, format: LoadFormat): ShapeTemplate {
  const row = shapeRows[shape];
  const count = shape === "endpointslices" ? endpoints : 0;
  const addresses = shape === "pods" || shape === "nodes" ? 1 : count;
  const template = (encode: (object: ReturnType<typeof loadObject>) => Uint8Array): ByteTemplate => {
    const encoded = (isReady: (index: number) => boolean): Uint8Array =>
      encode(loadObject(shape, endpoints, isReady));
    const bytes = encoded(() => !format.isJson);
    return new ByteTemplate(bytes, format.isJson, addresses, readyPlaces(bytes, encoded, count, format));
  };
  return {
    frame: template((object) => chunk(format.encoder.frame("MODIFIED", row, object))),
    item: template((object) => format.item(row, object)),
  };
}

/** As HTTP/1.1 carries a piece of a body whose length is not known. */
export function chunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

function readyPlaces(
  bytes: Uint8Array,
  encoded: (isReady: (index: number) => boolean) => Uint8Array,
  count: number,
  { isJson }: LoadFormat,
): number[] {
  const named = '"ready":';
  if (isJson && count > 0)
    return placesOf(Buffer.from(bytes), `${named}false`).map((at) => at + named.length);
  return Array.from({ length: count }, (_, index) => {
    const other = encoded((endpoint) => endpoint !== index);
    const at = bytes.findIndex((byte, offset) => byte !== other[offset]);
    if (other.length !== bytes.length || at < 0) throw new Error("ready has no byte of its own");
    return at;
  });
}
