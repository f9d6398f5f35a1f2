/** Watches every kind of every cluster and reads what comes, as cheaply as can be. */
import { request } from "node:https";
import type { IncomingMessage } from "node:http";
import type { LoadedCluster } from "./load-process.ts";
import { serve } from "./serve.ts";

export type DrainCommands = {
  readonly watch: (clusters: readonly LoadedCluster[]) => void;
};

const collections = [
  "/api/v1/services",
  "/api/v1/pods",
  "/api/v1/nodes",
  "/apis/discovery.k8s.io/v1/endpointslices",
];

const commands: DrainCommands = {
  watch(clusters) {
    for (const { url, ca } of clusters)
      for (const path of collections) {
        const accept = "application/vnd.kubernetes.protobuf;stream=watch";
        const options = { ca, agent: false, headers: { accept } } as const;
        const read = (answer: IncomingMessage): void => void answer.resume();
        request(`${url}${path}?watch=true&resourceVersion=9999999999`, options, read)
          .on("error", () => {})
          .end();
      }
  },
};

serve(commands);
