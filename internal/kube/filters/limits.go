package filters

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// sitting is a pod with claims on a node, as limits on attachments count it.
type sitting struct {
	task ledger.TaskID
	pod  *corev1.Pod
	how  ledger.Hold
}

// limitsOver makes Kubernetes' filter of attachments over the binder's stores.
func limitsOver(f informers.SharedInformerFactory) (fwk.FilterPlugin, error) {
	h := handle{informers: f, csi: nodevolumelimits.NewCSIManager(f.Storage().V1().CSINodes().Lister())}
	plugin, err := nodevolumelimits.NewCSI(context.Background(), nil, h,
		feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	if err != nil {
		return nil, err
	}
	return plugin.(*nodevolumelimits.CSILimits), nil
}

// handle is what that filter asks of kube-scheduler.
type handle struct {
	fwk.Handle
	informers informers.SharedInformerFactory
	csi       fwk.CSIManager
}

func (h handle) SharedInformerFactory() informers.SharedInformerFactory { return h.informers }

func (h handle) SharedCSIManager() fwk.CSIManager { return h.csi }

// nodeWithVolumes is a node with the pods on it that have volumes.
type nodeWithVolumes struct {
	fwk.NodeInfo
	node *corev1.Node
	pods []fwk.PodInfo
}

func (s nodeWithVolumes) Node() *corev1.Node { return s.node }

func (s nodeWithVolumes) GetPods() []fwk.PodInfo { return s.pods }

type onePod struct {
	fwk.PodInfo
	pod *corev1.Pod
}

func (o onePod) GetPod() *corev1.Pod { return o.pod }

// limits counts what a node would have attached. With future, leaving pods are gone, and so
// are the volumes that only they had attached; so an eviction may end a refusal.
func (v *Volumes) limits(task *ledger.Task, n ledger.NodeID, future bool) policy.Verdict {
	pod := podOf(task)
	if pod == nil || v.limiting == nil {
		return policy.Verdict{}
	}
	at := nodeWithVolumes{node: v.node(n)}
	for _, s := range v.sits[n] {
		if !future || s.how != ledger.Leaving {
			at.pods = append(at.pods, onePod{pod: s.pod})
		}
	}
	if s := v.limiting.Filter(v.ctx, framework.NewCycleState(), pod, at); !s.IsSuccess() {
		return policy.Verdict{Code: trace.NodeVolume, Text: strings.Join(s.Reasons(), ", ")}
	}
	return policy.Verdict{}
}
