package loop

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"

	"ashlar.sh/sched/ledger"
)

// What Kubernetes mounts into each pod: the namespace of the pod, and a token that names it.
const (
	ownNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
	ownToken     = "/var/run/secrets/kubernetes.io/serviceaccount/token"
)

// self is the pod that this process runs in, as its token says, whatever the host is called (on the host's network,
// say, as the node). The zero value: it is not known.
type self struct {
	pod ledger.Key
	uid string
}

// ownPod reads the token in a file; "": where Kubernetes mounts it.
func ownPod(file string) (out self) {
	token, err := os.ReadFile(cmp.Or(file, ownToken))
	parts := strings.Split(string(token), ".")
	if err != nil || len(parts) != 3 {
		return self{}
	}
	var claims struct {
		Kubernetes struct {
			Namespace string `json:"namespace"`
			Pod       struct {
				Name string `json:"name"`
				UID  string `json:"uid"`
			} `json:"pod"`
		} `json:"kubernetes.io"`
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(body, &claims) != nil {
		return self{}
	}
	k := claims.Kubernetes
	return self{ledger.Key{Namespace: k.Namespace, Name: k.Pod.Name}, k.Pod.UID}
}

// name is the pod's name. Where the token does not say it, it is the host's name, and "" where that is not known
// either: then no pod is this one's.
func (s self) name() string {
	if s.pod.Name != "" {
		return s.pod.Name
	}
	host, _ := os.Hostname()
	return host
}

// known says that events and conditions can be written about the pod.
func (s self) known() bool { return s.pod.Namespace != "" && s.pod.Name != "" && s.uid != "" }

// PodNamespace is the namespace of the pod that this process runs in; "" outside of one.
func PodNamespace() string {
	text, err := os.ReadFile(ownNamespace)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
