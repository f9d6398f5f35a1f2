/** Sends one PUT over and over, many at once on each connection: cheaper than any client, so that the sink is the limit. */
import { connect } from "node:net";
import { sharedNow } from "./protocol.ts";
import { serve } from "./serve.ts";

export type HoseCommands = {
  readonly pour: (
    url: string,
    requests: number,
  ) => Promise<{ readonly requests: number; readonly ms: number }>;
};

const connections = 8;
const together = 64;
const answerStart = Buffer.from("HTTP/1.1 2");

const commands: HoseCommands = {
  async pour(url, requests) {
    const begun = sharedNow();
    const each = Math.floor(requests / connections);
    await Promise.all(Array.from({ length: connections }, (_, index) => pourOne(new URL(url), index, each)));
    return { requests: each * connections, ms: sharedNow() - begun };
  },
};

function pourOne({ hostname, port }: URL, index: number, requests: number): Promise<void> {
  const id = `t-${String(index).padStart(40, "0")}`;
  const body = JSON.stringify({
    name: "x".repeat(700),
    nodes: [{ host: "10.100.100.100", port: 80, weight: 1 }],
  });
  const head = `PUT /apisix/admin/upstreams/${id} HTTP/1.1\r\nhost: sink\r\ncontent-length: ${body.length}\r\n\r\n`;
  const batch = (head + body).repeat(together);
  return new Promise((resolve, reject) => {
    let answered = 0;
    let rest: Buffer = Buffer.alloc(0);
    const socket = connect(Number(port), hostname, () => socket.write(batch));
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => {
      const bytes = Buffer.concat([rest, chunk]);
      rest = bytes.subarray(Math.max(0, bytes.length - answerStart.length + 1));
      const before = Math.floor(answered / together);
      for (let at = bytes.indexOf(answerStart); at >= 0; at = bytes.indexOf(answerStart, at + 1)) answered++;
      if (answered >= requests) {
        socket.destroy();
        resolve();
      } else if (Math.floor(answered / together) > before) socket.write(batch);
    });
  });
}

serve(commands);
