/** Pipelines of these tests work on the APISIX that the variables name. */
import { useGateways } from "../pipeline/gateway-source.ts";
import { instance, mark } from "./apisix.ts";
import { theLiveEnvironment } from "./environment.ts";
import { startLiveGateway } from "./live-gateway.ts";

const { apisix } = theLiveEnvironment();
useGateways({ instance, mark, open: () => startLiveGateway(apisix) });
