import { beforeAll, describe, expect, it } from "vitest";
import { testAuthority } from "../apisix/test-certificates.ts";
import { load, minimalBut, problemsOf, type Given } from "./given.ts";

const files: Record<string, string> = {};
beforeAll(async () => {
  const authority = await testAuthority("own");
  const one = await authority.issue("one");
  const two = await authority.issue("two");
  Object.assign(files, {
    "/ca": `Issued for us\n${authority.ca}\n${one.cert}`,
    "/one.crt": one.cert,
    "/one.key": one.key,
    "/two.key": two.key,
    "/empty": "",
    "/cut": authority.ca.replace(/.{60}\n/, "\n"),
    "/locked": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nhush\n-----END ENCRYPTED PRIVATE KEY-----",
  });
});

const given = (tls: string, url = "https://a:1"): Given => ({
  yaml: minimalBut(`gateway: {adminUrls: ["${url}"], tls: ${tls}}`),
  files,
});

const ca = "allowed: a file of certificates in PEM";
const cert = "allowed: a file that holds the client's certificate in PEM, beside keyFile";
const key = "allowed: a file that holds the client's private key in PEM, beside certFile";

describe("gateway.tls", () => {
  it("is absent unless it is given, and every key may be left out", () => {
    expect(load({ yaml: minimalBut("gateway: {adminUrls: [https://a:1]}") }).gateway.tls).toBeUndefined();
    expect(load(given("{}")).gateway.tls).toEqual({
      ...{ caFile: undefined, certFile: undefined, keyFile: undefined, serverName: undefined },
    });
  });

  it("names files that hold what they should; a private key is printed nowhere", () => {
    const config = load(
      given("{caFile: /ca, certFile: /one.crt, keyFile: /one.key, serverName: apisix-admin.internal}"),
    );
    expect(config.gateway.tls).toEqual({
      ...{ caFile: "/ca", certFile: "/one.crt", keyFile: "/one.key", serverName: "apisix-admin.internal" },
    });
    const { tlsMaterial } = config.gateway;
    expect(tlsMaterial).toMatchObject({ ca: files["/ca"], cert: files["/one.crt"] });
    expect(tlsMaterial?.key?.reveal()).toBe(files["/one.key"]);
    expect(JSON.stringify(config)).not.toContain("PRIVATE KEY");
  });

  it("is given by flags and environment too", () => {
    const yaml = minimalBut("gateway: {adminUrls: [https://a:1]}");
    const env = { TRANSLATOR_GATEWAY_TLS_SERVER_NAME: "apisix-admin.internal" };
    const { tls } = load({ yaml, env, files, flags: { "gateway.tls.caFile": "/ca" } }).gateway;
    expect(tls).toMatchObject({ caFile: "/ca", serverName: "apisix-admin.internal" });
  });

  it.each<[string, string[]]>([
    ["{caFile: /none}", [`caFile: got "/none", which cannot be read: there is no such file; ${ca}`]],
    ["{caFile: /empty}", [`caFile: got "/empty", which holds no certificate in PEM; ${ca}`]],
    ["{caFile: /one.key}", [`caFile: got "/one.key", which holds no certificate in PEM; ${ca}`]],
    [
      "{caFile: /cut}",
      [`caFile: got "/cut", which holds a certificate that cannot be read (number 1); ${ca}`],
    ],
    ["{certFile: /one.crt}", [`keyFile: is missing; ${key}`]],
    ["{keyFile: /one.key}", [`certFile: is missing; ${cert}`]],
    [
      "{certFile: /one.crt, keyFile: /two.key}",
      [`keyFile: got "/two.key", which is not the key of the certificate in certFile; ${key}`],
    ],
    [
      "{certFile: /one.crt, keyFile: /locked}",
      [
        `keyFile: got "/locked", which holds no private key in PEM that can be read without a passphrase; ${key}`,
      ],
    ],
    ["{serverName: 'a b'}", ['serverName: got "a b"; allowed: a DNS name of at most 253 characters']],
    [
      "{caFile: /none, certFile: /empty}",
      [
        `keyFile: is missing; ${key}`,
        `caFile: got "/none", which cannot be read: there is no such file; ${ca}`,
        `certFile: got "/empty", which holds no certificate in PEM; ${cert}`,
      ],
    ],
  ])("%s", (tls, problems) => {
    expect(problemsOf(given(tls))).toEqual(problems.map((problem) => `gateway.tls.${problem}`));
  });

  it("is refused where no URL could use it", () => {
    expect(problemsOf(given("{caFile: /ca}", "http://a:1"))).toEqual([
      "gateway.tls: is of no use: no URL of gateway.adminUrls is https; allowed: only beside one",
    ]);
  });

  it("never quotes what a file holds", () => {
    expect(problemsOf(given("{certFile: /one.key, keyFile: /locked}")).join("\n")).not.toMatch(/hush|BEGIN/);
  });
});
