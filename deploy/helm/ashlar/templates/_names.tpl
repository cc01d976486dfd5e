{{- define "ashlar.labels" -}}
{{ include "ashlar.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | trimAll "-_." | quote }}
app.kubernetes.io/component: scheduler
{{- end }}

{{- define "ashlar.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ashlar.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "ashlar.knowsPolicies" -}}
{{- if semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version }}true{{ end }}
{{- end }}

{{- define "ashlar.defaultQueue" -}}
{{- $queue := "default" }}
{{- range .Values.extraArgs }}
{{- if hasPrefix "--default-queue=" . }}{{ $queue = trimPrefix "--default-queue=" . }}{{ end }}
{{- end }}
{{- $queue }}
{{- end }}

{{- define "ashlar.furtherNames" -}}
{{- range .Values.extraArgs }}
{{- if hasPrefix "--scheduler-name=" . }}'{{ trimPrefix "--scheduler-name=" . }}', {{ end }}
{{- end }}
{{- end }}

{{- define "ashlar.account" -}}
{{ .Values.serviceAccount.name | default .Release.Name }}
{{- end }}

{{- define "ashlar.leaseNamespace" -}}
{{ .Values.leaderElection.namespace | default .Release.Namespace }}
{{- end }}
