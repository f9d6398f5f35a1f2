/**
 * Messages of the Kubernetes API as its servers write them (generated.proto and generated.pb.go of core/v1, discovery/v1 and
 * meta/v1): what the embedded clusters' objects are made of. A field: number, name, type; `[]` a list, `{}` a map from
 * strings, `?` left out when it is not set, where others stand at their zero value. `...`: its fields stand in the JSON of
 * the message around it.
 */
export const wireSchema: Readonly<Record<string, string>> = {
  Affinity: "3 podAntiAffinity PodAntiAffinity?",
  Capabilities: "1 add string[]; 2 drop string[]",
  ConfigMapProjection: "1 ... LocalObjectReference; 2 items KeyToPath[]; 4 optional bool?",
  ConfigMapVolumeSource:
    "1 ... LocalObjectReference; 3 defaultMode int32?; 4 optional bool?; 5 defaultUser int64?",
  Container:
    "1 name string; 2 image string; 3 command string[]; 4 args string[]; 5 workingDir string; 6 ports ContainerPort[]; 7 env EnvVar[]; 8 resources ResourceRequirements; 9 volumeMounts VolumeMount[]; 10 livenessProbe Probe?; 11 readinessProbe Probe?; 13 terminationMessagePath string; 14 imagePullPolicy string; 15 securityContext SecurityContext?; 16 stdin bool; 17 stdinOnce bool; 18 tty bool; 20 terminationMessagePolicy string; 24 restartPolicy string?",
  ContainerImage: "1 names string[]; 2 sizeBytes int64",
  ContainerPort: "1 name string; 2 hostPort int32; 3 containerPort int32; 4 protocol string; 5 hostIP string",
  ContainerState: "2 running ContainerStateRunning?",
  ContainerStateRunning: "1 startedAt Time",
  ContainerStatus:
    "1 name string; 2 state ContainerState; 3 lastState ContainerState; 4 ready bool; 5 restartCount int32; 6 image string; 7 imageID string; 8 containerID string; 9 started bool?; 10 allocatedResources Quantity{}; 15 stopSignal string?",
  DaemonEndpoint: "1 Port int32",
  DownwardAPIProjection: "1 items DownwardAPIVolumeFile[]",
  DownwardAPIVolumeFile: "1 path string; 2 fieldRef ObjectFieldSelector?; 4 mode int32?; 5 user int64?",
  Endpoint:
    "1 addresses string[]; 2 conditions EndpointConditions; 3 hostname string?; 4 targetRef ObjectReference?; 5 deprecatedTopology string{}; 6 nodeName string?; 7 zone string?; 8 hints EndpointHints?",
  EndpointConditions: "1 ready bool?; 2 serving bool?; 3 terminating bool?",
  EndpointHints: "1 forZones ForZone[]",
  EndpointPort: "1 name string?; 2 protocol string?; 3 port int32?; 4 appProtocol string?",
  EndpointSlice:
    "1 metadata ObjectMeta; 2 endpoints Endpoint[]; 3 ports EndpointPort[]; 4 addressType string",
  EnvVar: "1 name string; 2 value string; 3 valueFrom EnvVarSource?",
  EnvVarSource: "1 fieldRef ObjectFieldSelector?; 4 secretKeyRef SecretKeySelector?",
  ForZone: "1 name string",
  HTTPGetAction: "1 path string; 2 port IntOrString; 3 host string; 4 scheme string; 6 protocol string?",
  HostIP: "1 ip string",
  KeyToPath: "1 key string; 2 path string; 3 mode int32?; 4 user int64?",
  LabelSelector: "1 matchLabels string{}",
  ListMeta: "1 selfLink string; 2 resourceVersion string; 3 continue string; 4 remainingItemCount int64?",
  LoadBalancerIngress: "1 ip string; 2 hostname string; 3 ipMode string?; 4 ports PortStatus[]",
  LoadBalancerStatus: "1 ingress LoadBalancerIngress[]",
  LocalObjectReference: "1 name string",
  ManagedFieldsEntry:
    "1 manager string; 2 operation string; 3 apiVersion string; 4 time Time?; 6 fieldsType string; 7 fieldsV1 FieldsV1?; 8 subresource string",
  Node: "1 metadata ObjectMeta; 2 spec NodeSpec; 3 status NodeStatus",
  NodeAddress: "1 type string; 2 address string",
  NodeCondition:
    "1 type string; 2 status string; 3 lastHeartbeatTime Time; 4 lastTransitionTime Time; 5 reason string; 6 message string",
  NodeDaemonEndpoints: "1 kubeletEndpoint DaemonEndpoint",
  NodeSpec:
    "1 podCIDR string; 2 externalID string; 3 providerID string; 4 unschedulable bool; 7 podCIDRs string[]",
  NodeStatus:
    "1 capacity Quantity{}; 2 allocatable Quantity{}; 3 phase string; 4 conditions NodeCondition[]; 5 addresses NodeAddress[]; 6 daemonEndpoints NodeDaemonEndpoints; 7 nodeInfo NodeSystemInfo; 8 images ContainerImage[]; 9 volumesInUse string[]; 14 declaredFeatures string[]",
  NodeSystemInfo:
    "1 machineID string; 2 systemUUID string; 3 bootID string; 4 kernelVersion string; 5 osImage string; 6 containerRuntimeVersion string; 7 kubeletVersion string; 8 kubeProxyVersion string; 9 operatingSystem string; 10 architecture string; 12 runningInUserNamespace bool?",
  ObjectFieldSelector: "1 apiVersion string; 2 fieldPath string",
  ObjectMeta:
    "1 name string; 2 generateName string; 3 namespace string; 4 selfLink string; 5 uid string; 6 resourceVersion string; 7 generation int64; 8 creationTimestamp Time; 9 deletionTimestamp Time?; 10 deletionGracePeriodSeconds int64?; 11 labels string{}; 12 annotations string{}; 13 ownerReferences OwnerReference[]; 14 finalizers string[]; 17 managedFields ManagedFieldsEntry[]",
  ObjectReference:
    "1 kind string; 2 namespace string; 3 name string; 4 uid string; 5 apiVersion string; 6 resourceVersion string; 7 fieldPath string",
  OwnerReference:
    "1 kind string; 3 name string; 4 uid string; 5 apiVersion string; 6 controller bool?; 7 blockOwnerDeletion bool?",
  Pod: "1 metadata ObjectMeta; 2 spec PodSpec; 3 status PodStatus",
  PodAffinityTerm:
    "1 labelSelector LabelSelector?; 2 namespaces string[]; 3 topologyKey string; 5 matchLabelKeys string[]; 6 mismatchLabelKeys string[]",
  PodAntiAffinity: "2 preferredDuringSchedulingIgnoredDuringExecution WeightedPodAffinityTerm[]",
  PodCondition:
    "1 type string; 2 status string; 3 lastProbeTime Time; 4 lastTransitionTime Time; 5 reason string; 6 message string; 7 observedGeneration int64",
  PodIP: "1 ip string",
  PodSecurityContext:
    "2 runAsUser int64?; 3 runAsNonRoot bool?; 4 supplementalGroups int64[]; 5 fsGroup int64?; 6 runAsGroup int64?; 9 fsGroupChangePolicy string?; 12 supplementalGroupsPolicy string?; 13 seLinuxChangePolicy string?",
  PodSpec:
    "1 volumes Volume[]; 2 containers Container[]; 3 restartPolicy string; 4 terminationGracePeriodSeconds int64?; 5 activeDeadlineSeconds int64?; 6 dnsPolicy string; 7 nodeSelector string{}; 8 serviceAccountName string; 9 serviceAccount string; 10 nodeName string; 11 hostNetwork bool; 12 hostPID bool; 13 hostIPC bool; 14 securityContext PodSecurityContext?; 16 hostname string; 17 subdomain string; 18 affinity Affinity?; 19 schedulerName string; 20 initContainers Container[]; 21 automountServiceAccountToken bool?; 22 tolerations Toleration[]; 24 priorityClassName string; 25 priority int32?; 27 shareProcessNamespace bool?; 29 runtimeClassName string?; 30 enableServiceLinks bool?; 31 preemptionPolicy string?; 32 overhead Quantity{}; 35 setHostnameAsFQDN bool?; 37 hostUsers bool?; 41 hostnameOverride string?",
  PodStatus:
    "1 phase string; 2 conditions PodCondition[]; 3 message string; 4 reason string; 5 hostIP string; 6 podIP string; 7 startTime Time?; 8 containerStatuses ContainerStatus[]; 9 qosClass string; 11 nominatedNodeName string; 12 podIPs PodIP[]; 14 resize string; 16 hostIPs HostIP[]; 17 observedGeneration int64; 19 allocatedResources Quantity{}",
  PortStatus: "1 port int32; 2 protocol string; 3 error string?",
  Probe:
    "1 ... ProbeHandler; 2 initialDelaySeconds int32; 3 timeoutSeconds int32; 4 periodSeconds int32; 5 successThreshold int32; 6 failureThreshold int32; 7 terminationGracePeriodSeconds int64?",
  ProbeHandler: "2 httpGet HTTPGetAction?",
  ProjectedVolumeSource: "1 sources VolumeProjection[]; 2 defaultMode int32?; 3 defaultUser int64?",
  ResourceRequirements: "1 limits Quantity{}; 2 requests Quantity{}",
  SecretKeySelector: "1 ... LocalObjectReference; 2 key string; 3 optional bool?",
  SecurityContext:
    "1 capabilities Capabilities?; 2 privileged bool?; 4 runAsUser int64?; 5 runAsNonRoot bool?; 6 readOnlyRootFilesystem bool?; 7 allowPrivilegeEscalation bool?; 8 runAsGroup int64?; 9 procMount string?",
  Service: "1 metadata ObjectMeta; 2 spec ServiceSpec; 3 status ServiceStatus",
  ServiceAccountTokenProjection:
    "1 audience string; 2 expirationSeconds int64?; 3 path string; 4 user int64?",
  ServicePort:
    "1 name string; 2 protocol string; 3 port int32; 4 targetPort IntOrString; 5 nodePort int32; 6 appProtocol string?",
  ServiceSpec:
    "1 ports ServicePort[]; 2 selector string{}; 3 clusterIP string; 4 type string; 5 externalIPs string[]; 7 sessionAffinity string; 8 loadBalancerIP string; 9 loadBalancerSourceRanges string[]; 10 externalName string; 11 externalTrafficPolicy string; 12 healthCheckNodePort int32; 13 publishNotReadyAddresses bool; 17 ipFamilyPolicy string?; 18 clusterIPs string[]; 19 ipFamilies string[]; 20 allocateLoadBalancerNodePorts bool?; 21 loadBalancerClass string?; 22 internalTrafficPolicy string?; 23 trafficDistribution string?",
  ServiceStatus: "1 loadBalancer LoadBalancerStatus",
  Status:
    "1 metadata ListMeta; 2 status string; 3 message string; 4 reason string; 5 details StatusDetails?; 6 code int32",
  StatusCause: "1 reason string; 2 message string; 3 field string",
  StatusDetails:
    "1 name string; 2 group string; 3 kind string; 4 causes StatusCause[]; 5 retryAfterSeconds int32; 6 uid string",
  Toleration: "1 key string; 2 operator string; 3 value string; 4 effect string; 5 tolerationSeconds int64?",
  Volume: "1 name string; 2 ... VolumeSource",
  VolumeMount:
    "1 name string; 2 readOnly bool; 3 mountPath string; 4 subPath string; 5 mountPropagation string?; 6 subPathExpr string; 7 recursiveReadOnly string?; 8 bindMountOptions string[]",
  VolumeProjection:
    "2 downwardAPI DownwardAPIProjection?; 3 configMap ConfigMapProjection?; 4 serviceAccountToken ServiceAccountTokenProjection?",
  VolumeSource: "19 configMap ConfigMapVolumeSource?; 26 projected ProjectedVolumeSource?",
  WeightedPodAffinityTerm: "1 weight int32; 2 podAffinityTerm PodAffinityTerm",
};
