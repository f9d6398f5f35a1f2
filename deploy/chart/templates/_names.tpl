{{- define "apisix-translator.name" -}}
{{- $name := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{ trunc 45 $name | trimSuffix "-" }}
{{- end }}

{{- define "apisix-translator.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "apisix-translator.labels" -}}
{{ include "apisix-translator.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "apisix-translator.gateway-secret" -}}
{{ .Values.gateway.existingSecret | default (printf "%s-gateway" (include "apisix-translator.name" .)) }}
{{- end }}

{{- define "apisix-translator.image" -}}
{{- if .Values.image.digest }}{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}{{ else }}{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}{{ end }}
{{- end }}

{{/* The configuration: what values say, over what only the chart knows. */}}
{{- define "apisix-translator.config" -}}
{{- $known := dict "gateway" (dict "adminKeyFile" "/etc/apisix-translator/gateway/admin-key") "leader" (dict "namespace" .Release.Namespace) -}}
{{- if .Values.config.clusterSecrets }}{{ $_ := set $known "clusterSecrets" (dict "namespace" .Release.Namespace) }}{{ end -}}
{{- mergeOverwrite $known (deepCopy .Values.config) | toYaml }}
{{- end }}

{{- define "apisix-translator.port" -}}
{{ (.Values.config.observe).listen | default "0.0.0.0:8080" | splitList ":" | last }}
{{- end }}

{{- define "apisix-translator.lease-namespace" -}}
{{ (.Values.config.leader).namespace | default .Release.Namespace }}
{{- end }}

{{- define "apisix-translator.lease" -}}
{{ (.Values.config.leader).lease | default "apisix-translator" }}
{{- end }}

{{- define "apisix-translator.secrets-namespace" -}}
{{ (.Values.config.clusterSecrets).namespace | default .Release.Namespace }}
{{- end }}
