package cluster

import (
	"context"
	"crypto/tls"
	_ "embed"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// The names of the programs, as built and as used in Options.Flags.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	kubeScheduler     = "kube-scheduler"
	kwok              = "kwok"
)

//go:embed stages.yaml
var defaultStages []byte

// program is one program to run: with which flags, and what tells that it serves.
type program struct {
	name  string
	flags []string
	ready func(context.Context) error
}

// setup is what the programs have to agree on: files, ports and credentials.
type setup struct {
	options Options
	dir     string
	ports   struct{ etcd, peer, api, kwok, scheduler int }
	config  *rest.Config
	key     string // service-account key
	tokens  string // token file
	stages  string // kwok's configuration
	clients *authority
}

func newSetup(dir string, o Options) (*setup, error) {
	s := &setup{
		options: o, dir: dir,
		key:    filepath.Join(dir, "service-account.key"),
		tokens: filepath.Join(dir, "tokens.csv"),
		stages: filepath.Join(dir, "stages.yaml"),
	}
	ports, err := freePorts(5)
	if err != nil {
		return nil, err
	}
	s.ports.etcd, s.ports.peer, s.ports.api, s.ports.kwok, s.ports.scheduler = ports[0], ports[1], ports[2], ports[3],
		ports[4]
	token, err := writeToken(s.tokens)
	if err != nil {
		return nil, err
	}
	if err := writeServiceAccountKey(s.key); err != nil {
		return nil, err
	}
	if s.clients, err = newAuthority(filepath.Join(dir, "clients.crt")); err != nil {
		return nil, err
	}
	stages := o.Stages
	if stages == nil {
		stages = defaultStages
	}
	if err := os.WriteFile(s.stages, stages, 0o600); err != nil {
		return nil, err
	}
	s.config = &rest.Config{
		Host:        fmt.Sprintf("https://127.0.0.1:%d", s.ports.api),
		BearerToken: token,
		QPS:         -1,
	}
	return s, nil
}

// programs lists what to run, each after those it needs.
func (s *setup) programs() []program {
	list := []program{s.etcd(), s.apiServer()}
	if s.options.ControllerManager {
		list = append(list, s.controllerManager())
	}
	if s.options.Kwok {
		list = append(list, s.kwok())
	}
	if s.options.KubeScheduler {
		list = append(list, s.kubeScheduler())
	}
	return list
}

func (s *setup) etcd() program {
	client, peer := s.url(s.ports.etcd), s.url(s.ports.peer)
	return program{
		name: etcd,
		flags: []string{
			"--data-dir=" + filepath.Join(s.dir, "etcd"),
			"--listen-client-urls=" + client,
			"--advertise-client-urls=" + client,
			"--listen-peer-urls=" + peer,
			"--initial-advertise-peer-urls=" + peer,
			"--initial-cluster=default=" + peer,
			"--unsafe-no-fsync",
			"--log-level=warn",
		},
		ready: func(ctx context.Context) error { return answers(ctx, http.DefaultClient, client+"/health") },
	}
}

func (s *setup) apiServer() program {
	certs := filepath.Join(s.dir, "certs")
	disabled := "ServiceAccount" // a pod need not wait for its namespace's service account
	if !s.options.ControllerManager {
		disabled += ",TaintNodesByCondition"
	}
	return program{
		name: apiServer,
		flags: []string{
			"--etcd-servers=" + s.url(s.ports.etcd),
			// Should another cluster's etcd have taken the port, it is found out only afterwards:
			// with a prefix of our own no harm is done until then.
			"--etcd-prefix=/" + filepath.Base(s.dir),
			"--bind-address=127.0.0.1",
			"--advertise-address=127.0.0.1",
			"--endpoint-reconciler-type=none",
			fmt.Sprintf("--secure-port=%d", s.ports.api),
			"--cert-dir=" + certs,
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + s.key,
			"--service-account-signing-key-file=" + s.key,
			"--token-auth-file=" + s.tokens,
			"--client-ca-file=" + s.clients.path,
			"--authorization-mode=RBAC", // the token's group may do everything all the same
			"--service-cluster-ip-range=10.0.0.0/24",
			"--disable-admission-plugins=" + disabled,
		},
		ready: func(ctx context.Context) error { return s.apiServerReady(ctx, filepath.Join(certs, "apiserver.crt")) },
	}
}

// apiServerReady trusts the certificate that the API server has made for itself and asks for /readyz.
func (s *setup) apiServerReady(ctx context.Context, cert string) error {
	ca, err := os.ReadFile(cert)
	if err != nil {
		return err
	}
	s.config.CAData = ca
	client, err := rest.HTTPClientFor(s.config)
	if err != nil {
		return err
	}
	return answers(ctx, client, s.config.Host+"/readyz")
}

func (s *setup) controllerManager() program {
	return program{
		name: controllerManager,
		flags: []string{
			"--kubeconfig=" + filepath.Join(s.dir, "kubeconfig"),
			"--service-account-private-key-file=" + s.key,
			"--use-service-account-credentials=false",
			"--leader-elect=false",
			"--secure-port=0",
		},
		ready: s.controllersRun,
	}
}

// controllersRun sees a controller's work, the default service account: the program serves no port.
func (s *setup) controllersRun(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(s.config)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
	return err
}

func (s *setup) kwok() program {
	address := fmt.Sprintf("127.0.0.1:%d", s.ports.kwok)
	return program{
		name: kwok,
		flags: []string{
			"--kubeconfig=" + filepath.Join(s.dir, "kubeconfig"),
			"--config=" + s.stages,
			"--manage-all-nodes=true",
			"--node-lease-duration-seconds=40",
			"--server-address=" + address,
		},
		ready: func(ctx context.Context) error { return answers(ctx, http.DefaultClient, "http://"+address+"/readyz") },
	}
}

func (s *setup) kubeScheduler() program {
	// It makes its own certificate. What is asked is whether it is ready, by a program that sends nothing.
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true}}
	return program{
		name: kubeScheduler,
		flags: []string{
			"--kubeconfig=" + filepath.Join(s.dir, "kubeconfig"),
			"--authentication-skip-lookup",
			"--leader-elect=false",
			"--bind-address=127.0.0.1",
			fmt.Sprintf("--secure-port=%d", s.ports.scheduler),
			"--cert-dir=" + filepath.Join(s.dir, "scheduler-certs"),
		},
		ready: func(ctx context.Context) error {
			return answers(ctx, client, fmt.Sprintf("https://127.0.0.1:%d/readyz", s.ports.scheduler))
		},
	}
}

func (s *setup) url(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }

// answers asks url and is content with status 200 only.
func answers(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", url, response.Status, body)
	}
	return nil
}

// freePorts returns n ports of 127.0.0.1 on which no program listened a moment ago. All are held until
// all are found, so that they differ; between then and the program's start somebody may take one.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}
