//go:build !simulator

package cli

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	volcanofake "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/inspect"
)

// To read a large cluster takes minutes: a terminal shows meanwhile that it is being read.
func TestReadingAClusterIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube := fake.NewClientset()
		kube.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			<-time.After(time.Minute)
			return false, nil, nil
		})
		errs := &tty{width: 80}
		p := questions{Process{Out: &bytes.Buffer{}, Err: errs, Now: time.Now}}
		s := &source{namespace: "default", simulation: simulation{schedulers: []string{"volcano"}}}
		c := inspect.Clients{Kube: kube, Volcano: volcanofake.NewSimpleClientset()}
		if _, err := p.look(t.Context(), c, s); err != nil {
			t.Fatal(err)
		}
		shown := strings.Split(errs.String(), "\r\x1b[K")
		if len(shown) < 31 || shown[30] != "the cluster is read: 30s" ||
			!strings.HasPrefix(shown[len(shown)-1], "warning: ") {
			t.Errorf("it shows %q", shown)
		}
	})
}
