/**
 * What deliberately differs between the embedded Admin API and a real APISIX 3.18. Rows with `matches` were met in the recordings: the contract test
 * fails on any other difference, and on a row that matches nothing. The table in DIFFERENCES.md is written from here.
 */
import type { Difference } from "./compare-answers.ts";
import type { RecordedExchange } from "./recorded-exchanges.ts";

export interface AllowedDifference {
  readonly about: string;
  readonly apisix: string;
  readonly embedded: string;
  readonly why: string;
  /** Absent: no recorded exchange shows it. */
  readonly matches?: (exchange: RecordedExchange, difference: Difference) => boolean;
}

function bothStrings({ expected, actual }: Difference): boolean {
  return typeof expected === "string" && typeof actual === "string" && actual !== "";
}

function titleOf(page: unknown): string | undefined {
  return typeof page === "string" ? /<title>(.*)<\/title>/.exec(page)?.[1] : undefined;
}

export const allowedDifferences: readonly AllowedDifference[] = [
  {
    about: "Descriptions in schemas",
    apisix: "its own sentences",
    embedded: "our own words, at the same places",
    why: "no text of other projects",
    matches: ({ request }, difference) =>
      /\/(schema|plugins)\//.test(request.path) &&
      /\.(description|\$comment)$/.test(difference.path) &&
      bothStrings(difference),
  },
  {
    about: "nginx's pages (404, 405, 500)",
    apisix: "with a footer",
    embedded: "same title, no footer",
    why: "no text of other projects",
    matches: (_, { path, expected, actual }) =>
      path === "body" && titleOf(expected) !== undefined && titleOf(expected) === titleOf(actual),
  },
  {
    about: "`key` of an ssl in the answer to a write",
    apisix: "the private key, encrypted",
    embedded: "the same encryption of what was sent",
    why: "the recorded requests are redacted, so the texts cannot be equal",
    matches: ({ request }, difference) =>
      request.path.includes("/ssls/") && difference.path === "body.value.key" && bothStrings(difference),
  },
  {
    about: "Wording of refusals (`error_msg`)",
    apisix: "its own",
    embedded: "close to it, exact where FACTS-APISIX.md names the words",
    why: "the recordings' wording is uncertain by contract: compared as text that is there, and for those words",
  },
  {
    about: "Ports",
    apisix: "Admin, control, status and data plane each on its own",
    embedded:
      "control (`/v1/…`, empty answers) and status on the Admin API's; no data plane: that one exchange of 03 is skipped",
    why: "nothing that the translator does needs them",
  },
  {
    about: "Plugins",
    apisix: "each checks its configuration",
    embedded:
      "`proxy-rewrite`, `limit-count` (its main fields), `redirect`, `traffic-split` and every `_meta` are checked; others accept any object",
    why: "which plugins users may set is policy; a refused one is shown by these four",
  },
  {
    about: "Lua (`filter_func`, `script`)",
    apisix: "compiled",
    embedded: "`filter_func` must look like a function; nothing is compiled",
    why: "the translator writes neither",
  },
  {
    about: "Private keys of ssls",
    apisix: "at least 128 characters, parsed",
    embedded: "any text; certificates are parsed",
    why: "the recorded keys are redacted",
  },
  {
    about: "Regular expressions in filters of lists",
    apisix: "PCRE",
    embedded: "JavaScript's, at most 256 characters",
    why: "the translator filters lists itself",
  },
  {
    about: "`NaN` and `Infinity` in a body",
    apisix: "numbers; an answer that shows one is a 500",
    embedded: "numbers that are no integers; shown as `null`",
    why: "no field that the translator writes accepts them",
  },
  {
    about: "Secrets, protos",
    apisix: "stored, with schemas for each manager",
    embedded: "stored as sent",
    why: "only their empty lists are recorded",
  },
  {
    about: "etcd hung: DELETE",
    apisix: "503 after 30 s; whether it is applied later is not recorded",
    embedded: "503 after 30 s, not applied; a rule `delay` with a client that gives up shows the other case",
    why: "only a DELETE of a missing object is recorded",
  },
  {
    about: "etcd back",
    apisix: "goes on refusing for about 7 s",
    embedded: "answers at once; a test keeps it down for as long as it likes",
    why: "time belongs to the test",
  },
  {
    about: "View of references in a DELETE",
    apisix: "a worker's cache, sometimes late",
    embedded: "exact, unless the fault `stale-references` is on",
    why: "chance is switched on, never there by itself",
  },
  {
    about: "API-driven standalone mode (20, 22)",
    apisix: "`PUT /apisix/admin/configs`",
    embedded: "404, as in etcd mode",
    why: "not the way for large fleets (FACTS-APISIX.md); kept as data, not replayed",
  },
];

/** DIFFERENCES.md. */
export function differencesTable(rows: readonly AllowedDifference[]): string {
  const lines = rows.map((row) => {
    const shown = row.matches === undefined ? "no" : "yes";
    return `| ${row.about} | ${row.apisix} | ${row.embedded} | ${row.why} | ${shown} |`;
  });
  return [
    "# What differs between the embedded Admin API and APISIX 3.18",
    "",
    "Written from `allowed-differences.ts` by the contract test (`npx vitest run test/contract -u`); do not edit. The test fails on any difference that is",
    "not here, and on a row marked *recorded* that no recorded exchange shows. What equal means stands in `compare-answers.ts`.",
    "",
    "| about | APISIX | embedded | why | recorded |",
    "|---|---|---|---|---|",
    ...lines,
    "",
    "In 02 the recorder deleted objects between exchanges without writing it down (201 where the id had been written before): the replay does the same.",
    "",
  ].join("\n");
}
