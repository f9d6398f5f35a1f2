import type { Check } from "./checks/check.ts";
import { memberClusters } from "./checks/sight.ts";
import type { Configuration } from "./setup.ts";
import type { World } from "./world.ts";

/** Whoever runs the translator: edits the file that it watches, and asks it to do what it does not do by itself. */
export class Operator {
  readonly #world: World;
  readonly #tell: (run: (check: Check) => void) => void;

  constructor(world: World, tell: (run: (check: Check) => void) => void) {
    this.#world = world;
    this.#tell = tell;
  }

  /** Edits the file. */
  configure(change: Partial<Configuration>): void {
    const world = this.#world;
    world.configuration = { ...world.configuration, ...change };
    for (const cluster of world.clusters.values()) world.changed(cluster);
    for (const process of world.processes.living) process.configure();
  }

  /** A cluster comes back into the configuration. */
  addCluster(name: string): void {
    const { weights, purges } = this.#world.configuration;
    if (weights.has(name)) return;
    this.#world.trace.say("operator", `${name} is in the configuration again`);
    const others = new Map([...purges].filter(([other]) => other !== name));
    this.configure({ weights: new Map([...weights, [name, 100]]), purges: others });
  }

  /** The file now names another kubeconfig for the cluster. */
  nameKubeconfig(name: string): void {
    const { kubeconfigs } = this.#world.configuration;
    this.configure({ kubeconfigs: new Map([...kubeconfigs, [name, (kubeconfigs.get(name) ?? 0) + 1]]) });
  }

  /** Has looked at `/status`, and lets go what the guard held. Returns how many groups that were. */
  approve(): number {
    const writer = this.#world.process?.controller?.writer;
    const { batch } = writer?.guard.status() ?? {};
    if (writer === undefined || batch === undefined) return 0;
    this.#tell((check) => check.approved?.());
    const released = writer.approve(batch) ?? 0;
    this.#world.trace.say("operator", `approves ${batch}: ${released} groups`);
    return released;
  }

  /** Does not wait for the next audit: after a slow one, that is far. */
  audit(): void {
    const controller = this.#world.process?.controller;
    if (controller === undefined) return;
    this.#world.trace.say("operator", "asks for an audit");
    controller.audit.run().catch((error: unknown) => this.#world.violate("fault", String(error)));
  }

  /** `purge --cluster` of one that is not in the configuration any more. */
  async purge(name: string): Promise<void> {
    const world = this.#world;
    const { process } = world;
    if (process?.controller === undefined || world.configuration.weights.has(name)) return;
    // Whoever answers under the name when it comes back is believed: nothing says any more who it was.
    if (world.clusters.get(name)?.isItself !== true) return;
    const purge = { at: world.time.now(), uids: world.gateway.uidsOf(name) };
    process.purged.set(name, [...(process.purged.get(name) ?? []), purge]);
    this.#decide(name, "asked");
    const decision = await process.controller.decisions.purge(name);
    world.trace.say("operator", `${name} was to be purged: ${JSON.stringify(decision)}`);
    // Nothing was done, nor is it going to be.
    if (!decision.ok)
      process.purged.set(name, process.purged.get(name)?.filter((other) => other !== purge) ?? []);
    const isGone = decision.ok ? decision["left"] === 0 : decision["status"] === 404;
    const isStill = world.process === process && !world.configuration.weights.has(name);
    if (!isGone || !isStill || process.gate.isFrozen) return;
    this.#decide(name, "done");
    this.#believeNext(name);
  }

  /** Nothing says any more who stood under the name: one that was built anew needs no accepting. */
  #believeNext(name: string): void {
    const cluster = this.#world.clusters.get(name);
    if (cluster?.rebuilt !== "unknown") return;
    cluster.believe();
    this.#world.changed(cluster);
  }

  #decide(name: string, what: "asked" | "done"): void {
    const { purges } = this.#world.configuration;
    if (purges.get(name) === what || (purges.get(name) === "done" && what === "asked")) return;
    this.configure({ purges: new Map([...purges, [name, what]]) });
  }

  /** `cluster accept` of one that was built anew, until it is. */
  async accept(name: string): Promise<void> {
    const world = this.#world;
    const cluster = world.clusters.get(name);
    const decisions = world.process?.controller?.decisions;
    if (cluster?.rebuilt === undefined || cluster.isImpostor) return;
    this.#believeNext(name);
    if (decisions === undefined) return;
    const decision = await decisions.accept(name);
    world.trace.say("operator", `${name} was to be accepted: ${JSON.stringify(decision)}`);
  }

  /** What was asked for and may not have been done, for want of an answer or of a leader, is asked for again. */
  insist(): void {
    const { configuration, clusters } = this.#world;
    for (const name of configuration.purges.keys()) this.begin(this.purge(name));
    for (const name of clusters.keys()) this.begin(this.accept(name));
  }

  /**
   * Clusters that are to be purged, and of which something stands. Where somebody has taken over one half of a group, the
   * other may have to stay.
   */
  unfinished(): string[] {
    const { gateway, configuration } = this.#world;
    const asked = [...configuration.purges].filter(([, what]) => what === "asked");
    const all = [...gateway.owned("routes"), ...gateway.owned("upstreams")];
    return asked.flatMap(([name]) => {
      const left = all.find(
        ({ id, identity, value }) =>
          !gateway.touched.has(id) && (identity.cluster === name || memberClusters(value).includes(name)),
      );
      return left === undefined ? [] : [`the purge of ${name} does not end: ${left.id} stands`];
    });
  }

  /** What it finds in the end is told in the trace. */
  begin(asked: Promise<void>): void {
    asked.catch((error: unknown) => this.#world.violate("fault", String(error)));
  }
}
