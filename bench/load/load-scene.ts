import { Child } from "../processes/child.ts";
import type { LoadCommands, LoadedCluster } from "../processes/load-process.ts";
import type { SinkCommands } from "../processes/sink-process.ts";
import { Setup, type Gateway } from "../first/translator.ts";
import type { LoadSize } from "./load-cluster.ts";

/** A load and a sink, each in a process of its own, and what a translator between them is started with. */
export interface LoadScene extends AsyncDisposable {
  readonly load: Child<LoadCommands>;
  readonly sink: Child<SinkCommands>;
  readonly clusters: readonly LoadedCluster[];
  readonly gateway: Gateway;
  readonly setup: Setup;
}

export async function openLoadScene(size: LoadSize): Promise<LoadScene> {
  const load = new Child<LoadCommands>(new URL("../processes/load-process.ts", import.meta.url));
  const sink = new Child<SinkCommands>(new URL("../processes/sink-process.ts", import.meta.url));
  const [clusters, gateway] = await Promise.all([load.ask("start", size), sink.ask("fresh")]);
  const setup = new Setup(clusters);
  return {
    ...{ load, sink, clusters, gateway, setup },
    async [Symbol.asyncDispose]() {
      setup.close();
      await load.ask("close");
      await Promise.all([load.stop(), sink.stop()]);
    },
  };
}
