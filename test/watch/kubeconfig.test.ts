import { describe, expect, test } from "vitest";
import { TranslatorError } from "../../src/errors.ts";
import { findContext } from "../../src/watch/kubeconfig.ts";

const base = {
  clusters: [{ name: "c", cluster: { server: "https://one:6443", "certificate-authority": "ca.crt" } }],
  users: [{ name: "u", user: { token: "SECRET-TOKEN" } }],
  contexts: [
    { name: "first", context: { cluster: "c", user: "u" } },
    { name: "anonymous", context: { cluster: "c" } },
  ],
  "current-context": "first",
};

const find = (value: unknown, context?: string) =>
  findContext(typeof value === "string" ? value : JSON.stringify(value), "/kc", context);

function problem(value: unknown, context?: string): string {
  try {
    find(value, context);
  } catch (error) {
    expect(error).toBeInstanceOf(TranslatorError);
    expect((error as TranslatorError).code).toBe("KUBE_CREDENTIALS");
    return (error as TranslatorError).message;
  }
  throw new Error("it was accepted");
}

test("finds the current context, or the one that is named", () => {
  expect(find(base)).toMatchObject({
    cluster: { server: "https://one:6443", caFile: "ca.crt", insecure: false },
    user: { token: "SECRET-TOKEN" },
  });
  expect(find(base, "anonymous").user).toEqual({});
});

test("reads every field that matters, from YAML", () => {
  const text = `
apiVersion: v1
kind: Config
clusters:
- name: c
  cluster: &c
    server: https://one
    insecure-skip-tls-verify: true
    tls-server-name: kubernetes
    proxy-url: http://proxy:3128
    certificate-authority-data: Q0E=
users:
- name: u
  user:
    client-certificate-data: Q0VSVA==
    client-key: key.pem
    tokenFile: token
    username: me
    password: pass
    as: someone
    exec: {command: get-token}
contexts:
- {name: x, context: {cluster: c, user: u}}
current-context: x
`;
  expect(find(text)).toEqual({
    cluster: {
      server: "https://one",
      insecure: true,
      tlsServerName: "kubernetes",
      proxyUrl: "http://proxy:3128",
      caData: "Q0E=",
      caFile: undefined,
    },
    user: {
      certData: "Q0VSVA==",
      keyFile: "key.pem",
      tokenFile: "token",
      username: "me",
      password: "pass",
      impersonate: "someone",
      exec: { command: "get-token" },
      authProvider: undefined,
      certFile: undefined,
      keyData: undefined,
      token: undefined,
    },
  });
});

describe("what cannot be used is named, and nothing of it quoted", () => {
  test.each([
    ["", undefined, "/kc: is not a kubeconfig"],
    ["- a\n- b", undefined, "/kc: is not a kubeconfig"],
    ["token: [SECRET-TOKEN", undefined, "/kc: is not YAML (BAD_INDENT at character 20)"],
    ["\u0000\u0001", undefined, "/kc: is not"],
    [base, "second", '/kc: has no context "second"; it has "first", "anonymous"'],
    [
      { ...base, "current-context": "" },
      undefined,
      '/kc: has no current context; it has "first", "anonymous"',
    ],
    [{}, undefined, "/kc: has no current context; it has none"],
    [{ ...base, clusters: [] }, undefined, '/kc: context "first" names a cluster that is not there: "c"'],
    [{ ...base, users: null }, undefined, '/kc: context "first" names a user that is not there: "u"'],
    [{ ...base, users: { name: "u", token: "SECRET-TOKEN" } }, undefined, "/kc: users is not a list"],
    [{ ...base, users: [{ user: { token: "SECRET-TOKEN" } }] }, undefined, "/kc: users[0].name is missing"],
    [
      { ...base, users: [{ name: "u", user: { token: ["SECRET-TOKEN"] } }] },
      undefined,
      "/kc: token is not text",
    ],
    [{ ...base, clusters: [{ name: "c", cluster: {} }] }, undefined, "/kc: the cluster has no server"],
    [{ ...base, clusters: [{ name: "c" }] }, undefined, "/kc: the cluster has no server"],
    [
      { ...base, users: [...base.users, { name: "u", user: { token: "SECRET-OTHER" } }] },
      undefined,
      '/kc: users has "u" twice',
    ],
    [
      { ...base, contexts: [...base.contexts, base.contexts[0]] },
      undefined,
      '/kc: contexts has "first" twice',
    ],
    [
      { ...base, users: [{ name: "u", user: { token: "SECRET-TOKEN", username: "me" } }] },
      undefined,
      "/kc: the user has two credentials, token and username; allowed: one",
    ],
    [
      {
        ...base,
        users: [{ name: "u", user: { exec: { command: "x" }, "auth-provider": { name: "oidc" } } }],
      },
      undefined,
      "/kc: the user has two credentials, exec and auth-provider; allowed: one",
    ],
    [
      { ...base, users: [{ name: "u", user: { "client-key-data": "SECRET%" } }] },
      undefined,
      "/kc: client-key-data is not base64",
    ],
  ])("%j, context %j", (value, context, message) => {
    const said = problem(value, context);
    expect(said).toContain(message);
    expect(said).not.toContain("SECRET");
  });

  test("aliases that grow without end", () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (let index = 1; index < 9; index++) {
      const name = String.fromCharCode(97 + index);
      const inner = String.fromCharCode(96 + index);
      lines.push(`${name}: &${name} [${Array.from({ length: 10 }, () => `*${inner}`).join(", ")}]`);
    }
    expect(problem(lines.join("\n"))).toContain("endless aliases");
  });
});
