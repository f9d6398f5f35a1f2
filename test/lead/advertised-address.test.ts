import { expect, it } from "vitest";
import { advertisedAddress } from "../../src/lead/advertised-address.ts";

const listen = (host: string) => ({ host, port: 8080 });

it.each([
  [{ advertise: "t.example.com:9000", listen: listen("0.0.0.0") }, "t.example.com:9000"],
  [{ advertise: "t.example.com", listen: listen("0.0.0.0") }, "t.example.com:8080"],
  [{ advertise: "[fd00::1]", listen: listen("::") }, "[fd00::1]:8080"],
  [{ advertise: "[fd00::1]:9000", listen: listen("::") }, "[fd00::1]:9000"],
  [{ advertise: "", podIp: "10.0.0.5", listen: listen("0.0.0.0") }, "10.0.0.5:8080"],
  [{ advertise: "", podIp: "fd00::5", listen: listen("::") }, "[fd00::5]:8080"],
  [{ advertise: "", podIp: "10.0.0.5", listen: listen("127.0.0.1") }, "127.0.0.1:8080"],
  [{ advertise: "", podIp: "", listen: listen("0.0.0.0") }, "node-1:8080"],
  [{ advertise: "", listen: listen("0.0.0.0") }, "node-1:8080"],
])("%j is found at %s", (facts, address) => {
  expect(advertisedAddress({ podIp: undefined, hostname: "node-1", ...facts })).toBe(address);
});
