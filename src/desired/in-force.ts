import { equalIgnoringDefaults } from "../apisix/canonical.ts";
import type { JsonObject } from "../apisix/types.ts";
import { differingFields } from "./differing-fields.ts";
import type { Asked } from "./differing-fields.ts";
import type { Group, Stands } from "./group.ts";
import { keptSelection } from "./kept.ts";
import { selectLabelOf } from "./settings.ts";
import type { Settings } from "./settings.ts";

/** What the members of a group are held against: what one of them sets, or what stands while nobody does. */
export type InForce =
  | { readonly from: "settings"; readonly settings: Settings }
  /** Only the bodies that stand are known, as after a restart. */
  | {
      readonly from: "bodies";
      readonly upstream: JsonObject;
      readonly route: JsonObject;
      /** Key of settings → whether they are other ones: most members of a group ask for the same. */
      readonly compared: Map<string, boolean>;
    }
  /** It stands, and nothing can be held against it. */
  | { readonly from: "unknown"; readonly why: string }
  /** Nothing stands, and nobody sets anything. */
  | { readonly from: "nothing" };

type Bodies = Extract<InForce, { readonly from: "bodies" }>;

/** `settings`: of the member that sets them. */
export function inForce(group: Group, stands: Stands, settings: Settings | undefined): InForce {
  if (settings !== undefined) return { from: "settings", settings };
  if (!stands.upstream && !stands.route) return { from: "nothing" };
  if (!stands.route) return { from: "unknown", why: missing("route") };
  if (!stands.upstream) return { from: "unknown", why: missing("upstream") };
  const { accepted, kept } = group;
  if (accepted !== undefined) return { from: "settings", settings: accepted };
  const { upstream = null, route = null } = kept ?? {};
  if (upstream === null || route === null) return { from: "unknown", why: unread };
  return { from: "bodies", upstream, route, compared: new Map() };
}

const unread = "what stands of it in APISIX has not been read yet, and is kept as it is";

function missing(resource: "route" | "upstream"): string {
  return `the settings are kept as they stand, and its ${resource} does not stand in APISIX`;
}

/** Whether what a member asks for is something else. */
export function isOtherThan(asked: Settings, force: InForce, id: string): boolean {
  if (force.from === "settings") return asked.key !== force.settings.key;
  if (force.from !== "bodies") return false;
  const isOther = force.compared.get(asked.key) ?? !standsIn(asked, force, id);
  force.compared.set(asked.key, isOther);
  return isOther;
}

function standsIn({ route, upstream, selection }: Settings, bodies: Bodies, id: string): boolean {
  const stands = keptSelection(bodies.upstream);
  return (
    equalIgnoringDefaults({ ...route, upstream_id: id }, settingsIn(bodies.route)) &&
    equalIgnoringDefaults(upstream, settingsIn(bodies.upstream)) &&
    stands !== undefined &&
    selectLabelOf(stands) === selectLabelOf(selection)
  );
}

/** Fields by which it is; empty where no field of a declaration says what somebody has edited. */
export function fieldsOtherThan(asked: Settings, force: InForce): readonly string[] {
  if (force.from === "settings") return differingFields(asked, force.settings);
  return force.from === "bodies" ? differingFields(asked, askedIn(force)) : [];
}

function askedIn({ upstream, route }: Bodies): Asked {
  return { upstream, route, selection: keptSelection(upstream) };
}

/** Without whose it is, and without nodes. */
function settingsIn({ name: _name, desc: _desc, labels: _labels, nodes: _nodes, ...settings }: JsonObject) {
  return settings;
}
