import type { Check } from "./checks/check.ts";
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
    const { weights } = this.#world.configuration;
    if (weights.has(name)) return;
    this.#world.trace.say("operator", `${name} is in the configuration again`);
    this.configure({ weights: new Map([...weights, [name, 100]]) });
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
}
