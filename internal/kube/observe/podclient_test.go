package observe

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/equality"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// randomPods are pods with every field filled in at random, but that a volume of a claim is nothing else, as the API
// server sees to.
func randomPods(seed int64, count int) []corev1.Pod {
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(seed), scheme.Codecs).NilChance(0.2).NumElements(1, 3)
	pods := make([]corev1.Pod, count)
	for i := range pods {
		fill.Fill(&pods[i])
		for k := range pods[i].Spec.Volumes {
			v := &pods[i].Spec.Volumes[k].VolumeSource
			if v.PersistentVolumeClaim != nil {
				*v = corev1.VolumeSource{PersistentVolumeClaim: v.PersistentVolumeClaim}
			} else if v.Ephemeral != nil {
				*v = corev1.VolumeSource{Ephemeral: v.Ephemeral}
			}
		}
		pods[i].TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	}
	return pods
}

// podServer answers with a list, or with a watch of the pods in it, in protobuf.
func podServer(t *testing.T, list *corev1.PodList) kubernetes.Interface {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
			_, _ = w.Write(inProtobuf(t, list))
			return
		}
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf+";stream=watch")
		for i := range list.Items {
			event := metav1.WatchEvent{Type: string(watch.Added),
				Object: runtime.RawExtension{Raw: inProtobuf(t, &list.Items[i])}}
			body, err := event.Marshal()
			if err != nil {
				t.Error(err)
			}
			_, _ = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
		}
	}))
	t.Cleanup(server.Close)
	kube, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL + "/behind/a/proxy",
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeProtobuf}})
	if err != nil {
		t.Fatal(err)
	}
	return kube
}

// What is not decoded of a pod is dropped by the transform anyway: whatever a pod has, the same is kept of it, in a
// list and in a watch.
func TestWhatIsNotDecodedOfAPodIsNotKept(t *testing.T) {
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, Items: randomPods(1, 300)}
	kube := podServer(t, list)
	whole, err := kube.CoreV1().Pods("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := podClient(kube).Pods("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	watched, err := podClient(kube).Pods("").Watch(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Stop()
	for i := range whole.Items {
		event := <-watched.ResultChan()
		pod, is := event.Object.(*corev1.Pod)
		if !is || event.Type != watch.Added {
			t.Fatalf("pod %d: the watch has %v", i, event)
		}
		want := stripped(t, &whole.Items[i])
		for how, got := range map[string]*corev1.Pod{"listed": &listed.Items[i], "watched": pod} {
			if len(got.ManagedFields)+len(got.Status.PodIPs) > 0 {
				t.Errorf("pod %d, %s: what is dropped was decoded", i, how)
			}
			if got = stripped(t, got); !equality.Semantic.DeepEqual(got, want) {
				t.Fatalf("pod %d, %s, differs:\n got %v\nwant %v", i, how, got, want)
			}
		}
	}
}

func stripped(t *testing.T, p *corev1.Pod) *corev1.Pod {
	t.Helper()
	if err := stripPod(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Bytes that are no pod are an error, as they are without cuts, and no panic.
func TestCutsOfWhatIsNoPod(t *testing.T) {
	pods := randomPods(2, 20)
	random := rand.New(rand.NewSource(3))
	for range 20_000 {
		body, err := pods[random.Intn(len(pods))].Marshal()
		if err != nil {
			t.Fatal(err)
		}
		body = body[:random.Intn(len(body)+1)]
		for range random.Intn(3) {
			if len(body) > 0 {
				body[random.Intn(len(body))] = byte(random.Intn(256))
			}
		}
		broken := (&corev1.Pod{}).Unmarshal(bytes.Clone(body)) != nil
		cut, err := podCuts.from(bytes.Clone(body))
		if err == nil {
			err = (&corev1.Pod{}).Unmarshal(cut)
		}
		if err != nil && !broken {
			t.Fatalf("%v, but without cuts it is a pod: %x", err, body)
		}
	}
}
