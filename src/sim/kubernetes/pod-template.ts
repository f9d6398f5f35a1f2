const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
/** What every container says besides its name, image and ports. */
export const containerTemplate = {
  env: [
    { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
    { name: "LOG_LEVEL", value: "info" },
    { name: "DB_PASSWORD", valueFrom: { secretKeyRef: { name: "web-db", key: "password" } } },
  ],
  resources: { limits: { cpu: "2", memory: "2Gi" }, requests: { cpu: "500m", memory: "1Gi" } },
  volumeMounts: [
    { name: "kube-api-access", readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
  ],
  livenessProbe: {
    httpGet: { path: "/livez", port: "http", scheme: "HTTP" },
    initialDelaySeconds: 30,
    ...probe,
  },
  readinessProbe: { httpGet: { path: "/readyz", port: "http", scheme: "HTTP" }, ...probe },
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "IfNotPresent",
};

/** What every Pod's spec says besides its containers and node. */
export const podSpecTemplate = {
  volumes: [
    {
      name: "kube-api-access",
      projected: {
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
          { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        ],
        defaultMode: 420,
      },
    },
  ],
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  serviceAccountName: "default",
  serviceAccount: "default",
  securityContext: {},
  schedulerName: "default-scheduler",
  tolerations: [
    { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    {
      key: "node.kubernetes.io/unreachable",
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    },
  ],
  priority: 0,
  enableServiceLinks: true,
  preemptionPolicy: "PreemptLowerPriority",
};
