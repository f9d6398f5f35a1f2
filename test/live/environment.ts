import { Apisix } from "./apisix.ts";

export const usage = `npm run test:apisix runs the contract replay and the pipeline suite against an APISIX of yours (3.x, etcd mode). Set

  APISIX_ADMIN_URL   as http://127.0.0.1:9180
  APISIX_ADMIN_KEY   a key that may write

and, if you like,

  APISIX_PROXY_URL   as http://127.0.0.1:9080: requests are sent through the gateway, too
  APISIX_ECHO_HOST   an address of this machine that the gateway reaches (127.0.0.1)
  APISIX_VIEWER_KEY  a key that may only read: its exchanges are replayed, too

It works under an instance of its own (test-apisix) with hosts under example.com, touches nothing else, and cleans up.`;

export interface LiveEnvironment {
  readonly apisix: Apisix;
  readonly proxyUrl: string | undefined;
  readonly echoHost: string;
  readonly viewerKey: string | undefined;
}

/** @returns What is missing or wrong, one line each, where the variables do not name an APISIX. */
export function liveEnvironment(
  env: NodeJS.ProcessEnv,
):
  | { readonly ok: true; readonly live: LiveEnvironment }
  | { readonly ok: false; readonly problems: string[] } {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const [adminUrl, adminKey, proxyUrl] = ["ADMIN_URL", "ADMIN_KEY", "PROXY_URL"].map((name) =>
    text(`APISIX_${name}`),
  );
  const problems: string[] = [];
  if (adminUrl === undefined) problems.push("APISIX_ADMIN_URL is not set");
  if (adminKey === undefined) problems.push("APISIX_ADMIN_KEY is not set");
  for (const [name, url] of [
    ["ADMIN", adminUrl],
    ["PROXY", proxyUrl],
  ] as const)
    if (url !== undefined && !/^https?:\/\/[^/]+\/?$/.test(url))
      problems.push(
        `APISIX_${name}_URL is ${url}: allowed is http://HOST:PORT or https://HOST:PORT, without a path`,
      );
  if (adminUrl === undefined || adminKey === undefined || problems.length > 0) return { ok: false, problems };
  const live = {
    ...{ apisix: new Apisix(adminUrl, adminKey), proxyUrl: proxyUrl?.replace(/\/$/, "") },
    ...{ echoHost: text("APISIX_ECHO_HOST") ?? "127.0.0.1", viewerKey: text("APISIX_VIEWER_KEY") },
  };
  return { ok: true, live };
}

/** For tests that `main.ts` has started. @throws Error where the variables are missing. */
export function theLiveEnvironment(): LiveEnvironment {
  const found = liveEnvironment(process.env);
  if (!found.ok) throw new Error(`${found.problems.join("; ")}\n\n${usage}`);
  return found.live;
}
