import type { BodiesAhead } from "./bodies-ahead.ts";
import { Breaker } from "./breaker.ts";
import type { Writer } from "./writer.ts";
import type { WriterParts } from "./writer-parts.ts";

/** The writer's breaker: what stops while APISIX does not answer, and what is taken up again when it does. */
export function gatewayBreaker(
  { clock, random, log, probe, recovered }: WriterParts,
  writer: Writer,
  bodies: BodiesAhead,
): Breaker {
  return new Breaker(clock, random, {
    opened: (reason) => {
      writer.pacer.close();
      bodies.clear();
      writer.removals.suspend("gateway");
      const advice =
        "see that the Admin API is up and reachable; nothing is lost, writes go on when it answers";
      log.warn({ reason, advice }, "APISIX does not answer: writes are held back");
    },
    closed: () => {
      log.info({}, "APISIX answers again");
      writer.pacer.open();
      writer.removals.resume("gateway");
      writer.regate(writer.records.all());
      recovered();
    },
    probe,
  });
}
