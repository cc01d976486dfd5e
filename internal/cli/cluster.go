//go:build !simulator

package cli

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/loop"
	"ashlar.sh/test/e2e/cluster"
)

// trial is what the flags of cluster ask for.
type trial struct {
	nodes  int
	cpu    string
	config string
	beside bool // kube-scheduler runs, too
}

const clusterLong = `Runs a real control plane on this machine, without containers: etcd, kube-apiserver,
kube-controller-manager, kube-scheduler, and kwok, which plays the kubelets of some nodes; with
Volcano's CRDs and ashlar as the scheduler beside it, for pods that name it. It prints a
kubeconfig to try it with, and takes everything away again when it is ended with Ctrl-C.

It works in ashlar's source tree only: the control plane's programs are built there the
first time, which takes some minutes. It is for trying, not for keeping: nothing is
secure or durable.

The scheduler serves metrics, health and the read API on this machine, holds a Lease, and writes
a dump when it gets SIGUSR1, as where it is installed, so that docs/operations.md can be
rehearsed.`

func (p Process) cluster() *cobra.Command {
	var o trial
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Run a local control plane with ashlar in it, to try with kubectl",
		Long:  clusterLong,
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if o.nodes < 0 {
				return fmt.Errorf("--nodes %d: expected 0 or more", o.nodes)
			}
			if _, err := resource.ParseQuantity(o.cpu); err != nil {
				return fmt.Errorf("--cpu %q: expected a quantity such as 8", o.cpu)
			}
			if err := p.tryOut(o); err != nil {
				return badInput("error: " + err.Error())
			}
			return nil
		},
	}
	c.Flags().IntVar(&o.nodes, "nodes", 4, "how many nodes to make")
	c.Flags().StringVar(&o.cpu, "cpu", "8", "cores of each node")
	c.Flags().BoolVar(&o.beside, "kube-scheduler", true,
		"run kube-scheduler beside ashlar, for pods that name no scheduler")
	c.Flags().StringVar(&o.config, "scheduler-conf", "",
		"volcano-scheduler.conf to schedule by; it is read again when it changes")
	return c
}

// tryOut runs it all until a signal.
func (p Process) tryOut(o trial) (err error) {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	fmt.Fprintln(p.Err, "Starting a control plane; the first time its programs are built, which takes some minutes.")
	c, err := cluster.Start(ctx, cluster.Options{ControllerManager: true, Kwok: true, KubeScheduler: o.beside})
	if err != nil {
		return err
	}
	defer func() {
		ended := ctx.Err() != nil // Ctrl-C ends the programs too: that they are gone is no news
		if stopped := c.Stop(); err == nil && !ended {
			err = stopped
		}
	}()
	if err := c.InstallCRDs(ctx); err != nil {
		return err
	}
	if err := o.makeNodes(ctx, c); err != nil {
		return err
	}
	asked, quiet := dumpSignals()
	defer quiet()
	at := loop.Addresses{Metrics: local(8080), Health: local(11251), Read: loop.ReadAPI{Address: local(8443)}, Pprof: true}
	fmt.Fprintf(p.Out, howToTry, o.nodes, o.cpu, c.Kubeconfig, at.Health, at.Metrics, at.Metrics, os.Getpid(), c.Dir,
		at.Read.Address, c.Dir)
	return loop.Run(ctx, loop.Options{Config: c.Config, ConfigFile: o.config, Addresses: at, DumpDir: c.Dir, Dump: asked,
		Election: &loop.Election{Namespace: metav1.NamespaceSystem, Name: translate.DefaultScheduler}})
}

// local is an address of this machine alone: with the port that the scheduler has where it is installed, or with any
// that is free where another program has that one.
func local(port int) string {
	for _, p := range []int{port, 0} {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", p))
		if err != nil {
			continue
		}
		defer l.Close()
		return l.Addr().String()
	}
	return fmt.Sprintf("127.0.0.1:%d", port) // the error is that of the scheduler, which cannot listen either
}

// howToTry names a gang of three that any four nodes can take.
const howToTry = `A cluster of %d nodes of %s cores is up, with ashlar as the scheduler named volcano.

  export KUBECONFIG=%s

  kubectl get nodes
  kubectl apply -f examples/live
  kubectl get podgroups.scheduling.volcano.sh,pods -o wide

As where it is installed:

  curl http://%s/readyz
  curl http://%s/metrics
  curl http://%s/configz
  kubectl -n kube-system get lease volcano
  kill -USR1 %d                  # writes ashlar-dump-*.json to %s

kubectl ashlar asks the objects of this cluster; the scheduler, which is no pod here, with its address:

  kubectl ashlar why job train --read-api https://%s --read-api-certificate \
    $(kubectl -n kube-system get lease volcano -o 'jsonpath={.metadata.labels.ashlar\.sh/read-api-certificate}')

The programs' logs are in %s.
Ctrl-C ends everything.
`

func (o trial) makeNodes(ctx context.Context, c *cluster.Cluster) error {
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(o.cpu),
		corev1.ResourceMemory: resource.MustParse("64Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	for i := range o.nodes {
		name := fmt.Sprintf("node-%d", i)
		_, err := client.CoreV1().Nodes().Create(ctx, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
			Status:     corev1.NodeStatus{Capacity: room, Allocatable: room},
		}, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("make node %s: %w", name, err)
		}
	}
	return nil
}
