import type { ClusterConfig } from "../config.ts";
import { enabledLabel } from "../declare/names.ts";
import { TranslatorError } from "../errors.ts";
import { kindRows } from "../watch/kinds.ts";
import { fine, wrong } from "./check.ts";
import type { Finding } from "./check.ts";
import { fieldsOf } from "./kube-client.ts";
import type { KubeClient } from "./kube-client.ts";

const check = "slices";
const selector = encodeURIComponent(`${enabledLabel}=true`);
/** More Services than this are not looked at here: it would be the work of `run`. */
const most = 500;
const mostSlices = 2000;
const mostNamed = 5;

/**
 * Services that opted in and of which no EndpointSlice carries the label: slices mirrored from hand-written Endpoints
 * carry the Endpoints' labels (FACTS-KUBERNETES.md, trap 13), custom ones their own.
 */
export async function checkSlices(client: KubeClient, { namespaces }: ClusterConfig): Promise<Finding> {
  try {
    const services = await listed(client, "services", namespaces, most);
    const slices = await listed(client, "endpointslices", namespaces, mostSlices);
    if (services === undefined || slices === undefined)
      return fine(check, "not looked at: there are too many");
    const seen = new Set(slices.map(({ namespace, service }) => `${namespace}/${service}`));
    const without = services
      .map(({ namespace, name }) => `${namespace}/${name}`)
      .filter((service) => !seen.has(service));
    if (without.length === 0)
      return fine(
        check,
        `${services.length} ${services.length === 1 ? "Service that opted in, with" : "Services that opted in, all with"} slices`,
      );
    const more = without.length > mostNamed ? ` and ${without.length - mostNamed} more` : "";
    const remedy = `label their EndpointSlices, or the Endpoints that these are copied from, ${enabledLabel}=true; or set sliceSelector: none for this cluster`;
    return wrong(
      check,
      `no labelled EndpointSlice for ${without.slice(0, mostNamed).join(", ")}${more}`,
      remedy,
    );
  } catch (error) {
    if (!(error instanceof TranslatorError)) throw error;
    // Whoever may not list them is told by the check of that right.
    return fine(check, `not looked at: ${error.message}`);
  }
}

interface Found {
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
}

/** Undefined: there are more. */
async function listed(
  client: KubeClient,
  kind: "services" | "endpointslices",
  namespaces: readonly string[],
  limit: number,
): Promise<Found[] | undefined> {
  const all = kindRows[kind].path;
  const paths =
    namespaces.length === 0
      ? [all]
      : namespaces.map((namespace) => all.replace(/[^/]+$/, `namespaces/${namespace}/${kind}`));
  const found: Found[] = [];
  for (const path of paths) {
    const { body } = await client.get(`${path}?labelSelector=${selector}&limit=${limit}`);
    const { continue: more } = fieldsOf(body["metadata"]);
    if ((more ?? "") !== "") return undefined;
    const items: unknown = body["items"];
    for (const item of Array.isArray(items) ? items : []) found.push(foundIn(item));
    if (found.length > limit) return undefined;
  }
  return found;
}

function foundIn(item: unknown): Found {
  const { namespace, name, labels } = fieldsOf(fieldsOf(item)["metadata"]);
  const service = fieldsOf(labels)["kubernetes.io/service-name"];
  return {
    namespace: String(namespace),
    name: String(name),
    service: typeof service === "string" ? service : "",
  };
}
