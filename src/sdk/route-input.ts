import type { Share, Timeout } from "../declare/declaration.ts";

/** One declaration as it is written. PRODUCT.md's table of fields says what each means and what it defaults to. */
export interface RouteInput {
  readonly name: string;
  readonly port: number | string;
  /** One of `host` and `hosts`. */
  readonly host?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
  /** One of `uri` and `uris`. */
  readonly uri?: string | undefined;
  readonly uris?: readonly string[] | undefined;
  readonly methods?: readonly string[] | undefined;
  readonly priority?: number | undefined;
  readonly websocket?: boolean | undefined;
  readonly rewrite?: { readonly stripPrefix: string } | { readonly uri: string } | undefined;
  readonly plugins?: Readonly<Record<string, unknown>> | undefined;
  readonly scheme?: "http" | "https" | "grpc" | "grpcs" | undefined;
  readonly timeout?: Timeout | undefined;
  readonly retries?: number | undefined;
  /** `pass`, `node`, or a host name. */
  readonly passHost?: string | undefined;
  readonly loadBalancer?: "roundrobin" | "least_conn" | "ewma" | ChashInput | undefined;
  readonly healthCheck?: HealthCheckInput | undefined;
  readonly share?: Share | undefined;
  /** `nodePort`: Services only. */
  readonly via?: "endpoint" | "nodePort" | undefined;
  readonly publishNotReady?: boolean | undefined;
  readonly protocol?: "http" | undefined;
}

interface ChashInput {
  readonly chash: {
    readonly hashOn: "vars" | "header" | "cookie" | "consumer" | "vars_combinations";
    /** Not needed where `hashOn` is `consumer`. */
    readonly key?: string;
  };
}

interface HealthCheckInput {
  readonly path: string;
  /** Seconds. */
  readonly interval?: number;
  readonly healthy?: number;
  readonly unhealthy?: number;
}
