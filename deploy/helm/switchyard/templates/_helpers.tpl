{{- define "switchyard.labels" -}}
app.kubernetes.io/name: switchyard
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* A number of a values file is a float for Helm, which alone would print 2000000 as 2e+06. */}}
{{- define "switchyard.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end -}}

{{- define "switchyard.secretName" -}}
{{- if .Values.existingSecret -}}{{ .Values.existingSecret }}{{- else -}}{{ .Release.Name }}-switchyard{{- end -}}
{{- end -}}

{{- define "switchyard.image" -}}
{{ .Values.image.repository }}:{{ include "switchyard.text" (default .Chart.AppVersion .Values.image.tag) }}
{{- end -}}

{{/* The sum of the chart's secret: pods read it at their start, so that another one has to restart them. */}}
{{- define "switchyard.annotations" -}}
{{- $sums := dict -}}
{{- if not .Values.existingSecret -}}
{{- $sums = dict "checksum/secret" (include (print .Template.BasePath "/secret.yaml") . | sha256sum) -}}
{{- end -}}
{{- with merge $sums (default dict .Values.podAnnotations) -}}
annotations:
{{ toYaml . | indent 2 }}
{{- end -}}
{{- end -}}

{{- define "switchyard.pod" -}}
automountServiceAccountToken: false
# The service is not process 1, which would have to wait for processes that a killed Git or adapter leaves behind.
shareProcessNamespace: true
terminationGracePeriodSeconds: 30
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
{{ toYaml . | indent 2 }}
{{- end }}
volumes:
  - name: data
    emptyDir: { sizeLimit: {{ .Values.dataSize }} }
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
  {{- if .Values.tlsSecret }}
  - name: tls
    secret: { secretName: {{ .Values.tlsSecret | quote }}, defaultMode: 0440 }
  {{- end }}
{{- end -}}

{{- define "switchyard.container" -}}
image: {{ include "switchyard.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
ports:
  - { name: http, containerPort: 3000 }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
  {{- if .Values.tlsSecret }}
  - { name: tls, mountPath: /etc/switchyard/tls, readOnly: true }
  {{- end }}
startupProbe:
  httpGet: { path: /health/ready, port: http, scheme: {{ if .Values.tlsSecret }}HTTPS{{ else }}HTTP{{ end }} }
  periodSeconds: 2
  # An hour for the migrations of an upgrade, which begin anew when they are cut. A start that fails ends by itself.
  failureThreshold: 1800
readinessProbe:
  httpGet: { path: /health/ready, port: http, scheme: {{ if .Values.tlsSecret }}HTTPS{{ else }}HTTP{{ end }} }
  periodSeconds: 5
  timeoutSeconds: 2
livenessProbe:
  httpGet: { path: /health/live, port: http, scheme: {{ if .Values.tlsSecret }}HTTPS{{ else }}HTTP{{ end }} }
  periodSeconds: 10
  timeoutSeconds: 5
{{- end -}}

{{- define "switchyard.env" -}}
- { name: PORT, value: "3000" }
{{- range $name, $value := .Values.env }}
- { name: {{ $name | quote }}, value: {{ include "switchyard.text" $value | quote }} }
{{- end }}
{{- if .Values.tlsSecret }}
- { name: TLS_CERT, value: /etc/switchyard/tls/tls.crt }
- { name: TLS_KEY, value: /etc/switchyard/tls/tls.key }
{{- end }}
{{- end -}}
