import {
  completeShapeOf,
  flag,
  integer,
  message,
  messages,
  shapeOf,
  text,
  textMap,
  texts,
  time,
  type MessageShape,
} from "./message-shape.ts";

/**
 * Field numbers of the kinds that are watched, as the Kubernetes API defines them (generated.proto of meta/v1, core/v1 and
 * discovery/v1). They never change: objects stand in etcd in this form.
 */

const ownerReference = shapeOf({ kind: text(1), name: text(3), uid: text(4), controller: flag(6) });

const objectMeta = shapeOf({
  name: text(1),
  namespace: text(3),
  uid: text(5),
  resourceVersion: text(6),
  generation: integer(7),
  creationTimestamp: time(8),
  deletionTimestamp: time(9),
  labels: textMap(11),
  annotations: textMap(12),
  ownerReferences: messages(13, ownerReference),
});

const containerPort = shapeOf({ name: text(1), containerPort: integer(3), protocol: text(4) });

const container = shapeOf({ name: text(1), ports: messages(6, containerPort), restartPolicy: text(24) });

const podSpec = shapeOf({
  containers: messages(2, container),
  nodeName: text(10),
  initContainers: messages(20, container),
});

const podStatus = shapeOf({
  phase: text(1),
  conditions: messages(2, shapeOf({ type: text(1), status: text(2) })),
  podIP: text(6),
  podIPs: messages(12, shapeOf({ ip: text(1) })),
});

const servicePort = shapeOf({ name: text(1), protocol: text(2), port: integer(3), nodePort: integer(5) });

const serviceSpec = shapeOf({
  ports: messages(1, servicePort),
  clusterIP: text(3),
  type: text(4),
  externalName: text(10),
  externalTrafficPolicy: text(11),
  publishNotReadyAddresses: flag(13),
});

const endpointConditions = completeShapeOf({ ready: flag(1), serving: flag(2), terminating: flag(3) });

const endpoint = shapeOf({
  addresses: texts(1),
  conditions: message(2, endpointConditions),
  nodeName: text(6),
  zone: text(7),
});

const endpointPort = shapeOf({ name: text(1), protocol: text(2), port: integer(3) });

const nodeAddress = completeShapeOf({ type: text(1), address: text(2) });

export const objectShapes = {
  pods: shapeOf({
    metadata: message(1, objectMeta),
    spec: message(2, podSpec),
    status: message(3, podStatus),
  }),
  services: shapeOf({ metadata: message(1, objectMeta), spec: message(2, serviceSpec) }),
  endpointslices: shapeOf({
    metadata: message(1, objectMeta),
    endpoints: messages(2, endpoint),
    ports: messages(3, endpointPort),
    addressType: text(4),
  }),
  nodes: shapeOf({
    metadata: message(1, objectMeta),
    status: message(3, shapeOf({ addresses: messages(5, nodeAddress) })),
  }),
} as const satisfies Readonly<Record<string, MessageShape>>;
