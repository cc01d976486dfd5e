package kubescheduler

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// kubeScheduler is kube-scheduler's framework with its default plugins, over informers that are never started: a
// cluster's objects are laid into their stores.
type kubeScheduler struct {
	informers informers.SharedInformerFactory
	snapshot  *snapshot
	claims    *assumecache.AssumeCache
	classes   cache.ResourceEventHandler // hears of device classes
	framework framework.Framework        // scores by the least that is requested
	most      framework.Framework        // by the most, and by nothing else
	spread    *podtopologyspread.PodTopologySpread
	now       cluster
}

// snapshot is what the plugins see of nodes and pods; each cluster has its own.
type snapshot struct{ fwk.SharedLister }

func newKubeScheduler(t testing.TB) *kubeScheduler {
	t.Helper()
	metrics.Register()
	ctx := klog.NewContext(t.Context(), klog.Logger{})
	k := &kubeScheduler{informers: informers.NewSharedInformerFactory(fake.NewClientset(), 0),
		snapshot: &snapshot{internalcache.NewEmptySnapshot()}}
	k.claims = assumecache.NewAssumeCache(klog.Logger{}, k.informers.Resource().V1().ResourceClaims().Informer(),
		"ResourceClaim", "", nil)
	k.framework = k.with(ctx, t, config.LeastAllocated, nil)
	k.most = k.with(ctx, t, config.MostAllocated, []string{names.NodeResourcesFit})
	spread, err := podtopologyspread.New(ctx, &config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting},
		k.framework, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	if err != nil {
		t.Fatal(err)
	}
	k.spread = spread.(*podtopologyspread.PodTopologySpread)
	return k
}

// with makes a framework of the default profile; scores are its only scores, nil: all it has.
func (k *kubeScheduler) with(ctx context.Context, t testing.TB, strategy config.ScoringStrategyType,
	scores []string) framework.Framework {
	t.Helper()
	all, err := latest.Default()
	if err != nil {
		t.Fatal(err)
	}
	profile := &all.Profiles[0]
	if scores != nil {
		profile.Plugins.Score.Disabled = []config.Plugin{{Name: "*"}}
		for _, name := range scores {
			profile.Plugins.Score.Enabled = append(profile.Plugins.Score.Enabled, config.Plugin{Name: name, Weight: 1})
		}
	}
	for _, c := range profile.PluginConfig {
		switch args := c.Args.(type) {
		case *config.NodeResourcesFitArgs:
			args.ScoringStrategy.Type = strategy
		case *config.InterPodAffinityArgs: // as in Volcano
			args.HardPodAffinityWeight = 0
		case *config.DynamicResourcesArgs:
			args.FilterTimeout.Duration = time.Minute
		}
	}
	tracker, err := resourceslicetracker.StartTracker(ctx, resourceslicetracker.Options{
		SliceInformer: k.informers.Resource().V1().ResourceSlices()})
	if err != nil {
		t.Fatal(err)
	}
	devices := dynamicresources.NewDRAManager(ctx, k.claims, tracker, k.informers)
	k.classes = both{k.classes, devices.DeviceClassResolver().(cache.ResourceEventHandler)}
	f, err := frameworkruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile,
		frameworkruntime.WithClientSet(fake.NewClientset()), frameworkruntime.WithInformerFactory(k.informers),
		frameworkruntime.WithSharedDRAManager(devices), frameworkruntime.WithSnapshotSharedLister(k.snapshot),
		frameworkruntime.WithSharedCSIManager(
			nodevolumelimits.NewCSIManager(k.informers.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithParallelism(1))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// both tells two handlers.
type both struct{ a, b cache.ResourceEventHandler }

func (h both) each(tell func(cache.ResourceEventHandler)) {
	for _, x := range []cache.ResourceEventHandler{h.a, h.b} {
		if x != nil {
			tell(x)
		}
	}
}

func (h both) OnAdd(o any, first bool) {
	h.each(func(x cache.ResourceEventHandler) { x.OnAdd(o, first) })
}

func (h both) OnUpdate(was, is any) {
	h.each(func(x cache.ResourceEventHandler) { x.OnUpdate(was, is) })
}

func (h both) OnDelete(o any) { h.each(func(x cache.ResourceEventHandler) { x.OnDelete(o) }) }

// see replaces what the plugins see by a cluster.
func (k *kubeScheduler) see(c cluster) {
	for _, o := range k.now {
		switch o := o.(type) {
		case *resourcev1.ResourceClaim:
			assumecache.DeleteTestObject(k.claims, o)
		case *resourcev1.DeviceClass:
			k.classes.OnDelete(o)
		}
		if store := k.store(o); store != nil {
			_ = store.Delete(o)
		}
	}
	k.now = c
	for _, o := range c {
		if store := k.store(o); store != nil {
			_ = store.Add(o)
		}
		switch o := o.(type) {
		case *resourcev1.ResourceClaim:
			assumecache.AddTestObject(k.claims, o)
		case *resourcev1.DeviceClass:
			k.classes.OnAdd(o, true)
		}
	}
	nodes := map[string]bool{}
	for _, n := range of[*corev1.Node](c) {
		nodes[n.Name] = true
	}
	var pods []*corev1.Pod
	for _, p := range of[*corev1.Pod](c) {
		if nodes[p.Spec.NodeName] && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			pods = append(pods, p)
		}
	}
	k.snapshot.SharedLister = internalcache.NewSnapshot(pods, of[*corev1.Node](c))
}

// store is where plugins look for objects of a kind.
func (k *kubeScheduler) store(o runtime.Object) cache.Indexer {
	core, storage := k.informers.Core().V1(), k.informers.Storage().V1()
	switch o.(type) {
	case *corev1.Namespace:
		return core.Namespaces().Informer().GetIndexer()
	case *corev1.Service:
		return core.Services().Informer().GetIndexer()
	case *appsv1.ReplicaSet:
		return k.informers.Apps().V1().ReplicaSets().Informer().GetIndexer()
	case *appsv1.StatefulSet:
		return k.informers.Apps().V1().StatefulSets().Informer().GetIndexer()
	case *corev1.ReplicationController:
		return core.ReplicationControllers().Informer().GetIndexer()
	case *corev1.PersistentVolume:
		return core.PersistentVolumes().Informer().GetIndexer()
	case *corev1.PersistentVolumeClaim:
		return core.PersistentVolumeClaims().Informer().GetIndexer()
	case *storagev1.StorageClass:
		return storage.StorageClasses().Informer().GetIndexer()
	case *storagev1.CSINode:
		return storage.CSINodes().Informer().GetIndexer()
	case *storagev1.CSIDriver:
		return storage.CSIDrivers().Informer().GetIndexer()
	case *storagev1.CSIStorageCapacity:
		return storage.CSIStorageCapacities().Informer().GetIndexer()
	case *storagev1.VolumeAttachment:
		return storage.VolumeAttachments().Informer().GetIndexer()
	case *resourcev1.ResourceSlice:
		return k.informers.Resource().V1().ResourceSlices().Informer().GetIndexer()
	case *resourcev1.DeviceClass:
		return k.informers.Resource().V1().DeviceClasses().Informer().GetIndexer()
	}
	return nil
}

// judge says what kube-scheduler says of each node for a pod: why it is refused, or its scores.
func (k *kubeScheduler) judge(p *corev1.Pod) (answers, error) {
	out := answers{refused: map[string]string{}, scores: map[string]map[string]float64{}}
	ctx := klog.NewContext(context.Background(), klog.Logger{})
	all, err := k.snapshot.NodeInfos().List()
	if err != nil {
		return out, err
	}
	slices.SortFunc(all, func(a, b fwk.NodeInfo) int { return cmp.Compare(a.Node().Name, b.Node().Name) })
	state := framework.NewCycleState()
	limited, status, _ := k.framework.RunPreFilterPlugins(ctx, state, p)
	if status.Code() == fwk.Error {
		out.failed = status.Plugin() + ": " + status.Message()
	}
	var feasible []fwk.NodeInfo
	for _, n := range all {
		switch name := n.Node().Name; {
		case !status.IsSuccess():
			out.refused[name] = status.Plugin() + ": " + status.Message()
		case !limited.AllNodes() && !limited.NodeNames.Has(name):
			out.refused[name] = "not among the nodes of PreFilter"
		default:
			s := k.framework.RunFilterPlugins(ctx, state, p, n)
			if s.IsSuccess() {
				feasible = append(feasible, n)
				continue
			}
			out.refused[name] = s.Plugin() + ": " + s.Message()
		}
	}
	if len(feasible) == 0 {
		return out, nil
	}
	if err := k.score(ctx, k.framework, state, p, feasible, out.scores); err != nil {
		return out, err
	}
	most := map[string]map[string]float64{}
	if err := k.score(ctx, k.most, state, p, feasible, most); err != nil {
		return out, err
	}
	out.scores[mostRequested] = most[names.NodeResourcesFit]
	out.scores[names.NodeResourcesBalancedAllocation] = map[string]float64{}
	for _, n := range feasible {
		out.scores[names.NodeResourcesBalancedAllocation][n.Node().Name] = balance(p, n)
	}
	return out, k.grain(ctx, p, feasible, &out)
}

// grain finds how coarse the score of topology spread is: it is a whole number before it is made relative to the worst.
func (k *kubeScheduler) grain(ctx context.Context, p *corev1.Pod, nodes []fwk.NodeInfo, out *answers) error {
	state := framework.NewCycleState()
	if s := k.spread.PreScore(ctx, state, p, nodes); s.IsSkip() {
		return nil
	}
	most := int64(1)
	for _, n := range nodes {
		score, s := k.spread.Score(ctx, state, p, n)
		if !s.IsSuccess() {
			return fmt.Errorf("score of spread: %s", s.Message())
		}
		most = max(most, score)
	}
	out.grain = 100 / float64(most)
	return nil
}

// weights are those of kube-scheduler's default profile, which plugin nodeorder has, too.
var weights = map[string]int{names.NodeResourcesFit: 1, names.NodeResourcesBalancedAllocation: 1, names.NodeAffinity: 2,
	names.TaintToleration: 3, names.ImageLocality: 1, names.InterPodAffinity: 2, names.PodTopologySpread: 2,
	names.DynamicResources: 2}

// score adds the scores of each plugin, by the name of the plugin and of the node.
func (k *kubeScheduler) score(ctx context.Context, f framework.Framework, state fwk.CycleState, p *corev1.Pod,
	nodes []fwk.NodeInfo, into map[string]map[string]float64) error {
	if s := f.RunPreScorePlugins(ctx, state, p, nodes); !s.IsSuccess() {
		return fmt.Errorf("PreScore: %s", s.Message())
	}
	list, s := f.RunScorePlugins(ctx, state, p, nodes)
	if !s.IsSuccess() {
		return fmt.Errorf("score: %s", s.Message())
	}
	for _, n := range list {
		for _, by := range n.Scores {
			if into[by.Name] == nil {
				into[by.Name] = map[string]float64{}
			}
			into[by.Name][n.Name] = float64(by.Score) / float64(weights[by.Name])
		}
	}
	return nil
}
