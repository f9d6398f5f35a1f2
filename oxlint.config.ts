import { defineConfig } from "oxlint";

type Overrides = NonNullable<Parameters<typeof defineConfig>[0]["overrides"]>;

/** The stages in the order of the data: nothing imports rightwards. */
const stages = [
  "watch",
  // The filter compares with what the store holds.
  "store",
  "filter",
  "shard",
  "desired",
  "diff",
  "claims",
  "write",
  "lead",
  "observe",
] as const;

/** No I/O, no clock, no randomness, no metrics, no logging. */
const pure = ["declare", "filter", "desired", "diff", "claims"];

/** Each outside library has one owner. */
const owners: Readonly<Record<string, readonly string[]>> = {
  undici: ["src/watch/**", "src/apisix/**"],
  piscina: ["src/shard/**"],
  msgpackr: ["src/shard/codec.ts", "src/shard/pack.ts"],
  "msgpackr/pack": ["src/shard/codec.ts", "src/shard/pack.ts"],
  "prom-client": ["src/observe/**"],
  pino: ["src/observe/**"],
  yaml: ["src/config/**", "src/watch/**", "src/manifests/**"],
  selfsigned: ["src/sim/**"],
};

const ambient = ["performance", "setTimeout", "setInterval", "setImmediate", "process", "fetch"].map(
  (name) => ({
    name,
    message: "Passed in: see src/runtime.ts.",
  }),
);

function libraries(allowed: readonly string[]): { name: string; message: string }[] {
  return Object.keys(owners)
    .filter((name) => !allowed.includes(name))
    .map((name) => ({ name, message: `Only its owner imports ${name}: ${owners[name]?.join(", ") ?? ""}` }));
}

function folders(names: readonly string[]): string[] {
  return names.flatMap((name) => [`../${name}/*`, `../../${name}/*`, `../src/${name}/*`]);
}

/** What files of `folder` may not import. */
function rightOf(folder: string): string[] {
  const at = stages.indexOf(folder as (typeof stages)[number]);
  const right = stages.filter((_, index) => index > at);
  const outer = folder === "sim" ? [] : ["sim", "commands"];
  return folders([...(at < 0 ? (folder === "sim" ? [] : stages) : right), ...outer]);
}

function rules(folder: string, allowed: readonly string[]): NonNullable<Overrides[number]["rules"]> {
  const group = rightOf(folder);
  return {
    "no-restricted-imports": [
      "error",
      {
        paths: libraries(allowed),
        patterns:
          group.length === 0
            ? []
            : [{ group, message: `${folder} stands before these: nothing imports rightwards.` }],
      },
    ],
    ...(pure.includes(folder)
      ? {
          "no-restricted-globals": ["error", ...ambient],
          "no-restricted-properties": [
            "error",
            { object: "Date", property: "now", message: "Time is passed in." },
            { object: "Math", property: "random", message: "Chance is passed in." },
          ],
        }
      : {}),
  };
}

function ownedBy(folder: string): string[] {
  return Object.entries(owners)
    .filter(([, places]) => places.some((place) => place.startsWith(`src/${folder}/`)))
    .map(([name]) => name);
}

const folderOverrides: Overrides = [
  ...stages,
  "declare",
  "apisix",
  "json",
  "protobuf",
  "sdk",
  "manifests",
  "sim",
].map((folder) => ({
  files: [`src/${folder}/**/*.ts`],
  rules: rules(folder, ownedBy(folder)),
}));

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc"],
  categories: { correctness: "error" },
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-non-null-assertion": "error",
    "import/no-cycle": "error",
    "no-console": "error",
    "no-empty": "error",
    eqeqeq: "error",
    "unicorn/no-useless-spread": "off",
  },
  overrides: [
    ...folderOverrides,
    // A test that asks for what is not there fails, as it should.
    { files: ["test/**/*.ts", "bench/**/*.ts"], rules: { "typescript/no-non-null-assertion": "off" } },
  ],
  ignorePatterns: ["dist", "node_modules"],
});
